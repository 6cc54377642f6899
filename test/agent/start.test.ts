import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { AcpError } from '../../src/errors.ts';
import type { AgentSpec } from '../../src/ports/agent.ts';
import { it, SinkDouble, type Workshop } from '../support/agent-it.ts';

/** What a promise was rejected with. */
async function rejection(promise: Promise<unknown>): Promise<AcpError> {
  const error = await promise.then(
    (value) => new Error(`resolved with ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof AcpError)) throw error;
  return error;
}

/** The error of an agent that can't be started, and what its `gone` says. */
async function failure(workshop: Workshop, spec: AgentSpec) {
  const agent = workshop.launch(spec);
  const error = await rejection(agent.ready);
  return { agent, error, gone: await agent.gone };
}

describe.concurrent('a program that can not be started', () => {
  it('because it is not installed says how to get it', async ({ workshop }) => {
    const spec = {
      ...workshop.spec('x'),
      command: ['acp-no-such-agent', '--acp'],
      install: 'npm i -g tester',
    };
    const { error, gone } = await failure(workshop, spec);
    expect(error).toMatchObject({
      code: 'agent_missing',
      message: 'tester is not installed: "acp-no-such-agent" was not found.',
      hint: 'npm i -g tester, then :AcpRestart.',
    });
    expect(gone).toBe(error);
  });

  it('because it is not installed says where to put it when nobody knows more', async ({ workshop }) => {
    const { error } = await failure(workshop, { ...workshop.spec('x'), command: ['acp-no-such-agent'] });
    expect(error.hint).toBe('Put it on PATH or set agents.tester.command, then :AcpRestart.');
  });

  it('because the folder is not there names the folder', async ({ workshop }) => {
    const cwd = path.join(workshop.folder, 'gone');
    const { error } = await failure(workshop, { ...workshop.spec('silent.mjs'), cwd });
    expect(error).toMatchObject({
      code: 'agent_missing',
      message: expect.stringContaining(`no folder ${cwd}`),
    });
  });

  it('because the folder is a file says so', async ({ workshop }) => {
    const cwd = path.join(workshop.folder, 'file');
    fs.writeFileSync(cwd, '');
    const start = async () => failure(workshop, { ...workshop.spec('silent.mjs'), cwd });
    const error = await rejection(start());
    expect(error).toMatchObject({ code: 'agent_missing', message: expect.stringContaining('ENOTDIR') });
  });

  it.for<[string, string[]]>([
    ['empty', ['']],
    ['impossible', ['a\0b']],
  ])('because its name is %s says so', async ([, command], { workshop }) => {
    const start = async () => failure(workshop, { ...workshop.spec('x'), command });
    const error = await rejection(start());
    expect(error).toMatchObject({
      code: 'agent_missing',
      message: expect.stringMatching(/^tester could not be started/),
    });
  });

  it('because it may not be run names the command', async ({ workshop }) => {
    const file = path.join(workshop.folder, 'agent');
    fs.writeFileSync(file, 'x', { mode: 0o600 });
    const { error } = await failure(workshop, { ...workshop.spec('x'), command: [file, '--acp'] });
    expect(error).toMatchObject({
      code: 'agent_missing',
      message: expect.stringContaining('EACCES'),
      hint: `Check the command of agents.tester: ${file} --acp`,
    });
  });
});

describe.concurrent('an agent that dies at once', () => {
  it('is explained by its code and its last words', async ({ workshop }) => {
    const { error, gone } = await failure(workshop, workshop.spec('dying.mjs', '41'));
    expect(error).toMatchObject({
      code: 'agent_exited',
      message: 'tester exited with code 41.',
      detail: ['line 97', 'line 98', 'line 99', 'no key'],
      hint: ':AcpRestart starts it again.',
    });
    expect(gone).toEqual(error);
  });

  it('is explained by its signal', async ({ workshop }) => {
    const { error } = await failure(workshop, workshop.spec('dying.mjs', 'SIGKILL'));
    expect(error.message).toBe('tester was ended by SIGKILL.');
  });

  it('without an error is explained all the same', async ({ workshop }) => {
    const { error } = await failure(workshop, workshop.spec('dying.mjs', '0'));
    expect(error.message).toBe('tester exited with code 0.');
  });

  it('has what it wrote in the log', async ({ workshop }) => {
    await failure(workshop, workshop.spec('dying.mjs', '1'));
    expect(workshop.log.lines).toContain('debug tester stderr: no key');
  });
});

describe.concurrent('the handshake', () => {
  it('learns how the agent calls itself', async ({ workshop }) => {
    expect(await workshop.start('speaking.mjs').ready).toMatchObject({ name: 'tester', title: 'Fixture' });
  });

  it('tells who we are and only what we can do', async ({ workshop }) => {
    await workshop.start('speaking.mjs').ready;
    expect(workshop.sent).toMatchObject([
      {
        method: 'initialize',
        params: {
          protocolVersion: 1,
          clientInfo: { name: 'acp.nvim', version: expect.any(String) },
          clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
        },
      },
    ]);
  });

  it.for<[string, unknown, string]>([
    ['its name', { protocolVersion: 1, agentInfo: { name: 'raw', version: '1' } }, 'raw'],
    ['the name in the configuration', { protocolVersion: 1 }, 'tester'],
    ['that too when the answer is no object', 'hello', 'tester'],
    ['that too when the answer is a list', [1], 'tester'],
    ['that too when it says nothing of a version', { agentInfo: 5 }, 'tester'],
  ])('falls back to %s', async ([, answer, title], { workshop }) => {
    const agent = workshop.start('answering.mjs', JSON.stringify(answer));
    expect(await agent.ready).toMatchObject({ name: 'tester', title });
  });

  it.for([2, 0, '2', null, {}])(
    'refuses version %j, ends the agent and says what to do',
    async (version, { workshop }) => {
      const agent = workshop.start('answering.mjs', JSON.stringify({ protocolVersion: version }));
      const error = await rejection(agent.ready);
      expect(error).toMatchObject({
        code: 'agent_version',
        message: expect.stringMatching(/^tester speaks ACP version .*; this plugin speaks 1\.$/),
        hint: 'Update acp.nvim or the agent, then :AcpRestart.',
      });
      expect(await agent.gone, 'it was our wish').toBeUndefined();
    },
  );

  it('with an agent that never answers can be ended', async ({ workshop }) => {
    const agent = workshop.start('silent.mjs');
    const ready = rejection(agent.ready);
    await agent.end();
    expect(await ready).toMatchObject({ code: 'cancelled' });
    expect(await agent.gone).toBeUndefined();
  });
});

describe.concurrent('opening a session', () => {
  it('names the folder and no servers', async ({ workshop }) => {
    await workshop.open();
    const request = workshop.sent.find(({ method }) => method === 'session/new');
    expect(request?.params).toEqual({ cwd: workshop.folder, mcpServers: [] });
  });

  it('takes what the agent reports before it answers', async ({ workshop }) => {
    const { sink } = await workshop.open();
    expect(sink.text).toBe('early');
  });

  it.for<[string, unknown]>([
    ['without an id', {}],
    ['with an id that is no text', { sessionId: 5 }],
    ['with nothing', null],
    ['with a text', 'hello'],
  ])('fails when the agent answers %s', async ([, answer], { workshop }) => {
    const agent = workshop.start(
      'answering.mjs',
      JSON.stringify({ protocolVersion: 1 }),
      JSON.stringify(answer),
    );
    await agent.ready;
    const error = await rejection(agent.openSession({ how: 'new', cwd: workshop.folder }, new SinkDouble()));
    expect(error).toMatchObject({ code: 'agent_error', message: 'tester opened a session without an id.' });
  });
});
