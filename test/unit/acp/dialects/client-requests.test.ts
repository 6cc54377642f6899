import { describe, expect, it } from 'vitest';
import {
  answer,
  chunk,
  DialectHarness,
  notification,
  refusal,
  request,
  type Wire,
} from '../../../support/dialects/dialect-harness.ts';
import { violationsOfCall } from '../../../support/schema.ts';

const env = [
  { name: 'A', value: '1' },
  { name: 'B', value: 'x=y' },
];
const run = { sessionId: 's1', command: 'npm' };
const terminal = { sessionId: 's1', terminalId: 'x' };

/** An agent that has sent a shape of one document. */
const agentOf = (source: 'A' | 'B' | 'E' | 'none') => {
  const talk = new DialectHarness();
  const signs = {
    A: { sessionId: 's1', contentChunk: { id: 'p', delta: 'hi' } },
    B: { sessionId: 's1', update: { type: 'message', content: [] } },
    E: { sessionId: 's1', type: 'text', content: { text: 'hi' } },
    none: { sessionId: 's1', update: chunk('hi') },
  };
  talk.receive(notification('session/update', signs[source]));
  return talk;
};

describe('file and terminal requests', () => {
  it.each<[rule: string, method: string, wire: Wire, canonical: Wire]>([
    [
      'B: startLine, lineLimit',
      'fs/read_text_file',
      { sessionId: 's1', path: '/a', startLine: 10, lineLimit: 50 },
      { sessionId: 's1', path: '/a', line: 10, limit: 50 },
    ],
    [
      'E: fs, terminal without sessionId',
      'fs/read_text_file',
      { path: '/a' },
      { sessionId: 's1', path: '/a' },
    ],
    [
      'E: fs, terminal without sessionId',
      'fs/write_text_file',
      { path: '/a', content: 'x' },
      { sessionId: 's1', path: '/a', content: 'x' },
    ],
    [
      'any: file_path',
      'fs/write_text_file',
      { session_id: 's1', file_path: '/a', content: 'x' },
      { sessionId: 's1', path: '/a', content: 'x' },
    ],
    ['A,B: env map', 'terminal/create', { ...run, env: { A: 1, B: 'x=y', C: null } }, { ...run, env }],
    ['A,B: env map', 'terminal/create', { ...run, env: ['A=1', 'B=x=y'] }, { ...run, env }],
    ['A,B: env map', 'terminal/create', { ...run, env: {} }, { ...run, env: [] }],
    [
      'A: outputBytesLimit',
      'terminal/create',
      { ...run, outputBytesLimit: 1024 },
      { ...run, outputByteLimit: 1024 },
    ],
    [
      'any: snake_case keys',
      'terminal/create',
      { ...run, output_byte_limit: 1024 },
      { ...run, outputByteLimit: 1024 },
    ],
    [
      'B: wait_for_exit timeout',
      'terminal/wait_for_exit',
      { ...terminal, timeout: 30_000 },
      { ...terminal, _meta: { 'acp.nvim/timeout': 30_000, 'acp.nvim/output': true } },
    ],
  ])('%s: %s %j', (rule, method, wire, canonical) => {
    const talk = new DialectHarness();
    expect(talk.receive(request(7, method, wire))).toEqual([request(7, method, canonical)]);
    expect(talk.rules).toContain(rule);
    expect(violationsOfCall(method, canonical)).toEqual([]);
  });

  it.each(['fs/list_directory', 'terminal/run'])(
    'E: %s gets the session id and stays otherwise unchanged',
    (method) => {
      const message = request(7, method, { sessionId: 's1', path: '/a', command: 'ls' });
      expect(new DialectHarness().receive(message)[0]).toBe(message);
    },
  );

  it('keep canonical environment variables', () => {
    const message = request(7, 'terminal/create', { ...run, env, args: [] });
    expect(new DialectHarness().receive(message)[0]).toBe(message);
  });
});

describe('answers to file and terminal requests', () => {
  const write = { sessionId: 's1', path: '/a', content: 'x' };
  const ended = { output: 'ok', truncated: false, exitStatus: { exitCode: 0, signal: null } };
  const killed = { output: 'ok', truncated: false, exitStatus: { exitCode: null, signal: 'TERM' } };
  const running = { output: 'ok', truncated: false };
  const withOutput = { exitCode: 0, signal: null, _meta: { 'acp.nvim/output': 'ok' } };

  it.each<['A' | 'B' | 'E' | 'none', string, Wire, Wire, unknown]>([
    ['A', 'fs/write_text_file', write, {}, null],
    ['B', 'fs/write_text_file', write, {}, null],
    ['E', 'fs/write_text_file', write, {}, null],
    ['none', 'fs/write_text_file', write, {}, {}],
    ['none', 'fs/write_text_file', { path: '/a', content: 'x' }, {}, null],
    ['A', 'terminal/output', terminal, running, running],
    ['A', 'terminal/output', terminal, ended, { ...ended, exitCode: 0 }],
    ['A', 'terminal/output', terminal, killed, { ...killed, signal: 'TERM' }],
    ['B', 'terminal/output', terminal, running, { ...running, exitCode: null }],
    ['B', 'terminal/output', terminal, ended, { ...ended, exitCode: 0 }],
    ['E', 'terminal/output', terminal, ended, ended],
    ['none', 'terminal/output', terminal, ended, ended],
    ['B', 'terminal/wait_for_exit', terminal, withOutput, { exitCode: 0, signal: null, output: 'ok' }],
    [
      'B',
      'terminal/wait_for_exit',
      { ...terminal, timeout: 5 },
      { ...withOutput, exitCode: null },
      { exitCode: null, signal: null, output: 'ok' },
    ],
    ['A', 'terminal/wait_for_exit', terminal, { exitCode: 0, signal: null }, { exitCode: 0, signal: null }],
    [
      'B',
      'fs/read_text_file',
      { sessionId: 's1', path: '/a', startLine: 1 },
      { content: '' },
      { content: '' },
    ],
  ])('%s: %s %j %j', (source, method, params, ours, theirs) => {
    const talk = agentOf(source);
    talk.receive(request(7, method, params));
    expect(talk.respond(7, ours)).toEqual(answer(7, theirs));
    expect(talk.dialects.outbound(answer(7, ours))).toEqual(answer(7, ours));
  });

  it.each<[string, Wire, unknown]>([
    ['A', { permissionId: 'p', title: 'Edit' }, { ...ended, exitCode: 0 }],
    [
      'B',
      { title: 'Edit', options: [{ optionId: 'y', kind: 'allow_once', label: 'Y' }] },
      { ...ended, exitCode: 0 },
    ],
    ['D', { message: 'Edit', options: [{ optionId: 'y', kind: 'allow', label: 'Y' }] }, ended],
    ['E', { description: 'Edit', options: [{ id: 'once', label: 'Y' }] }, ended],
  ])('%s: the document is also recognised by permission requests', (source, question, theirs) => {
    const talk = new DialectHarness();
    talk.receive(request(1, 'session/request_permission', { sessionId: 's1', ...question }));
    talk.receive(request(2, 'fs/write_text_file', write));
    talk.receive(request(3, 'terminal/output', terminal));
    expect(talk.respond(2, {})).toEqual(answer(2, source === 'D' ? {} : null));
    expect(talk.respond(3, ended)).toEqual(answer(3, theirs));
  });

  it.each<['A' | 'B' | 'E', string, string]>([
    ['E', 'fs/write_text_file', 'A,B,C,E: write result null'],
    ['A', 'terminal/output', 'A: terminal/output flat'],
    ['B', 'terminal/output', 'B: terminal/output flat'],
    ['B', 'terminal/wait_for_exit', 'B: wait_for_exit with output'],
  ])('%s: %s is logged as "%s"', (source, method, rule) => {
    const talk = agentOf(source);
    talk.receive(request(7, method, terminal));
    expect(talk.rules).toContain(rule);
  });

  it('B: every wait_for_exit asks the terminal service for the output', () => {
    const [heard] = agentOf('B').receive(request(7, 'terminal/wait_for_exit', terminal));
    expect(heard).toEqual(
      request(7, 'terminal/wait_for_exit', { ...terminal, _meta: { 'acp.nvim/output': true } }),
    );
  });

  it.each(['fs/write_text_file', 'terminal/output', 'terminal/wait_for_exit'])(
    'an error of %s is not changed',
    (method) => {
      const talk = agentOf('B');
      talk.receive(request(7, method, terminal));
      const error = refusal(7, -32002);
      expect(talk.dialects.outbound(error)).toBe(error);
    },
  );
});
