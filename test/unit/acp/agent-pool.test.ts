import { describe, expect, it } from 'vitest';
import { AgentPool } from '../../../src/acp/agent-pool.ts';
import { AcpError } from '../../../src/base/errors.ts';
import type { SessionSink } from '../../../src/ports/agent.ts';
import { anAgentSpec } from '../../support/builders.ts';
import { settle } from '../../support/doubles/deferred.ts';
import { LauncherDouble } from '../../support/doubles/link.ts';

const sink: SessionSink = {
  report: () => undefined,
  ask: async () => undefined,
  elicit: async () => ({ action: 'cancel' }),
};

function aPool() {
  const launcher = new LauncherDouble();
  return { pool: new AgentPool(launcher), launcher };
}

async function openOn(link: ReturnType<AgentPool['launch']>, launcher: LauncherDouble, id: string) {
  launcher.last.readiness.resolve({ name: 'tester', title: 'Tester', program: 'tester' });
  const opened = link.openSession({ method: 'new', cwd: '/work' }, sink);
  launcher.last.opening.resolve(id);
  await opened;
}

describe('AgentPool', () => {
  it('shares a program between chats of different folders', () => {
    const { pool, launcher } = aPool();
    pool.launch(anAgentSpec());
    pool.launch(anAgentSpec({ cwd: '/elsewhere' }));
    expect(launcher.links).toHaveLength(1);
  });

  it.each([
    ['command', { command: ['other'] }],
    ['environment', { env: { KEY: '1' } }],
    ['name', { name: 'other' }],
    ['strictness', { isStrict: true }],
  ])('starts another program for another %s', (_, fields) => {
    const { pool, launcher } = aPool();
    pool.launch(anAgentSpec());
    pool.launch(anAgentSpec(fields));
    expect(launcher.links).toHaveLength(2);
  });

  it('gives every chat the same traffic log and sends extension calls of each', () => {
    const { pool, launcher } = aPool();
    const [one, other] = [pool.launch(anAgentSpec()), pool.launch(anAgentSpec())];
    expect(one.agent.traffic).toBe(other.agent.traffic);
    one.agent.notify('_x', {});
    void other.agent.request('_y', { a: 1 });
    expect(launcher.last.calls).toEqual(['notify _x {}', 'request _y {"a":1}']);
  });

  it('starts a fresh program on request and shares that one from then on', () => {
    const { pool, launcher } = aPool();
    pool.launch(anAgentSpec());
    pool.launch(anAgentSpec(), true);
    pool.launch(anAgentSpec());
    expect(launcher.links).toHaveLength(2);
  });

  it('closes the session of a chat that ends, and ends the program after the last chat', async () => {
    const { pool, launcher } = aPool();
    const [one, other] = [pool.launch(anAgentSpec()), pool.launch(anAgentSpec())];
    await openOn(one, launcher, 's1');
    await one.end();
    await one.end();
    expect(launcher.last.calls).toEqual(['open /work', 'cancel s1', 'close s1']);
    launcher.last.ending.resolve();
    await other.end();
    expect(launcher.last.calls.at(-1)).toBe('end');
  });

  it('closes a session that was opened for a chat that had ended meanwhile', async () => {
    const { pool, launcher } = aPool();
    const [one] = [pool.launch(anAgentSpec()), pool.launch(anAgentSpec())];
    launcher.last.readiness.resolve({ name: 'tester', title: 'Tester' });
    const opened = one.openSession({ method: 'new', cwd: '/work' }, sink);
    await one.end();
    launcher.last.opening.resolve('s1');
    await opened;
    await settle();
    expect(launcher.last.calls).toContain('close s1');
  });

  it.each<[string, (launcher: LauncherDouble) => void]>([
    ['exited', (launcher) => launcher.last.end$.resolve(new AcpError('agent_exited', 'gone'))],
    ['failed the handshake', (launcher) => launcher.last.readiness.reject(new Error('no'))],
  ])('does not share a program that %s', async (_, act) => {
    const { pool, launcher } = aPool();
    pool.launch(anAgentSpec());
    act(launcher);
    await settle();
    pool.launch(anAgentSpec());
    expect(launcher.links).toHaveLength(2);
  });

  it('ends a program for all chats and does not share it any more', async () => {
    const { pool, launcher } = aPool();
    const [one, other] = [pool.launch(anAgentSpec()), pool.launch(anAgentSpec())];
    expect(one.sharesProgramWith(other)).toBe(true);
    launcher.last.ending.resolve();
    await one.endProgram();
    expect(launcher.last.calls).toEqual(['end']);
    expect(pool.launch(anAgentSpec()).sharesProgramWith(one)).toBe(false);
  });

  it('reports to the other chats why a program was killed', async () => {
    const { pool, launcher } = aPool();
    const [one, other] = [pool.launch(anAgentSpec()), pool.launch(anAgentSpec())];
    launcher.last.ending.resolve();
    await one.kill();
    launcher.last.end$.resolve(undefined);
    expect(await one.gone).toBeUndefined();
    expect((await other.gone)?.message).toBe('Tester was ended because it did not stop in another chat.');
    pool.launch(anAgentSpec());
    expect(launcher.links).toHaveLength(2);
  });
});

describe('AgentPool, for an agent that supports one session only,', () => {
  const identity = { name: 'tester', title: 'Tester', program: 'pi-acp' };

  async function openOnPi(link: ReturnType<AgentPool['launch']>, launcher: LauncherDouble) {
    const opened = link.openSession({ method: 'new', cwd: '/work' }, sink);
    await settle();
    launcher.last.readiness.resolve(identity);
    launcher.last.opening.resolve('s1');
    await opened;
  }

  it('starts another program for each further session', async () => {
    const { pool, launcher } = aPool();
    launcher.onLaunch = (link) => link.readiness.resolve(identity);
    const [one, other] = [pool.launch(anAgentSpec()), pool.launch(anAgentSpec())];
    await openOnPi(one, launcher);
    await openOnPi(other, launcher);
    expect(launcher.links.map(({ calls }) => calls)).toEqual([['open /work'], ['open /work']]);
    expect(one.sharesProgramWith(other)).toBe(false);
  });

  it('starts another program when two sessions are opened at the same time', async () => {
    const { pool, launcher } = aPool();
    const [one, other] = [pool.launch(anAgentSpec()), pool.launch(anAgentSpec())];
    const opened = [one, other].map((link) => link.openSession({ method: 'new', cwd: '/work' }, sink));
    for (const turn of [0, 1]) {
      launcher.links[turn]?.readiness.resolve(identity);
      launcher.links[turn]?.opening.resolve('s1');
      await settle();
    }
    await Promise.all(opened);
    expect(launcher.links.map(({ calls }) => calls)).toEqual([['open /work'], ['open /work']]);
  });

  it('reports the end of a program only to the chat that uses it', async () => {
    const { pool, launcher } = aPool();
    launcher.onLaunch = (link) => link.readiness.resolve(identity);
    const [one, other] = [pool.launch(anAgentSpec()), pool.launch(anAgentSpec())];
    await openOnPi(one, launcher);
    await openOnPi(other, launcher);
    const told: string[] = [];
    void one.gone.then(() => told.push('one'));
    void other.gone.then(() => told.push('other'));
    launcher.links[0]?.end$.resolve(new AcpError('agent_exited', 'gone'));
    await settle();
    expect(told).toEqual(['one']);
    launcher.links[1]?.end$.resolve(undefined);
    await settle();
    expect(told).toEqual(['one', 'other']);
  });

  it('reuses a program whose session has ended', async () => {
    const { pool, launcher } = aPool();
    launcher.onLaunch = (link) => link.readiness.resolve(identity);
    const [one, lister] = [pool.launch(anAgentSpec()), pool.launch(anAgentSpec())];
    await openOnPi(one, launcher);
    await one.end();
    await openOnPi(lister, launcher);
    expect(launcher.links).toHaveLength(1);
  });
});
