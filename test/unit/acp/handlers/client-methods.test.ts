import { describe, expect, it } from 'vitest';
import { type ClientMethodOptions, clientMethods } from '../../../../src/acp/handlers/client-methods.ts';
import { AcpError } from '../../../../src/base/errors.ts';
import type { FileRead, FileWrite } from '../../../../src/ports/files.ts';
import type { CommandRequest, ExitStatus } from '../../../../src/ports/terminals.ts';
import type { Services } from '../../../../src/ports/workspace.ts';
import { PipedConnection } from '../../../support/agents/piped-connection.ts';
import { Deferred } from '../../../support/doubles/deferred.ts';

/** Services that record their calls. */
function doubles() {
  const asked: (FileRead | FileWrite | CommandRequest | string)[] = [];
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

function serve(options: Partial<ClientMethodOptions> = {}) {
  const { services, asked, exit } = doubles();
  const handlers = clientMethods({
    offers: { files: true, terminals: true },
    servicesOf: (id) => (id === 's' ? services : undefined),
    hasProposals: false,
    readsMissingFileAsEmpty: () => false,
    ...options,
  });
  const piped = new PipedConnection({ handlers });
  const call = async (method: string, params: object) => {
    piped.send({ id: 1, method, params: { sessionId: 's', ...params } });
    const { result, error } = await piped.answer(1);
    return result ?? error;
  };
  return { call, asked, exit, piped };
}

describe('fs methods', () => {
  it.each<[string, object, object]>([
    ['the whole file', {}, { line: 1, limit: undefined }],
    ['from a line', { line: 3, limit: 5 }, { line: 3, limit: 5 }],
    ['from line 0 as line 1', { line: 0 }, { line: 1 }],
    ['with null parameters', { line: null, limit: null }, { line: 1, limit: undefined }],
    ['with a limit only', { limit: 0 }, { limit: 0 }],
  ])('read %s', async (_, params, expected) => {
    const { call, asked } = serve();
    expect(await call('fs/read_text_file', { path: '/a', ...params })).toEqual({ content: 'text\n' });
    expect(asked).toMatchObject([{ path: '/a', ...expected }]);
  });

  it('write a file', async () => {
    const { call, asked } = serve();
    expect(await call('fs/write_text_file', { path: '/a', content: '' })).toEqual({});
    expect(asked).toEqual([{ path: '/a', content: '' }]);
  });

  it.each<[string, object, number, string]>([
    ['fs/read_text_file', { path: 'a' }, -32602, 'path must be an absolute path'],
    ['fs/read_text_file', {}, -32602, 'path must be a string, but is missing'],
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
    'answer an invalid request with the name of the parameter: %s %j',
    async (method, params, code, text) => {
      const { call, asked } = serve();
      expect(await call(method, params)).toMatchObject({ code, message: expect.stringContaining(text) });
      expect(asked.filter((request) => typeof request === 'object' && !('line' in request))).toEqual([]);
    },
  );

  it('do not exist unless they are offered', async () => {
    const { call } = serve({ offers: { files: false, terminals: false } });
    expect(await call('fs/read_text_file', { path: '/a' })).toMatchObject({ code: -32601 });
    expect(await call('terminal/create', { command: 'ls' })).toMatchObject({ code: -32601 });
  });

  it('list a folder if proposals are enabled', async () => {
    const { call } = serve({ hasProposals: true });
    expect(await call('fs/list_directory', { path: '/a' })).toEqual({
      entries: [{ name: 'src', type: 'directory' }],
    });
  });

  it('read a missing file as empty for agents with that quirk', async () => {
    const { call, asked } = serve({ readsMissingFileAsEmpty: () => true });
    await call('fs/read_text_file', { path: '/a' });
    expect(asked).toMatchObject([{ isMissingEmpty: true }]);
  });
});

describe('terminal methods', () => {
  it('create a terminal with all parameters', async () => {
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

  it('return the output without an exit status while the command runs', async () => {
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
  ])('answer wait_for_exit when the command has ended: %j', async (status, expected) => {
    const { call, exit } = serve();
    const waiting = call('terminal/wait_for_exit', { terminalId: 't1' });
    exit.resolve(status);
    expect(await waiting).toEqual(expected);
  });

  it('limit wait_for_exit to the requested time', async () => {
    const { call } = serve();
    expect(
      await call('terminal/wait_for_exit', { terminalId: 't1', _meta: { 'acp.nvim/timeout': 1 } }),
    ).toEqual({
      exitCode: null,
    });
  });

  it.each(['kill', 'release'])('%s a terminal', async (verb) => {
    const { call, asked } = serve();
    expect(await call(`terminal/${verb}`, { terminalId: 't1' })).toEqual({});
    expect(asked).toEqual([`${verb} t1`]);
  });

  it('run a command to its end if proposals are enabled', async () => {
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
