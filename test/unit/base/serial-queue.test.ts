import { describe, expect, it } from 'vitest';
import { KeyedQueues, SerialQueue } from '../../../src/base/serial-queue.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('SerialQueue', () => {
  it('starts a task when the one before it has ended', async () => {
    const queue = new SerialQueue();
    const log: string[] = [];
    const task = (name: string) => async () => {
      log.push(`${name} begins`);
      await turn();
      log.push(`${name} ends`);
    };
    await Promise.all([queue.run(task('one')), queue.run(task('two'))]);
    expect(log).toEqual(['one begins', 'one ends', 'two begins', 'two ends']);
  });

  it('rejects for a task that failed and goes on with the next', async () => {
    const queue = new SerialQueue();
    const failed = queue.run(() => Promise.reject(new Error('no')));
    const next = queue.run(async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('is idle when all tasks have run', async () => {
    const queue = new SerialQueue();
    let isDone = false;
    const task = queue.run(async () => {
      await turn();
      isDone = true;
    });
    await queue.idle();
    expect(isDone).toBe(true);
    await task;
  });
});

describe('KeyedQueues', () => {
  it('runs tasks of one key in order and those of another key beside them', async () => {
    const queues = new KeyedQueues();
    const log: string[] = [];
    let release = () => {};
    const slow = queues.run('a', () => new Promise<void>((resolve) => (release = resolve)));
    const after = queues.run('a', async () => void log.push('a'));
    await queues.run('b', async () => void log.push('b'));
    release();
    await Promise.all([slow, after]);
    expect(log).toEqual(['b', 'a']);
  });
});
