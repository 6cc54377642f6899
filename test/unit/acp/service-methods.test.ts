import { describe, expect, it } from 'vitest';
import { type ServiceOptions, serviceMethods } from '../../../src/acp/service-methods.ts';
import { AcpError } from '../../../src/errors.ts';
import type { FileRead, FileWrite } from '../../../src/ports/files.ts';
import type { CommandRun, ExitStatus } from '../../../src/ports/terminals.ts';
import type { Services } from '../../../src/ports/workspace.ts';
import { Deferred } from '../../support/doubles.ts';
import { PipedConnection } from '../../support/piped-connection.ts';

/** Services that note what they are asked. */
function doubles() {
  const asked: (FileRead | FileWrite | CommandRun | string)[] = [];
  const exit = new Deferred<ExitStatus>();
  const services: Required<Pick<Services, 'files' | 'terminals'>> = {
    files: {
      read: async (request) => {
        asked.push(request);
        if (request.path === '/none') throw new AcpError('not_found', 'there is no /none');
        return 'text\n';
      },
      write: async (request) => void asked.push(request),
      list: async (path) => {
        asked.push(path);
        return [{ name: 'src', type: 'directory' }];
      },
    },
    terminals: {
      create: async (request) => {
        asked.push(request);
        return 't1';
      },
      output: () => ({ text: 'out', isTruncated: false, exit: undefined }),
      waitForExit: () => exit.promise,
      kill: async (id) => void asked.push(`kill ${id}`),
      release: async (id) => void asked.push(`release ${id}`),
    },
  };
  return { services, asked, exit };
}

function serve(options: Partial<ServiceOptions> = {}) {
  const { services, asked, exit } = doubles();
  const handlers = serviceMethods({
    offers: { files: true, terminals: true },
    servicesOf: (id) => (id === 's' ? services : undefined),
    hasProposals: false,
    isMissingEmpty: () => false,
    ...options,
  });
  const piped = new PipedConnection({ handlers });
  const call = async (method: string, params: object) => {
    piped.say({ id: 1, method, params: { sessionId: 's', ...params } });
    const { result, error } = await piped.answer(1);
    return result ?? error;
  };
  return { call, asked, exit, piped };
}

describe('the files', () => {
  it.each<[string, object, object]>([
    ['whole', {}, { line: 1, limit: undefined }],
    ['from a line on', { line: 3, limit: 5 }, { line: 3, limit: 5 }],
    ['from line 0, which is the first', { line: 0 }, { line: 1 }],
    ['with nulls', { line: null, limit: null }, { line: 1, limit: undefined }],
    ['without a line', { limit: 0 }, { limit: 0 }],
  ])('are read %s', async (_, params, expected) => {
    const { call, asked } = serve();
    expect(await call('fs/read_text_file', { path: '/a', ...params })).toEqual({ content: 'text\n' });
    expect(asked).toMatchObject([{ path: '/a', ...expected }]);
  });

  it('are written', async () => {
    const { call, asked } = serve();
    expect(await call('fs/write_text_file', { path: '/a', content: '' })).toEqual({});
    expect(asked).toEqual([{ path: '/a', content: '' }]);
  });

  it.each<[string, object, number, string]>([
    ['fs/read_text_file', { path: 'a' }, -32602, 'path must be an absolute path'],
    ['fs/read_text_file', {}, -32602, 'path must be a string; it is absent'],
    ['fs/read_text_file', { path: '/a', line: -1 }, -32602, 'line must be a whole number'],
    ['fs/read_text_file', { path: '/a', limit: 1.5 }, -32602, 'limit'],
    ['fs/read_text_file', { path: '/a', line: '1' }, -32602, 'line'],
    ['fs/read_text_file', { path: '/none' }, -32002, '/none'],
    ['fs/read_text_file', { path: '/a', sessionId: 'other' }, -32002, 'other'],
    ['fs/read_text_file', { path: '/a', sessionId: 5 }, -32602, 'sessionId'],
    ['fs/write_text_file', { path: '/a' }, -32602, 'content'],
    ['terminal/create', {}, -32602, 'command'],
    ['terminal/create', { command: 'ls', args: 'x' }, -32602, 'args must be a list of strings'],
    ['terminal/create', { command: 'ls', env: [{ name: 1 }] }, -32602, 'env'],
    ['terminal/create', { command: 'ls', cwd: 'here' }, -32602, 'cwd must be an absolute path'],
    ['terminal/create', { command: 'ls', outputByteLimit: -1 }, -32602, 'outputByteLimit'],
    ['terminal/output', {}, -32602, 'terminalId'],
    ['fs/list_directory', { path: '/' }, -32601, ''],
    ['terminal/run', { command: 'ls' }, -32601, ''],
  ])(
    'and terminals refuse a bad request by naming what is wrong: %s %j',
    async (method, params, code, text) => {
      const { call, asked } = serve();
      expect(await call(method, params)).toMatchObject({ code, message: expect.stringContaining(text) });
      expect(asked.filter((request) => typeof request === 'object' && !('line' in request))).toEqual([]);
    },
  );

  it('do not exist where they are not offered', async () => {
    const { call } = serve({ offers: { files: false, terminals: false } });
    expect(await call('fs/read_text_file', { path: '/a' })).toMatchObject({ code: -32601 });
    expect(await call('terminal/create', { command: 'ls' })).toMatchObject({ code: -32601 });
  });

  it('are listed where proposals are served', async () => {
    const { call } = serve({ hasProposals: true });
    expect(await call('fs/list_directory', { path: '/a' })).toEqual({
      entries: [{ name: 'src', type: 'directory' }],
    });
  });

  it('that are not there are empty for an agent that can’t bear the truth', async () => {
    const { call, asked } = serve({ isMissingEmpty: () => true });
    await call('fs/read_text_file', { path: '/a' });
    expect(asked).toMatchObject([{ isMissingEmpty: true }]);
  });
});

describe('the terminals', () => {
  it('are made as they are asked for', async () => {
    const { call, asked } = serve();
    const params = {
      command: 'ls',
      args: ['-l'],
      env: [{ name: 'A', value: 'b' }],
      cwd: '/w',
      outputByteLimit: 0,
    };
    expect(await call('terminal/create', params)).toEqual({ terminalId: 't1' });
    expect(asked).toEqual([{ command: 'ls', args: ['-l'], env: { A: 'b' }, cwd: '/w', byteLimit: 0 }]);
  });

  it('say what was written so far, and nothing of an exit', async () => {
    const { call } = serve();
    expect(await call('terminal/output', { terminalId: 't1' })).toEqual({ output: 'out', truncated: false });
  });

  it.each<[ExitStatus, object]>([
    [
      { code: 3, signal: undefined },
      { exitCode: 3, signal: null },
    ],
    [
      { code: undefined, signal: 'SIGKILL' },
      { exitCode: null, signal: 'SIGKILL' },
    ],
  ])('answer those who wait when the command has ended: %j', async (status, expected) => {
    const { call, exit } = serve();
    const waiting = call('terminal/wait_for_exit', { terminalId: 't1' });
    exit.resolve(status);
    expect(await waiting).toEqual(expected);
  });

  it('let nobody wait longer than they want to', async () => {
    const { call } = serve();
    expect(
      await call('terminal/wait_for_exit', { terminalId: 't1', _meta: { 'acp.nvim/timeout': 1 } }),
    ).toEqual({
      exitCode: null,
    });
  });

  it.each(['kill', 'release'])('do %s', async (verb) => {
    const { call, asked } = serve();
    expect(await call(`terminal/${verb}`, { terminalId: 't1' })).toEqual({});
    expect(asked).toEqual([`${verb} t1`]);
  });

  it('run to the end where proposals are served', async () => {
    const { call, exit } = serve({ hasProposals: true });
    exit.resolve({ code: 0, signal: undefined });
    expect(await call('terminal/run', { command: 'ls' })).toEqual({
      terminalId: 't1',
      output: 'out',
      exitCode: 0,
      signal: null,
    });
  });
});
