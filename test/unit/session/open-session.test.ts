import { describe, expect, it } from 'vitest';
import { AcpError } from '../../../src/base/errors.ts';
import type { AgentCapabilities } from '../../../src/model/agent.ts';
import { textPrompt } from '../../../src/model/prompt.ts';
import type { AgentEvent } from '../../../src/model/session-events.ts';
import type { JournalRecord } from '../../../src/session/journal/reader.ts';
import { resumedWithoutHistory } from '../../../src/session/notices.ts';
import { aChunk, aToolCall } from '../../support/builders.ts';
import { Deferred, settle } from '../../support/doubles/deferred.ts';
import { outline } from '../../support/session-events.ts';
import { aSession, notices, prompts, type SessionParts } from '../../support/session-parts.ts';

describe('an earlier session', () => {
  const texts = ({ session }: SessionParts) =>
    session.state.entries.flatMap((entry) => (entry.kind === 'message' ? [entry.text.toString()] : []));

  /** A session that is to go on with another, and the agent it goes on with. */
  async function anEarlier(capabilities: AgentCapabilities): Promise<SessionParts> {
    const parts = aSession();
    parts.session.continueSession('old');
    parts.session.start();
    parts.launcher.last.readiness.resolve({ name: 'tester', title: 'Tester', capabilities });
    await settle();
    return parts;
  }

  async function aRestarted(capabilities: AgentCapabilities): Promise<SessionParts> {
    const parts = aSession();
    parts.session.start();
    await parts.launcher.last.becomeReady('Tester', capabilities);
    parts.session.send(textPrompt('go'));
    parts.session.report(aChunk('an answer'));
    parts.launcher.last.ending.resolve();
    await parts.session.restart();
    parts.launcher.last.readiness.resolve({ name: 'tester', title: 'Tester', capabilities });
    await settle();
    return parts;
  }

  it.each<[string, AgentCapabilities, string]>([
    ['is loaded', { load: true, resume: true }, 'load old /work'],
    ['is resumed if it can’t be loaded', { resume: true }, 'resume old /work'],
    ['is replaced by a new one if the agent supports neither', {}, 'open /work'],
  ])('%s', async (_, capabilities, call) => {
    const { launcher } = await anEarlier(capabilities);
    expect(launcher.last.calls).toEqual([call]);
  });

  it.each<[string, AgentCapabilities, string]>([
    ['is resumed', { load: true, resume: true }, 'resume s1 /work'],
    ['is loaded if it can’t be resumed', { load: true }, 'load s1 /work'],
    ['is replaced by a new one if the agent supports neither', {}, 'open /work'],
  ])('%s after a restart', async (_, capabilities, call) => {
    const { launcher } = await aRestarted(capabilities);
    expect(launcher.last.calls).toEqual([call]);
  });

  it('is replayed without a turn and without times', async () => {
    const parts = await anEarlier({ load: true });
    parts.session.report(aChunk('a question', 'user'));
    parts.session.report(aToolCall({ status: 'running' }));
    expect(parts.session.state).toMatchObject({ phase: 'starting', agent: { title: 'Tester' } });
    parts.launcher.last.opening.resolve('old');
    await settle();
    expect(parts.session.state).toMatchObject({
      phase: 'idle',
      sessionId: 'old',
      entries: [{ isReplayed: true }, { isReplayed: true, status: 'unreported' }],
    });
  });

  it('may be replayed after the answer to session/load', async () => {
    const parts = await anEarlier({ load: true });
    parts.launcher.last.opening.resolve('old');
    await settle();
    parts.session.report(aChunk('late', 'user'));
    parts.session.report(aToolCall({ status: 'running' }));
    parts.session.send(textPrompt('now'));
    parts.clock.advance(1_000);
    await settle();
    expect(parts.session.state.entries).toMatchObject([
      { isReplayed: true },
      { isReplayed: true, status: 'unreported' },
      { kind: 'message' },
    ]);
    expect(parts.session.state.entries.at(-1)?.isReplayed).toBeUndefined();
  });

  it('is not shown twice in a chat that shows it', async () => {
    const parts = await aRestarted({ load: true });
    parts.session.report(aChunk('go', 'user'));
    parts.session.report(aChunk('an answer'));
    parts.session.report({ kind: 'mode', mode: 'plan' });
    parts.launcher.last.opening.resolve('s1');
    await settle();
    parts.session.report(aChunk('told late'));
    expect(texts(parts)).toEqual(['go', 'an answer']);
    parts.session.send(textPrompt('more'));
    parts.session.report(aChunk('news'));
    expect(texts(parts)).toEqual(['go', 'an answer', 'more', 'news']);
  });

  it('that is replayed late is not shown again, and a queued prompt is answered below it', async () => {
    const parts = await aRestarted({ load: true });
    parts.session.send(textPrompt('more'));
    parts.launcher.last.opening.resolve('s1');
    await settle();
    expect(parts.launcher.last.calls).toEqual(['load s1 /work']);
    parts.clock.advance(50);
    parts.session.report(aChunk('go', 'user'));
    parts.session.report(aChunk('an answer'));
    parts.clock.advance(1_000);
    await settle();
    expect(parts.launcher.last.calls.at(-1)).toBe('prompt s1 more');
    parts.session.report(aChunk('news'));
    expect(texts(parts)).toEqual(['go', 'an answer', 'more', 'news']);
  });

  it('that is replayed during a turn is not shown again', async () => {
    const parts = await aRestarted({ load: true });
    parts.session.send(textPrompt('more'));
    parts.launcher.last.opening.resolve('s1');
    await settle();
    parts.clock.advance(1_000);
    await settle();
    for (const event of [aChunk('go', 'user'), aChunk('an answer'), aChunk('news')])
      parts.session.report(event);
    expect(texts(parts)).toEqual(['go', 'an answer', 'more', 'news']);
  });

  it.each(['during a turn', 'after a turn'])(
    'that is replayed with its attachments %s is not shown again',
    async (when) => {
      const parts = aSession();
      const attachment = { kind: 'file', start: 4, end: 6, uri: 'file:///a', name: 'a' } as const;
      parts.session.replayJournal([
        { at: 4, event: { kind: 'session_opened', sessionId: 's1', agent: 'tester', cwd: '/work' } },
        { at: 5, event: { kind: 'turn_started', text: 'fix @a now', attachments: [attachment] } },
        { at: 6, event: aChunk('an answer') },
        { at: 7, event: { kind: 'turn_ended', stopReason: 'end_turn' } },
      ]);
      parts.session.send(textPrompt('more'));
      await parts.launcher.last.becomeReady('Tester', { load: true });
      parts.clock.advance(1_000);
      await settle();
      expect(prompts(parts)).toEqual(['prompt s1 more']);
      if (when === 'after a turn') {
        parts.session.report(aChunk('news'));
        parts.launcher.last.turns[0]?.resolve('end_turn');
        await settle();
      }
      const before = outline(parts.session.state);
      const replayed: readonly AgentEvent[] = [
        aChunk('fix ', 'user'),
        { kind: 'attachment', role: 'user', attachment },
        aChunk(' now', 'user'),
        aChunk('an answer'),
      ];
      for (const event of replayed) parts.session.report(event);
      expect(outline(parts.session.state)).toEqual(before);
    },
  );

  it('that is replayed after a turn is not shown again, but later updates are', async () => {
    const parts = await aRestarted({ load: true });
    parts.session.send(textPrompt('more'));
    parts.launcher.last.opening.resolve('s1');
    await settle();
    parts.clock.advance(1_000);
    await settle();
    parts.session.report(aChunk('news'));
    parts.launcher.last.turns[0]?.resolve('end_turn');
    await settle();
    for (const event of [aChunk('go', 'user'), aChunk('an answer')]) parts.session.report(event);
    expect(texts(parts)).toEqual(['go', 'an answer', 'more', 'news']);
    for (const event of [aChunk('by others', 'user'), aChunk('an answer')]) parts.session.report(event);
    expect(texts(parts)).toEqual(['go', 'an answer', 'more', 'news', 'by others', 'an answer']);
  });

  it('that was continued elsewhere is shown from the end of the chat on', async () => {
    const parts = aSession();
    parts.session.replayJournal([
      { at: 5, event: { kind: 'turn_started', text: 'go' } },
      { at: 6, event: aChunk('an answer') },
      { at: 7, event: { kind: 'turn_ended', stopReason: 'end_turn' } },
    ]);
    parts.session.continueSession('old', 'Its title');
    expect(parts.session.state.title).toBe('Its title');
    parts.session.start();
    const capabilities = { load: true, resume: true };
    parts.launcher.last.readiness.resolve({ name: 'tester', title: 'Tester', capabilities });
    await settle();
    const told = [aChunk('go\n', 'user'), aChunk('an answer'), aChunk('elsewhere', 'user'), aChunk('yes')];
    for (const event of told) parts.session.report(event);
    parts.launcher.last.opening.resolve('old');
    await settle();
    expect(texts(parts)).toEqual(['go', 'an answer', 'elsewhere', 'yes']);
    const { entries } = parts.session.state;
    expect(entries.map(({ at, isReplayed = false }) => (isReplayed ? 'replayed' : at))).toEqual([
      5,
      6,
      'replayed',
      'replayed',
    ]);
  });

  it('whose replay breaks off is not shown twice when it is replayed again', async () => {
    const parts = await anEarlier({ load: true });
    parts.session.report(aChunk('one', 'user'));
    parts.session.report(aChunk('first'));
    await parts.launcher.last.die(new AcpError('agent_exited', 'tester exited.'));
    parts.session.start();
    parts.launcher.last.readiness.resolve({ name: 'tester', title: 'Tester', capabilities: { load: true } });
    await settle();
    const told = [aChunk('one', 'user'), aChunk('first'), aChunk('two', 'user'), aChunk('second')];
    for (const event of told) parts.session.report(event);
    parts.launcher.last.opening.resolve('old');
    await settle();
    expect(texts(parts)).toEqual(['one', 'first', 'two', 'second']);
  });

  it('that is resumed in an empty chat adds a notice', async () => {
    const parts = await anEarlier({ resume: true });
    parts.launcher.last.opening.resolve('old');
    await settle();
    expect(notices(parts)).toEqual([resumedWithoutHistory.title]);
  });

  it('that can’t be opened is replaced by a new one with a notice', async () => {
    const parts = await anEarlier({ load: true });
    const { last } = parts.launcher;
    const failed = last.opening;
    last.opening = new Deferred();
    failed.reject(new AcpError('agent_error', 'tester reports an error: no such session'));
    await settle();
    last.opening.resolve('s2');
    await settle();
    expect(last.calls).toEqual(['load old /work', 'open /work']);
    expect(notices(parts)).toEqual([expect.stringContaining('no such session')]);
    expect(parts.session.state).toMatchObject({ phase: 'idle', sessionId: 's2' });
  });

  it('can be cancelled during the replay', async () => {
    const parts = await anEarlier({ load: true });
    parts.launcher.last.opening.promise.catch(() => undefined);
    const { last } = parts.launcher;
    const given = last.opening;
    last.opening = new Deferred();
    parts.session.cancel();
    await expect(given.promise).rejects.toThrow('withdrawn');
    await settle();
    expect(last.calls).toEqual(['load old /work', 'open /work']);
  });

  it('waits for a required login', async () => {
    const parts = await anEarlier({ load: true });
    const { last } = parts.launcher;
    last.opening.reject(new AcpError('auth_required', 'log in'));
    await settle();
    expect(parts.session.state.phase).toBe('login');
    expect(last.calls).toEqual(['load old /work']);
  });
});

describe('a fork', () => {
  const asked: readonly JournalRecord[] = [
    { at: 5, event: { kind: 'turn_started', text: 'go' } },
    { at: 6, event: aToolCall({ status: 'done' }) },
    { at: 7, event: aChunk('an answer') },
    { at: 8, event: { kind: 'turn_ended', stopReason: 'end_turn' } },
  ];
  const replayed = [aChunk('go', 'user'), aToolCall({ status: 'running' }), aChunk('an answer')];

  /** A copy of a session, which the agent is asked to open. */
  async function aFork(journal: readonly JournalRecord[]): Promise<SessionParts> {
    const parts = aSession();
    parts.session.replayJournal(journal);
    parts.session.forkSession('old', 'Copied');
    parts.session.start();
    const capabilities = { load: true, resume: true, fork: true };
    parts.launcher.last.readiness.resolve({ name: 'tester', title: 'Tester', capabilities });
    await settle();
    return parts;
  }

  async function becomesReady({ launcher, clock, session }: SessionParts): Promise<void> {
    launcher.last.opening.resolve('new');
    await settle();
    clock.advance(1_000);
    await settle();
    expect(session.state.phase).toBe('idle');
  }

  it('is opened from the session that it copies', async () => {
    const parts = await aFork(asked);
    await becomesReady(parts);
    expect(parts.launcher.last.calls).toEqual(['fork old /work']);
    expect(parts.session.state).toMatchObject({ sessionId: 'new', title: 'Copied' });
  });

  it.each(['before', 'after'])('shows what the agent replays %s its answer once', async (when) => {
    const parts = await aFork(asked);
    const before = outline(parts.session.state);
    if (when === 'after') await becomesReady(parts);
    for (const event of replayed) parts.session.report(event);
    if (when === 'before') await becomesReady(parts);
    expect(outline(parts.session.state)).toEqual(before);
    parts.session.send(textPrompt('more'));
    parts.session.report(aChunk('news'));
    expect(outline(parts.session.state).slice(0, before.length)).toEqual(before);
    expect(parts.session.state.entries.at(-1)).toMatchObject({ kind: 'message', role: 'agent' });
  });

  it('of a conversation that has no journal shows what the agent replays', async () => {
    const parts = await aFork([]);
    for (const event of replayed) parts.session.report(event);
    await becomesReady(parts);
    expect(parts.session.state.entries).toMatchObject([
      { kind: 'message', role: 'user', isReplayed: true },
      { kind: 'tool', isReplayed: true, status: 'unreported' },
      { kind: 'message', role: 'agent', isReplayed: true },
    ]);
  });
});
