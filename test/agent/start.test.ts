import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { AcpError } from '../../src/base/errors.ts';
import type { AgentSpec } from '../../src/ports/agent.ts';
import { type AgentHarness, it } from '../support/agents/agent-harness.ts';
import { SinkDouble } from '../support/doubles/sink.ts';
import { killAll } from '../support/system/processes.ts';

/** The reason a promise was rejected with. */
async function rejection(promise: Promise<unknown>): Promise<AcpError> {
  const error = await promise.then(
    (value) => new Error(`resolved with ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof AcpError)) throw error;
  return error;
}

/** The error of an agent that cannot be started, and the reason in its `gone`. */
async function failure(harness: AgentHarness, spec: AgentSpec) {
  const agent = harness.launch(spec);
  const error = await rejection(agent.ready);
  return { agent, error, gone: await agent.gone };
}

describe.concurrent('a program that cannot be started', () => {
  it('reports how to install it', async ({ harness }) => {
    const spec = {
      ...harness.spec('x'),
      command: ['acp-no-such-agent', '--acp'],
      install: 'npm i -g tester',
    };
    const { error, gone } = await failure(harness, spec);
    expect(error).toMatchObject({
      code: 'agent_missing',
      message: 'tester is not installed: "acp-no-such-agent" was not found.',
      detail: ['npm i -g tester'],
      hint: ':AcpAgents runs this command for you. The next prompt starts the agent.',
    });
    expect(gone).toBe(error);
  });

  it('reports how to install it if that is no command', async ({ harness }) => {
    const spec = {
      ...harness.spec('x'),
      command: ['acp-no-such-agent'],
      install: 'Install it from the shop',
    };
    const { error } = await failure(harness, spec);
    expect(error.detail).toEqual(['Install it from the shop']);
    expect(error.hint).toBe('Then the next prompt starts the agent.');
  });

  it('reports where to configure it if there is no install hint', async ({ harness }) => {
    const { error } = await failure(harness, { ...harness.spec('x'), command: ['acp-no-such-agent'] });
    expect(error.hint).toBe('Put it on PATH or set agents.tester.command, then :AcpRestart.');
  });

  it('reports that the folder does not exist', async ({ harness }) => {
    const cwd = path.join(harness.folder, 'gone');
    const { error } = await failure(harness, { ...harness.spec('silent.mjs'), cwd });
    expect(error).toMatchObject({
      code: 'agent_missing',
      message: expect.stringContaining(`folder ${cwd} does not exist`),
    });
  });

  it('reports that the folder is a file', async ({ harness }) => {
    const cwd = path.join(harness.folder, 'file');
    fs.writeFileSync(cwd, '');
    const start = async () => failure(harness, { ...harness.spec('silent.mjs'), cwd });
    const error = await rejection(start());
    expect(error).toMatchObject({ code: 'agent_missing', message: expect.stringContaining('ENOTDIR') });
  });

  it.for<[string, string[]]>([
    ['empty', ['']],
    ['impossible', ['a\0b']],
  ])('reports that its name is %s', async ([, command], { harness }) => {
    const start = async () => failure(harness, { ...harness.spec('x'), command });
    const error = await rejection(start());
    expect(error).toMatchObject({
      code: 'agent_missing',
      message: expect.stringMatching(/^tester could not be started/),
    });
  });

  it('reports the command that is not executable', async ({ harness }) => {
    const file = path.join(harness.folder, 'agent');
    fs.writeFileSync(file, 'x', { mode: 0o600 });
    const { error } = await failure(harness, { ...harness.spec('x'), command: [file, '--acp'] });
    expect(error).toMatchObject({
      code: 'agent_missing',
      message: expect.stringContaining('EACCES'),
      hint: `Check the command of agents.tester: ${file} --acp`,
    });
  });
});

describe.concurrent('an agent that exits immediately', () => {
  it('is reported with its exit code and its last stderr lines', async ({ harness }) => {
    const { error, gone } = await failure(harness, harness.spec('exits-immediately.mjs', '41'));
    expect(error).toMatchObject({
      code: 'agent_exited',
      message: 'tester exited with code 41.',
      detail: ['line 97', 'line 98', 'line 99', 'no key'],
      hint: ':AcpRestart starts it again.',
    });
    expect(gone).toEqual(error);
  });

  it('is reported with its signal', async ({ harness }) => {
    const { error } = await failure(harness, harness.spec('exits-immediately.mjs', 'SIGKILL'));
    expect(error.message).toBe('tester was killed by SIGKILL.');
  });

  it('is reported even if it exits with code 0', async ({ harness }) => {
    const { error } = await failure(harness, harness.spec('exits-immediately.mjs', '0'));
    expect(error.message).toBe('tester exited with code 0.');
  });

  it('is called as the chat called it before it was started again', async ({ harness }) => {
    const spec = { ...harness.spec('exits-immediately.mjs', '41'), title: 'Tester' };
    const { error } = await failure(harness, spec);
    expect(error.message).toBe('Tester exited with code 41.');
    const missing = { ...spec, command: ['acp-no-such-agent'] };
    expect((await failure(harness, missing)).error.message).toMatch(/^Tester is not installed:/);
  });

  it('has its stderr in the log', async ({ harness }) => {
    await failure(harness, harness.spec('exits-immediately.mjs', '1'));
    expect(harness.log.lines).toContain('debug tester stderr: no key');
  });
});

describe.concurrent('the handshake', () => {
  it('reads the name that the agent reports', async ({ harness }) => {
    expect(await harness.start('commands.mjs').ready).toMatchObject({ name: 'tester', title: 'Fixture' });
  });

  it('sends our name and only the capabilities we have', async ({ harness }) => {
    await harness.start('commands.mjs').ready;
    expect(harness.sent).toMatchObject([
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
    ['the configured name if the answer is not an object', 'hello', 'tester'],
    ['the configured name if the answer is a list', [1], 'tester'],
    ['the configured name if the version is missing', { agentInfo: 5 }, 'tester'],
  ])('shows %s', async ([, answer, title], { harness }) => {
    const agent = harness.start('answering.mjs', JSON.stringify(answer));
    expect(await agent.ready).toMatchObject({ name: 'tester', title });
  });

  it('is called by the name that it reports when it exits later', async ({ harness }) => {
    const agent = harness.start('answering.mjs', JSON.stringify({ agentInfo: { title: 'Tester Code' } }));
    await agent.ready;
    killAll(harness.marker);
    expect((await agent.gone)?.message).toBe('Tester Code was killed by SIGKILL.');
  });

  it.for([2, 0, '2', null, {}])(
    'rejects version %j, ends the agent and reports what to do',
    async (version, { harness }) => {
      const agent = harness.start('answering.mjs', JSON.stringify({ protocolVersion: version }));
      const error = await rejection(agent.ready);
      expect(error).toMatchObject({
        code: 'agent_version',
        message: expect.stringMatching(/^tester uses ACP version .*; this plugin supports version 1\.$/),
        hint: 'Update acp.nvim or the agent, then :AcpRestart.',
      });
      expect(await agent.gone, 'it was our wish').toBeUndefined();
    },
  );

  it('can be ended while the agent does not answer', async ({ harness }) => {
    const agent = harness.start('silent.mjs');
    const ready = rejection(agent.ready);
    await agent.end();
    expect(await ready).toMatchObject({ code: 'cancelled' });
    expect(await agent.gone).toBeUndefined();
  });
});

describe.concurrent('opening a session', () => {
  it('sends the folder and an empty list of MCP servers', async ({ harness }) => {
    await harness.open();
    const request = harness.sent.find(({ method }) => method === 'session/new');
    expect(request?.params).toEqual({ cwd: harness.folder, mcpServers: [] });
  });

  it('accepts updates that arrive before the response', async ({ harness }) => {
    const { sink } = await harness.open();
    expect(sink.text).toBe('early');
  });

  it.for<[string, unknown]>([
    ['without an id', {}],
    ['with an id that is not a string', { sessionId: 5 }],
    ['with nothing', null],
    ['with a text', 'hello'],
  ])('fails when the agent answers %s', async ([, answer], { harness }) => {
    const agent = harness.start(
      'answering.mjs',
      JSON.stringify({ protocolVersion: 1 }),
      JSON.stringify(answer),
    );
    await agent.ready;
    const error = await rejection(
      agent.openSession({ method: 'new', cwd: harness.folder }, new SinkDouble()),
    );
    expect(error).toMatchObject({ code: 'agent_error', message: 'tester opened a session without an id.' });
  });
});
