import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AcpError } from '../../../src/base/errors.ts';
import type { LogLevel } from '../../../src/ports/log.ts';
import { FileLog } from '../../../src/system/file-log.ts';
import { runInSeparateProcess } from '../../support/system/separate-process.ts';
import { aFolder } from '../../support/system/temp.ts';

function aLog(level?: LogLevel) {
  const file = path.join(aFolder(), 'deep', 'acp.log');
  const log = new FileLog();
  if (level) log.level = level;
  onTestFinished(() => log.close());
  return { log, file, open: () => log.open(file), text: () => fs.readFileSync(file, 'utf8') };
}

describe('FileLog', () => {
  it('does not wait for a reader of a named pipe in its place', async () => {
    const folder = aFolder();
    execFileSync('mkfifo', [path.join(folder, 'acp.log')]);
    const code = `
      const log = new ours.FileLog();
      log.open(${JSON.stringify(path.join(folder, 'acp.log'))});
      log.error('failed');
      process.stdout.write('goes on');`;
    const limits = 'exec timeout 5 "$0" "$1"';
    const output = await runInSeparateProcess({ folder, module: 'src/system/file-log.ts', code, limits });
    expect(output).toBe('goes on');
  });

  it('masks secrets in messages, errors and their causes', () => {
    const { log, open, text } = aLog('debug');
    log.warn('early sk-ant-api03-AbCdEf123456');
    open();
    const cause = new Error('Authorization: Bearer hunter2');
    log.error('failed', new AcpError('bug', 'with OPENAI_API_KEY=hunter2', { cause }));
    log.error('failed', { password: 'hunter2' });
    for (const level of ['warn', 'info', 'debug'] as const) log[level]('token=hunter2');
    expect(text()).not.toMatch(/hunter2|AbCdEf/);
  });

  it('writes lines that were logged before open(), in order', () => {
    const { log, open, text } = aLog();
    log.info('first');
    open();
    log.info('second');
    expect(text()).toMatch(/info {2}first\n.*info {2}second\n$/);
  });

  it('starts each line with time and level', () => {
    const { log, open, text } = aLog();
    open();
    log.warn('careful');
    expect(text()).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z warn {2}careful\n$/);
  });

  it.each<[LogLevel, string[]]>([
    ['error', ['error']],
    ['warn', ['error', 'warn']],
    ['info', ['error', 'warn', 'info']],
    ['debug', ['error', 'warn', 'info', 'debug']],
  ])('at level %s writes %j', (level, expected) => {
    const { log, open, text } = aLog(level);
    open();
    for (const one of ['error', 'warn', 'info', 'debug'] as const) log[one](one);
    expect(
      text()
        .trim()
        .split('\n')
        .map((line) => line.split(' ').at(-1)),
    ).toEqual(expected);
  });

  it('writes the cause of an error', () => {
    const { log, open, text } = aLog();
    open();
    log.error('failed', new Error('outer', { cause: new Error('inner') }));
    log.error('failed', 'a text');
    expect(text()).toMatch(/failed: Error: outer[\s\S]*caused by Error: inner[\s\S]*failed: a text/);
  });

  it('creates a file that only the user can read', () => {
    const { open, file } = aLog();
    open();
    expect(fs.statSync(file).mode & 0o077).toBe(0);
  });

  it('appends to an existing file', () => {
    const { log, open, file, text } = aLog();
    fs.mkdirSync(path.dirname(file));
    fs.writeFileSync(file, 'old\n');
    open();
    log.info('new');
    expect(text()).toMatch(/^old\n.*new\n$/);
  });

  it('rotates a large file and keeps one older file', () => {
    const { log, open, file, text } = aLog();
    open();
    const line = 'x'.repeat(1_000);
    for (let count = 0; count < 7_000; count += 1) log.info(`${count} ${line}`);
    expect(fs.readdirSync(path.dirname(file)).sort()).toEqual(['acp.log', 'acp.log.1']);
    expect(fs.statSync(file).size).toBeLessThan(2.2 * 1024 * 1024);
    expect(fs.statSync(`${file}.1`).size).toBeLessThan(2.2 * 1024 * 1024);
    const older = fs.readFileSync(`${file}.1`, 'utf8');
    const numbers = (older + text()).match(/(?<= info {2})\d+/g)?.map(Number) ?? [];
    expect(numbers.at(-1)).toBe(6_999);
    expect(numbers).toEqual(
      Array.from({ length: numbers.length }, (_, index) => 7_000 - numbers.length + index),
    );
  });

  it('does not throw when the file can not be opened or written', () => {
    const folder = aFolder();
    fs.writeFileSync(path.join(folder, 'file'), '');
    const log = new FileLog();
    log.open(path.join(folder, 'file', 'acp.log'));
    log.open(folder);
    expect(() => log.error('x', new Error('y'))).not.toThrow();
  });

  it('limits the lines that it buffers before open()', () => {
    const { log, open, text } = aLog();
    for (let count = 0; count < 1_000; count += 1) log.info(`${count}`);
    open();
    expect(text().trim().split('\n').length).toBeLessThan(300);
  });

  it('does not throw for an error with a circular cause', () => {
    const { log, open } = aLog();
    open();
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    const cause = new Error('loop');
    cause.cause = cause;
    expect(() => log.error('x', loop)).not.toThrow();
    expect(() => log.error('x', cause)).not.toThrow();
  });
});
