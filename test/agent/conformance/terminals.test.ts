import { describe, expect } from 'vitest';
import { AcpError } from '../../../src/base/errors.ts';
import type { CommandRequest, ExitStatus, TerminalService } from '../../../src/ports/terminals.ts';
import type { Workspace } from '../../../src/ports/workspace.ts';
import { type AgentHarness, it } from '../../support/agents/agent-harness.ts';
import { done, update } from '../../support/agents/messages.ts';
import { aScenario } from '../../support/agents/session-scenario.ts';
import { Deferred } from '../../support/doubles/deferred.ts';
import { withoutBuffers } from '../../support/workspace/workspace.ts';

interface Run {
  readonly request: CommandRequest;
  readonly exit: Deferred<ExitStatus>;
  status?: ExitStatus;
  text: string;
  isTruncated: boolean;
}

/** Commands that the test controls. Real commands have their own tests. */
class TerminalsDouble implements TerminalService {
  readonly runs = new Map<string, Run>();
  isDisposed = false;

  create(request: CommandRequest): Promise<string> {
    const terminalId = `t${this.runs.size + 1}`;
    this.runs.set(terminalId, { request, exit: new Deferred(), text: '', isTruncated: false });
    return Promise.resolve(terminalId);
  }

  output(terminalId: string) {
    const { text, isTruncated, status } = this.run(terminalId);
    return { text, isTruncated, exit: status };
  }

  waitForExit(terminalId: string): Promise<ExitStatus> {
    return this.run(terminalId).exit.promise;
  }

  async kill(terminalId: string): Promise<void> {
    this.end(terminalId, { code: undefined, signal: 'SIGTERM' });
  }

  async release(terminalId: string): Promise<void> {
    await this.kill(terminalId);
    this.runs.delete(terminalId);
  }

  end(terminalId: string, status: ExitStatus): void {
    const run = this.run(terminalId);
    run.status ??= status;
    run.exit.resolve(run.status);
  }

  run(terminalId: string): Run {
    const run = this.runs.get(terminalId);
    if (!run) throw new AcpError('not_found', `unknown terminal ${terminalId}`);
    return run;
  }
}

/** An agent with terminals, and functions that call its terminal methods. */
async function withTerminals(harness: AgentHarness) {
  const terminals = new TerminalsDouble();
  const end = async () => {
    terminals.isDisposed = true;
  };
  const workspace: Workspace = {
    offers: { files: false, terminals: true },
    open: () => ({ terminals, abandon: () => undefined, end }),
  };
  const scenario = aScenario(harness, { workspace });
  await scenario.begin();
  const { agent, session } = scenario;
  const call = (name: string, fields: object = {}) =>
    agent.request(`terminal/${name}`, { sessionId: 's1', terminalId: 't1', ...fields });
  const create = (fields: object = {}) =>
    agent.request('terminal/create', { sessionId: 's1', command: 'make', ...fields });
  return { agent, session, terminals, call, create };
}

const killed = { exitCode: null, signal: 'SIGTERM' };

describe.concurrent('a terminal', () => {
  it('TERM-1: has an id while its command runs', async ({ harness }) => {
    const { create, terminals } = await withTerminals(harness);
    expect((await create()).result).toEqual({ terminalId: 't1' });
    expect(terminals.run('t1').status).toBeUndefined();
  });

  it('TERM-2: keeps as much output as the agent wants, and reports truncation', async ({ harness }) => {
    const { create, call, terminals } = await withTerminals(harness);
    await create({ outputByteLimit: 5 });
    expect(terminals.run('t1').request.byteLimit).toBe(5);
    Object.assign(terminals.run('t1'), { text: 'ä€', isTruncated: true });
    expect((await call('output')).result).toEqual({ output: 'ä€', truncated: true });
    for (const outputByteLimit of [-1, 1.5, '5']) {
      expect((await create({ outputByteLimit })).error?.code).toBe(-32602);
    }
    await create({ outputByteLimit: null });
    expect(terminals.run('t2').request.byteLimit).toBeUndefined();
  });

  it('TERM-3: returns its output immediately, and the exit status only after the exit', async ({
    harness,
  }) => {
    const { create, call, terminals } = await withTerminals(harness);
    await create();
    expect((await call('output')).result).toEqual({ output: '', truncated: false });
    terminals.run('t1').text = 'half';
    expect((await call('output')).result).toEqual({ output: 'half', truncated: false });
    terminals.end('t1', { code: 2, signal: undefined });
    const exitStatus = { exitCode: 2, signal: null };
    expect((await call('output')).result).toEqual({ output: 'half', truncated: false, exitStatus });
  });

  it.for<[string, object]>([
    ['exit', { exitCode: 0, signal: null }],
    ['kill', killed],
    ['release', killed],
  ])('TERM-4: answers all pending waits: by %s', async ([how, status], { harness }) => {
    const { agent, create, call, terminals } = await withTerminals(harness);
    await create();
    const waiting = [call('wait_for_exit'), call('wait_for_exit')];
    await agent.waitUntilProcessed();
    expect(agent.received.filter(({ result }) => JSON.stringify(result)?.includes('exitCode'))).toEqual([]);
    if (how === 'exit') terminals.end('t1', { code: 0, signal: undefined });
    else await call(how);
    expect((await Promise.all(waiting)).map(({ result }) => result)).toEqual([status, status]);
  });

  it('TERM-5: returns its output after its command was killed', async ({ harness }) => {
    const { create, call, terminals } = await withTerminals(harness);
    await create();
    terminals.run('t1').text = 'half';
    expect((await call('kill')).result).toEqual({});
    expect((await call('output')).result).toEqual({ output: 'half', truncated: false, exitStatus: killed });
    expect((await call('wait_for_exit')).result).toEqual(killed);
    expect((await call('kill')).result).toEqual({});
  });

  it('TERM-6: is unknown after its release', async ({ harness }) => {
    const { create, call } = await withTerminals(harness);
    await create();
    expect((await call('release')).result).toEqual({});
    for (const name of ['output', 'wait_for_exit', 'kill', 'release']) {
      expect((await call(name)).error?.code).toBe(-32002);
    }
  });

  it('TERM-8: uses the given folder and variables, and ends with its session', async ({ harness }) => {
    const { session, create, terminals } = await withTerminals(harness);
    await create({ cwd: null });
    await create({ cwd: harness.folder, env: [{ name: 'A', value: '1' }], args: ['-j', '2'] });
    expect((await create({ cwd: 'src' })).error?.code).toBe(-32602);
    expect([...terminals.runs.values()].map(({ request }) => request)).toEqual([
      { command: 'make', args: [], env: {}, cwd: undefined, byteLimit: undefined },
      { command: 'make', args: ['-j', '2'], env: { A: '1' }, cwd: harness.folder, byteLimit: undefined },
    ]);
    expect(terminals.isDisposed).toBe(false);
    await session.end();
    expect(terminals.isDisposed).toBe(true);
  });

  it('TERM-9: accepts a whole line as the command', async ({ harness }) => {
    const { create, terminals } = await withTerminals(harness);
    await create({ command: 'cd src && make | tail -3' });
    expect(terminals.run('t1').request).toMatchObject({ command: 'cd src && make | tail -3', args: [] });
  });

  it('TERM-7: is still shown in its tool call after its release', async ({ harness }) => {
    const scenario = aScenario(harness, { workspace: withoutBuffers(harness.orphanGuard) });
    await scenario.begin();
    const { agent } = scenario;
    const prompt = await scenario.prompt();
    const created = agent.request('terminal/create', {
      sessionId: 's1',
      command: 'sh',
      args: ['-c', 'echo baked; exit 3'],
    });
    await scenario.choose('allow');
    const { terminalId } = (await created).result as { terminalId: string };
    agent.send(
      update('tool_call', { toolCallId: 'c1', title: 'bake', content: [{ type: 'terminal', terminalId }] }),
    );
    await agent.request('terminal/wait_for_exit', { sessionId: 's1', terminalId });
    await agent.request('terminal/release', { sessionId: 's1', terminalId });
    agent.send({ id: prompt.id, result: done });
    await scenario.phase('idle');
    expect(scenario.openChat.join('\n')).toContain('baked');
  });
});
