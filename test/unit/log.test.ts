import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AcpError } from '../../src/errors.ts';
import { FileLog, type LogLevel, redact } from '../../src/log.ts';
import { aFolder } from '../support/temp.ts';

function aLog(level?: LogLevel) {
  const file = path.join(aFolder(), 'deep', 'acp.log');
  const log = new FileLog();
  onTestFinished(() => log.close());
  return { log, file, open: () => log.open(file, level), text: () => fs.readFileSync(file, 'utf8') };
}

describe('secrets', () => {
  it.each([
    ['an Anthropic key', 'key sk-ant-api03-AbCdEf123456', 'key <secret>'],
    ['a GitHub token', 'ghp_abcdefghijklmnop1234', '<secret>'],
    ['a fine-grained GitHub token', 'github_pat_11ABCDEFG0abcdefghijkl', '<secret>'],
    ['a Google key', 'AIzaSyA1234567890abcdefg', '<secret>'],
    ['an AWS key', 'AKIAIOSFODNN7EXAMPLE', '<secret>'],
    ['a Slack token', 'xoxb-123456789012-abcdef', '<secret>'],
    ['an environment', 'GEMINI_API_KEY=abc OTHER=1', 'GEMINI_API_KEY=<secret> OTHER=1'],
    ['a secret in the middle of a name', 'AWS_SECRET_ACCESS_KEY=abc/def', 'AWS_SECRET_ACCESS_KEY=<secret>'],
    ['a header', 'Authorization: Bearer abc.def', 'Authorization: <secret>'],
    ['a header of another kind', 'authorization: Basic dXNlcjpwYXNz', 'authorization: <secret>'],
    ['JSON', '{"token":"abc","n":1}', '{"token":"<secret>","n":1}'],
    ['JSON with blanks', '{"apiKey": "abc def"}', '{"apiKey": "<secret>"}'],
    ['JSON in JSON', '"{\\"token\\":\\"abc\\"}"', '"{\\"token\\":\\"<secret>\\"}"'],
    ['an address', 'git clone https://me:hunter2@git.test/x', 'git clone https://<secret>@git.test/x'],
    ['an option', 'agent --api-key abc --verbose', 'agent --api-key <secret> --verbose'],
    ['an option with a sign', 'agent --token=abc', 'agent --token=<secret>'],
    ['cookies', 'Cookie: a=1; b=2', 'Cookie: <secret>'],
    ['a cookie that is set', '"set-cookie":"sid=abc; Path=/"', '"set-cookie":"<secret>"'],
    ['a login in a url', 'at wss://me:abc@host/acp', 'at wss://<secret>@host/acp'],
    [
      'a token in a url',
      'at https://host/acp?access_token=abc&n=1',
      'at https://host/acp?access_token=<secret>',
    ],
    ['a key in a url', 'https://host/?key=abc&n=1', 'https://host/?key=<secret>&n=1'],
    ['a password', "password: 'hunter2'", "password: '<secret>'"],
  ])('%s is masked', (_, text, expected) => expect(redact(text)).toBe(expected));

  it.each([
    'chat 1: claude-agent-acp in /home/me/shop',
    'tester exited with code 1',
    'the token limit is reached',
    'npx -y @google/gemini-cli --acp',
    'task-list skipped',
    'a risk-free trial',
    'see https://a.test:8080/x@1 and mail me@a.test',
    'cookies are kept',
    'https://host/a@b?n=1',
    'mail me@host.org',
  ])('"%s" has none', (text) => expect(redact(text)).toBe(text));

  it('never reach the file, in no part of a line', () => {
    const { log, open, text } = aLog('debug');
    log.warn('early sk-ant-api03-AbCdEf123456');
    open();
    const cause = new Error('Authorization: Bearer hunter2');
    log.error('failed', new AcpError('bug', 'with OPENAI_API_KEY=hunter2', { cause }));
    log.error('failed', { password: 'hunter2' });
    for (const level of ['warn', 'info', 'debug'] as const) log[level]('token=hunter2');
    expect(text()).not.toMatch(/hunter2|AbCdEf/);
  });
});

describe('the file', () => {
  it('gets what was logged before it was open, in order', () => {
    const { log, open, text } = aLog();
    log.info('first');
    open();
    log.info('second');
    expect(text()).toMatch(/info {2}first\n.*info {2}second\n$/);
  });

  it('begins each line with the time and the level', () => {
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
  ])('at level %s has %j', (level, expected) => {
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

  it('has the level info when the one asked for is none', () => {
    const { log, open, text } = aLog('loud' as LogLevel);
    open();
    log.info('yes');
    log.debug('no');
    expect(text()).toMatch(/yes\n$/);
  });

  it('says what an error was caused by', () => {
    const { log, open, text } = aLog();
    open();
    log.error('failed', new Error('outer', { cause: new Error('inner') }));
    log.error('failed', 'a text');
    expect(text()).toMatch(/failed: Error: outer[\s\S]*caused by Error: inner[\s\S]*failed: a text/);
  });

  it('is for the eyes of the user alone', () => {
    const { open, file } = aLog();
    open();
    expect(fs.statSync(file).mode & 0o077).toBe(0);
  });

  it('is written on when it is there already', () => {
    const { log, open, file, text } = aLog();
    fs.mkdirSync(path.dirname(file));
    fs.writeFileSync(file, 'old\n');
    open();
    log.info('new');
    expect(text()).toMatch(/^old\n.*new\n$/);
  });

  it('is rotated when it grows too big, with one older file kept', () => {
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

  it('that can not be opened or written bothers nobody', () => {
    const folder = aFolder();
    fs.writeFileSync(path.join(folder, 'file'), '');
    const log = new FileLog();
    log.open(path.join(folder, 'file', 'acp.log'));
    log.open(folder);
    expect(() => log.error('x', new Error('y'))).not.toThrow();
  });

  it('keeps no more lines in memory than it must while it is not open', () => {
    const { log, open, text } = aLog();
    for (let count = 0; count < 1_000; count += 1) log.info(`${count}`);
    open();
    expect(text().trim().split('\n').length).toBeLessThan(300);
  });

  it('survives an error that can not be told', () => {
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
