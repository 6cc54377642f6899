import fs from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { flushBeforeClose } from '../../../src/system/pty-flush.ts';
import { aFolder } from '../../support/system/temp.ts';
import { aScript, someTerminals } from '../../support/workspace/terminals.ts';

/** A terminal of node-pty whose program has exited. The test delivers its bytes; a file stands for the slave. */
function anExitedProgram() {
  const slave = path.join(aFolder(), 'slave');
  fs.writeFileSync(slave, '');
  const listeners: ((bytes: Buffer) => void)[] = [];
  const destroy = vi.fn();
  const pty = {
    ptsName: slave,
    _socket: { destroy },
    once: (..._: [event: string, listener: () => void]) => {},
    onData: (listener: (bytes: Buffer) => void) => void listeners.push(listener),
  };
  const output: Buffer[] = [];
  flushBeforeClose(
    pty,
    (bytes) => output.push(bytes),
    () => undefined,
  );
  const deliver = (bytes: Buffer | string) => {
    for (const listener of listeners) listener(Buffer.from(bytes));
  };
  return {
    deliver,
    destroy,
    exit: () => pty.once('close', () => undefined),
    mark: () => fs.readFileSync(slave),
    output: () => Buffer.concat(output).toString(),
  };
}

describe('the output of a program that has exited', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is awaited until the mark behind it was read, which is no part of it', () => {
    vi.useFakeTimers();
    const program = anExitedProgram();
    program.deliver('one');
    program.exit();
    vi.advanceTimersByTime(1_000);
    expect(program.destroy).not.toHaveBeenCalled();
    const [head, tail] = [program.mark().subarray(0, 9), program.mark().subarray(9)];
    program.deliver(Buffer.concat([Buffer.from('two'), head]));
    expect(program.destroy).not.toHaveBeenCalled();
    program.deliver(tail);
    expect(program.destroy).toHaveBeenCalledOnce();
    expect(program.output()).toBe('onetwo');
  });

  it('is passed on whole if the mark never comes', () => {
    vi.useFakeTimers();
    const program = anExitedProgram();
    program.exit();
    program.deliver('last words');
    vi.advanceTimersByTime(10_000);
    expect(program.destroy).toHaveBeenCalledOnce();
    expect(program.output()).toBe('last words');
  });

  it('arrives whole from many real programs', async () => {
    const { run } = someTerminals();
    const runs = await Promise.all(
      Array.from({ length: 20 }, (_, at) => run(aScript(`printf 'a\\0'; sleep 0.0${at}; printf last`))),
    );
    expect(runs.map(({ text }) => text)).toEqual(runs.map(() => expect.stringMatching(/^a.?last$/)));
  });
});

describe('a program that exits', () => {
  it('can be resized at any moment until it has', async () => {
    const { terminals, opened } = someTerminals();
    const ids = await Promise.all(Array.from({ length: 10 }, () => terminals.create(aScript('echo a'))));
    let isOver = false;
    // Between the end of a program and the report of it, Node runs what was given to `setImmediate`.
    const resized = (async () => {
      for (let rows = 10; !isOver; rows = rows === 10 ? 11 : 10) {
        for (const terminal of opened) terminal.resize({ columns: 80, rows });
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await Promise.all(ids.map((id) => terminals.waitForExit(id, new AbortController().signal)));
    isOver = true;
    await expect(resized).resolves.toBeUndefined();
  });
});
