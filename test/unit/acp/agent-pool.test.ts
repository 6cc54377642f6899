import { describe, expect, it } from 'vitest';
import { AgentPool } from '../../../src/acp/agent-pool.ts';
import { AcpError } from '../../../src/errors.ts';
import type { SessionSink } from '../../../src/ports/agent.ts';
import { anAgentSpec } from '../../support/builders.ts';
import { LauncherDouble, settle } from '../../support/doubles.ts';

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
  const opened = link.openSession({ how: 'new', cwd: '/work' }, sink);
  launcher.last.opening.resolve(id);
  await opened;
}

describe('an agent', () => {
  it('is shared by those who want the same, whatever folder they work in', () => {
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
  ])('with another %s is another', (_, fields) => {
    const { pool, launcher } = aPool();
    pool.launch(anAgentSpec());
    pool.launch(anAgentSpec(fields));
    expect(launcher.links).toHaveLength(2);
  });

  it('has one traffic for all, and takes what is beyond the protocol from each', () => {
    const { pool, launcher } = aPool();
    const [one, other] = [pool.launch(anAgentSpec()), pool.launch(anAgentSpec())];
    expect(one.traffic).toBe(other.traffic);
    one.notify('_x', {});
    void other.request('_y', { a: 1 });
    expect(launcher.last.calls).toEqual(['notify _x {}', 'request _y {"a":1}']);
  });

  it('is started anew for those who say so, and from then on shared by the next', () => {
    const { pool, launcher } = aPool();
    pool.launch(anAgentSpec());
    pool.launch(anAgentSpec(), true);
    pool.launch(anAgentSpec());
    expect(launcher.links).toHaveLength(2);
  });

  it('ends after the last who uses it, and the session of the first before that', async () => {
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

  it('closes a session that was opened for somebody who had gone meanwhile', async () => {
    const { pool, launcher } = aPool();
    const [one] = [pool.launch(anAgentSpec()), pool.launch(anAgentSpec())];
    launcher.last.readiness.resolve({ name: 'tester', title: 'Tester' });
    const opened = one.openSession({ how: 'new', cwd: '/work' }, sink);
    await one.end();
    launcher.last.opening.resolve('s1');
    await opened;
    await settle();
    expect(launcher.last.calls).toContain('close s1');
  });

  it.each<[string, (launcher: LauncherDouble) => void]>([
    ['died', (launcher) => launcher.last.end$.resolve(new AcpError('agent_exited', 'gone'))],
    ['could not be spoken to', (launcher) => launcher.last.readiness.reject(new Error('no'))],
  ])('that %s is not given to the next', async (_, act) => {
    const { pool, launcher } = aPool();
    pool.launch(anAgentSpec());
    act(launcher);
    await settle();
    pool.launch(anAgentSpec());
    expect(launcher.links).toHaveLength(2);
  });

  it('whose program is ended in order is ended for all, and not given to the next', async () => {
    const { pool, launcher } = aPool();
    const [one, other] = [pool.launch(anAgentSpec()), pool.launch(anAgentSpec())];
    expect(one.sharesProgramWith(other)).toBe(true);
    launcher.last.ending.resolve();
    await one.endProgram();
    expect(launcher.last.calls).toEqual(['end']);
    expect(pool.launch(anAgentSpec()).sharesProgramWith(one)).toBe(false);
  });

  it('that was ended by force tells the others why', async () => {
    const { pool, launcher } = aPool();
    const [one, other] = [pool.launch(anAgentSpec()), pool.launch(anAgentSpec())];
    one.kill();
    launcher.last.end$.resolve(undefined);
    expect(await one.gone).toBeUndefined();
    expect((await other.gone)?.message).toBe('tester did not stop in another chat and was ended.');
    pool.launch(anAgentSpec());
    expect(launcher.links).toHaveLength(2);
  });
});

describe('an agent that can have one session only', () => {
  const identity = { name: 'tester', title: 'Tester', program: 'pi-acp' };

  async function openOnPi(link: ReturnType<AgentPool['launch']>, launcher: LauncherDouble) {
    const opened = link.openSession({ how: 'new', cwd: '/work' }, sink);
    await settle();
    launcher.last.readiness.resolve(identity);
    launcher.last.opening.resolve('s1');
    await opened;
  }

  it('is started once more for each other session', async () => {
    const { pool, launcher } = aPool();
    launcher.onLaunch = (link) => link.readiness.resolve(identity);
    const [one, other] = [pool.launch(anAgentSpec()), pool.launch(anAgentSpec())];
    await openOnPi(one, launcher);
    await openOnPi(other, launcher);
    expect(launcher.links.map(({ calls }) => calls)).toEqual([['open /work'], ['open /work']]);
    expect(one.sharesProgramWith(other)).toBe(false);
  });

  it('is started once more also when both are opened at the same time', async () => {
    const { pool, launcher } = aPool();
    const [one, other] = [pool.launch(anAgentSpec()), pool.launch(anAgentSpec())];
    const opened = [one, other].map((link) => link.openSession({ how: 'new', cwd: '/work' }, sink));
    for (const turn of [0, 1]) {
      launcher.links[turn]?.readiness.resolve(identity);
      launcher.links[turn]?.opening.resolve('s1');
      await settle();
    }
    await Promise.all(opened);
    expect(launcher.links.map(({ calls }) => calls)).toEqual([['open /work'], ['open /work']]);
  });

  it('tells each session of the end of its own program only', async () => {
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

  it('has room again when its session has ended', async () => {
    const { pool, launcher } = aPool();
    launcher.onLaunch = (link) => link.readiness.resolve(identity);
    const [one, lister] = [pool.launch(anAgentSpec()), pool.launch(anAgentSpec())];
    await openOnPi(one, launcher);
    await one.end();
    await openOnPi(lister, launcher);
    expect(launcher.links).toHaveLength(1);
  });
});
