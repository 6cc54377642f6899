import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { AgentPool } from '../../src/acp/agent-pool.ts';
import { it, SinkDouble, type Workshop } from '../support/agent-it.ts';
import { buildOnce, tourPath } from '../support/build.ts';

/** A tour whose conversations outlive it. */
async function aTour(workshop: Workshop) {
  await buildOnce();
  const memory = path.join(workshop.folder, 'memory');
  fs.mkdirSync(memory, { recursive: true });
  const env = { ...workshop.env, ACP_TOUR_PACE: '0', ACP_TOUR_MEMORY: memory };
  const spec = { name: 'tour', command: [process.execPath, tourPath], env, cwd: workshop.folder };
  const start = () => workshop.launch(spec);
  return { spec, start, cwd: workshop.folder };
}

const roles = (sink: SinkDouble) => [
  ...new Set(sink.events.map((event) => (event.kind === 'chunk' ? event.role : event.kind))),
];

describe.concurrent('the sessions of an agent', () => {
  it('can be several on one connection, each with its own reports and folder', async ({ workshop }) => {
    const { start, cwd } = await aTour(workshop);
    const agent = start();
    const other = path.join(cwd, 'other');
    fs.mkdirSync(other);
    const [one, two] = [new SinkDouble(), new SinkDouble()];
    const first = await agent.openSession({ how: 'new', cwd }, one);
    const second = await agent.openSession({ how: 'new', cwd: other }, two);
    await Promise.all([agent.prompt(first, 'plan'), agent.prompt(second, 'think')]);
    expect(roles(one)).toContain('plan');
    expect(roles(two)).toContain('thought');
    expect(roles(one)).not.toContain('thought');
    expect((await agent.listSessions(other)).map(({ sessionId }) => sessionId)).toEqual([second]);
    expect(await agent.listSessions(undefined)).toHaveLength(2);
  });

  it('are told again before the answer when they are loaded, by another process too', async ({
    workshop,
  }) => {
    const { start, cwd } = await aTour(workshop);
    const first = start();
    const before = new SinkDouble();
    const sessionId = await first.openSession({ how: 'new', cwd }, before);
    await first.prompt(sessionId, 'plan');
    await first.end();
    const second = start();
    const after = new SinkDouble();
    expect(await second.openSession({ how: 'load', sessionId, cwd }, after)).toBe(sessionId);
    expect(roles(after)).toEqual(expect.arrayContaining(['user', 'agent', 'plan', 'settings']));
    const [kept] = await second.listSessions(cwd);
    expect(kept).toMatchObject({ sessionId, cwd, title: 'Plan' });
    expect(kept?.updatedAt).toBeGreaterThan(0);
  });

  it('are not told again when they are resumed', async ({ workshop }) => {
    const { start, cwd } = await aTour(workshop);
    const agent = start();
    const sessionId = await agent.openSession({ how: 'new', cwd }, new SinkDouble());
    await agent.prompt(sessionId, 'hello');
    await agent.closeSession(sessionId);
    const after = new SinkDouble();
    await agent.openSession({ how: 'resume', sessionId, cwd }, after);
    expect(roles(after)).not.toContain('user');
    expect(await agent.prompt(sessionId, 'hello')).toBe('end_turn');
  });

  it('can be deleted, once or twice', async ({ workshop }) => {
    const { start, cwd } = await aTour(workshop);
    const agent = start();
    const sessionId = await agent.openSession({ how: 'new', cwd }, new SinkDouble());
    await agent.deleteSession(sessionId);
    await agent.deleteSession(sessionId);
    expect(await agent.listSessions(cwd)).toEqual([]);
  });

  it('that are gone can’t be loaded, and their reports reach nobody', async ({ workshop }) => {
    const { start, cwd } = await aTour(workshop);
    const opening = start().openSession({ how: 'load', sessionId: 'never', cwd }, new SinkDouble());
    await expect(opening).rejects.toThrow('There is no session never');
  });

  it('of one pool share a program, which ends with the last', async ({ workshop }) => {
    const { spec } = await aTour(workshop);
    let starts = 0;
    const pool = new AgentPool({
      launch: (wanted) => {
        starts += 1;
        return workshop.launch(wanted);
      },
    });
    const [one, other] = [pool.launch(spec), pool.launch(spec)];
    const sink = new SinkDouble();
    const [first] = await Promise.all([
      one.openSession({ how: 'new', cwd: spec.cwd }, new SinkDouble()),
      other.openSession({ how: 'new', cwd: spec.cwd }, sink),
    ]);
    await one.end();
    const [second] = (await other.listSessions(undefined)).filter(({ sessionId }) => sessionId !== first);
    expect(await other.prompt(second!.sessionId, 'hello')).toBe('end_turn');
    await other.end();
    expect(await other.gone).toBeUndefined();
    expect(starts).toBe(1);
  });
});

describe.concurrent('what an agent does not offer', () => {
  it.for<[string, (agent: ReturnType<Workshop['start']>, cwd: string) => Promise<unknown>, string]>([
    ['list', (agent) => agent.listSessions(undefined), "can't list its sessions"],
    [
      'load',
      (agent, cwd) => agent.openSession({ how: 'load', sessionId: 'x', cwd }, new SinkDouble()),
      'session/load',
    ],
    [
      'resume',
      (agent, cwd) => agent.openSession({ how: 'resume', sessionId: 'x', cwd }, new SinkDouble()),
      'session/resume',
    ],
    ['close', (agent) => agent.closeSession('x'), 'session/close'],
    ['delete', (agent) => agent.deleteSession('x'), 'session/delete'],
    ['logout', (agent) => agent.logout(), 'logout'],
    ['a login', (agent) => agent.authenticate('magic'), '"magic"'],
  ])('is not asked of it: %s', async ([, ask, reason], { workshop }) => {
    const { agent } = await workshop.open();
    const before = workshop.sent.length;
    await expect(ask(agent, workshop.folder)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining(reason),
    });
    expect(workshop.sent.slice(before)).toEqual([]);
  });
});
