import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { AgentPool } from '../../src/acp/agent-pool.ts';
import { textPrompt } from '../../src/model/prompt.ts';
import { type AgentHarness, it } from '../support/agents/agent-harness.ts';
import { SinkDouble } from '../support/doubles/sink.ts';
import { buildOnce, tourPath } from '../support/system/build.ts';

/** A tour agent that stores its sessions on disk. */
async function aTour(harness: AgentHarness) {
  await buildOnce();
  const memory = path.join(harness.folder, 'memory');
  fs.mkdirSync(memory, { recursive: true });
  const env = { ...harness.env, ACP_TOUR_PACE: '0', ACP_TOUR_MEMORY: memory };
  const spec = { name: 'tour', command: [process.execPath, tourPath], env, cwd: harness.folder };
  const start = () => harness.launch(spec);
  return { spec, start, cwd: harness.folder };
}

const roles = (sink: SinkDouble) => [
  ...new Set(sink.events.map((event) => (event.kind === 'chunk' ? event.role : event.kind))),
];

describe.concurrent('sessions of an agent', () => {
  it('share one connection, each with its own updates and folder', async ({ harness }) => {
    const { start, cwd } = await aTour(harness);
    const agent = start();
    const other = path.join(cwd, 'other');
    fs.mkdirSync(other);
    const [one, two] = [new SinkDouble(), new SinkDouble()];
    const first = await agent.openSession({ method: 'new', cwd }, one);
    const second = await agent.openSession({ method: 'new', cwd: other }, two);
    await Promise.all([agent.prompt(first, textPrompt('plan')), agent.prompt(second, textPrompt('think'))]);
    expect(roles(one)).toContain('plan');
    expect(roles(two)).toContain('thought');
    expect(roles(one)).not.toContain('thought');
    expect((await agent.listSessions(other)).map(({ sessionId }) => sessionId)).toEqual([second]);
    expect(await agent.listSessions(undefined)).toHaveLength(2);
  });

  it('are replayed before the response to session/load, also in another process', async ({ harness }) => {
    const { start, cwd } = await aTour(harness);
    const first = start();
    const before = new SinkDouble();
    const sessionId = await first.openSession({ method: 'new', cwd }, before);
    await first.prompt(sessionId, textPrompt('plan'));
    await first.end();
    const second = start();
    const after = new SinkDouble();
    expect(await second.openSession({ method: 'load', sessionId, cwd }, after)).toBe(sessionId);
    expect(roles(after)).toEqual(expect.arrayContaining(['user', 'agent', 'plan', 'settings']));
    const [kept] = await second.listSessions(cwd);
    expect(kept).toMatchObject({ sessionId, cwd, title: 'Plan' });
    expect(kept?.updatedAt).toBeGreaterThan(0);
  });

  it('are not replayed by session/resume', async ({ harness }) => {
    const { start, cwd } = await aTour(harness);
    const agent = start();
    const sessionId = await agent.openSession({ method: 'new', cwd }, new SinkDouble());
    await agent.prompt(sessionId, textPrompt('hello'));
    await agent.closeSession(sessionId);
    const after = new SinkDouble();
    await agent.openSession({ method: 'resume', sessionId, cwd }, after);
    expect(roles(after)).not.toContain('user');
    expect(await agent.prompt(sessionId, textPrompt('hello'))).toBe('end_turn');
  });

  it('can be deleted, even twice', async ({ harness }) => {
    const { start, cwd } = await aTour(harness);
    const agent = start();
    const sessionId = await agent.openSession({ method: 'new', cwd }, new SinkDouble());
    await agent.deleteSession(sessionId);
    await agent.deleteSession(sessionId);
    expect(await agent.listSessions(cwd)).toEqual([]);
  });

  it('cannot be loaded after they were deleted, and their updates are dropped', async ({ harness }) => {
    const { start, cwd } = await aTour(harness);
    const opening = start().openSession({ method: 'load', sessionId: 'never', cwd }, new SinkDouble());
    await expect(opening).rejects.toThrow('Session never does not exist');
  });

  it('share a program in a pool, which ends with the last session', async ({ harness }) => {
    const { spec } = await aTour(harness);
    let starts = 0;
    const pool = new AgentPool({
      launch: (wanted) => {
        starts += 1;
        return harness.launch(wanted);
      },
    });
    const [one, other] = [pool.launch(spec), pool.launch(spec)];
    const sink = new SinkDouble();
    const [first] = await Promise.all([
      one.openSession({ method: 'new', cwd: spec.cwd }, new SinkDouble()),
      other.openSession({ method: 'new', cwd: spec.cwd }, sink),
    ]);
    await one.end();
    const [second] = (await other.agent.listSessions(undefined)).filter(
      ({ sessionId }) => sessionId !== first,
    );
    expect(await other.agent.prompt(second!.sessionId, textPrompt('hello'))).toBe('end_turn');
    await other.end();
    expect(await other.gone).toBeUndefined();
    expect(starts).toBe(1);
  });
});

describe.concurrent('a method that the agent does not offer', () => {
  it.for<[string, (agent: ReturnType<AgentHarness['start']>, cwd: string) => Promise<unknown>, string]>([
    ['list', (agent) => agent.listSessions(undefined), "can't list its sessions"],
    [
      'load',
      (agent, cwd) => agent.openSession({ method: 'load', sessionId: 'x', cwd }, new SinkDouble()),
      'session/load',
    ],
    [
      'resume',
      (agent, cwd) => agent.openSession({ method: 'resume', sessionId: 'x', cwd }, new SinkDouble()),
      'session/resume',
    ],
    ['close', (agent) => agent.closeSession('x'), 'session/close'],
    ['delete', (agent) => agent.deleteSession('x'), 'session/delete'],
    ['logout', (agent) => agent.logout(), 'logout'],
    ['a login', (agent) => agent.authenticate('magic'), '"magic"'],
  ])('is not called: %s', async ([, ask, reason], { harness }) => {
    const { agent } = await harness.open();
    const before = harness.sent.length;
    await expect(ask(agent, harness.folder)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining(reason),
    });
    expect(harness.sent.slice(before)).toEqual([]);
  });
});
