import { describe, expect, it, vi } from 'vitest';
import { AcpError } from '../../../src/base/errors.ts';
import { aSession } from '../../support/session-parts.ts';

async function aSessionOf(capabilities: object) {
  const parts = aSession();
  parts.session.start();
  parts.launcher.last.readiness.resolve({ name: 'tester', title: 'Tester', capabilities });
  parts.launcher.last.opening.resolve('s1');
  await vi.waitFor(() => expect(parts.session.state.phase).toBe('idle'));
  return parts;
}

describe('a title of the user', () => {
  it('is sent to an agent that takes titles, which may change it', async () => {
    const { session, launcher } = await aSessionOf({ title: true });
    await session.rename(' Mine ');
    expect(launcher.last.calls).toContain('title s1  Mine ');
    expect(session.state).toMatchObject({ title: 'Mine', isTitleChosen: false });
    session.report({ kind: 'title', title: 'Renamed elsewhere' });
    expect(session.state.title).toBe('Renamed elsewhere');
  });

  it('stays whatever the agent calls the session, if the agent takes none', async () => {
    const { session, launcher } = await aSessionOf({});
    session.report({ kind: 'title', title: 'Of the agent' });
    await session.rename('Mine');
    session.report({ kind: 'title', title: 'Of the agent again' });
    expect(session.state.title).toBe('Mine');
    expect(launcher.last.calls.filter((call) => call.startsWith('title'))).toEqual([]);
  });

  it('is kept here if the agent refuses it', async () => {
    const { session, launcher } = await aSessionOf({ title: true });
    launcher.last.setTitle = () => Promise.reject(new AcpError('agent_error', 'too long'));
    await expect(session.rename('Mine')).rejects.toThrow(/Tester did not take the title.*too long/);
    expect(session.state).toMatchObject({ title: 'Mine', isTitleChosen: true });
  });
});
