import { describe, expect } from 'vitest';
import { AcpError } from '../../../src/errors.ts';
import type { CommandRun, ExitStatus, TerminalService } from '../../../src/ports/terminals.ts';
import type { Workspace } from '../../../src/ports/workspace.ts';
import { it, type Workshop } from '../../support/agent-it.ts';
import { Deferred } from '../../support/doubles.ts';
import { meet } from '../../support/encounter.ts';
import { done, update } from '../../support/stage.ts';
import { withoutBuffers } from '../../support/workspace.ts';

interface Run {
  readonly request: CommandRun;
  readonly exit: Deferred<ExitStatus>;
  status?: ExitStatus;
  text: string;
  isTruncated: boolean;
}

/** Commands that do what the test says. The real ones have tests of their own. */
class TerminalsDouble implements TerminalService {
  readonly runs = new Map<string, Run>();
  isDisposed = false;

  create(request: CommandRun): Promise<string> {
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
    if (!run) throw new AcpError('not_found', `there is no terminal ${terminalId}`);
    return run;
  }
}

/** An agent with terminals, and how it uses them. */
async function withTerminals(workshop: Workshop) {
  const terminals = new TerminalsDouble();
  const dispose = () => {
    terminals.isDisposed = true;
  };
  const workspace: Workspace = {
    offers: { files: false, terminals: true },
    open: () => ({ terminals, abandon: () => undefined, dispose }),
  };
  const encounter = await meet(workshop, { workspace });
  await encounter.begin();
  const { agent, session } = encounter;
  const call = (name: string, fields: object = {}) =>
    agent.ask(`terminal/${name}`, { sessionId: 's1', terminalId: 't1', ...fields });
  const create = (fields: object = {}) =>
    agent.ask('terminal/create', { sessionId: 's1', command: 'make', ...fields });
  return { agent, session, terminals, call, create };
}

const killed = { exitCode: null, signal: 'SIGTERM' };

describe.concurrent('a terminal', () => {
  it('TERM-1: has its id while its command runs', async ({ workshop }) => {
    const { create, terminals } = await withTerminals(workshop);
    expect((await create()).result).toEqual({ terminalId: 't1' });
    expect(terminals.run('t1').status).toBeUndefined();
  });

  it('TERM-2: keeps as much as the agent wants, and tells that it cut', async ({ workshop }) => {
    const { create, call, terminals } = await withTerminals(workshop);
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

  it('TERM-3: tells its output at once, and how it ended only when it has', async ({ workshop }) => {
    const { create, call, terminals } = await withTerminals(workshop);
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
  ])('TERM-4: answers all who wait for its end: by %s', async ([how, status], { workshop }) => {
    const { agent, create, call, terminals } = await withTerminals(workshop);
    await create();
    const waiting = [call('wait_for_exit'), call('wait_for_exit')];
    await agent.isUnderstood();
    expect(agent.heard.filter(({ result }) => JSON.stringify(result)?.includes('exitCode'))).toEqual([]);
    if (how === 'exit') terminals.end('t1', { code: 0, signal: undefined });
    else await call(how);
    expect((await Promise.all(waiting)).map(({ result }) => result)).toEqual([status, status]);
  });

  it('TERM-5: can be asked for its output after its command was killed', async ({ workshop }) => {
    const { create, call, terminals } = await withTerminals(workshop);
    await create();
    terminals.run('t1').text = 'half';
    expect((await call('kill')).result).toEqual({});
    expect((await call('output')).result).toEqual({ output: 'half', truncated: false, exitStatus: killed });
    expect((await call('wait_for_exit')).result).toEqual(killed);
    expect((await call('kill')).result).toEqual({});
  });

  it('TERM-6: is unknown after its release', async ({ workshop }) => {
    const { create, call } = await withTerminals(workshop);
    await create();
    expect((await call('release')).result).toEqual({});
    for (const name of ['output', 'wait_for_exit', 'kill', 'release']) {
      expect((await call(name)).error?.code).toBe(-32002);
    }
  });

  it('TERM-8: gets its folder and variables as they were given, and ends with its session', async ({
    workshop,
  }) => {
    const { session, create, terminals } = await withTerminals(workshop);
    await create({ cwd: null });
    await create({ cwd: workshop.folder, env: [{ name: 'A', value: '1' }], args: ['-j', '2'] });
    expect((await create({ cwd: 'src' })).error?.code).toBe(-32602);
    expect([...terminals.runs.values()].map(({ request }) => request)).toEqual([
      { command: 'make', args: [], env: {}, cwd: undefined, byteLimit: undefined },
      { command: 'make', args: ['-j', '2'], env: { A: '1' }, cwd: workshop.folder, byteLimit: undefined },
    ]);
    expect(terminals.isDisposed).toBe(false);
    await session.end();
    expect(terminals.isDisposed).toBe(true);
  });

  it('TERM-9: gets a whole line as the command, if that is what the agent gives', async ({ workshop }) => {
    const { create, terminals } = await withTerminals(workshop);
    await create({ command: 'cd src && make | tail -3' });
    expect(terminals.run('t1').request).toMatchObject({ command: 'cd src && make | tail -3', args: [] });
  });

  it('TERM-7: goes on being shown in its tool call after its release', async ({ workshop }) => {
    const encounter = await meet(workshop, { workspace: withoutBuffers(workshop.leash) });
    await encounter.begin();
    const { agent } = encounter;
    const prompt = await encounter.prompt();
    const created = agent.ask('terminal/create', {
      sessionId: 's1',
      command: 'sh',
      args: ['-c', 'echo baked; exit 3'],
    });
    await encounter.choose('allow');
    const { terminalId } = (await created).result as { terminalId: string };
    agent.say(
      update('tool_call', { toolCallId: 'c1', title: 'bake', content: [{ type: 'terminal', terminalId }] }),
    );
    await agent.ask('terminal/wait_for_exit', { sessionId: 's1', terminalId });
    await agent.ask('terminal/release', { sessionId: 's1', terminalId });
    agent.say({ id: prompt.id, result: done });
    await encounter.phase('idle');
    expect(encounter.openChat.join('\n')).toContain('baked');
  });
});
