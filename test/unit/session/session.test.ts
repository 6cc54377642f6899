import { describe, expect, it } from 'vitest';
import type { AgentEvent, SessionEvent } from '../../../src/model/session-events.ts';
import { hostRestarted } from '../../../src/session/notices.ts';
import { aChunk, aPermission, aToolPatch, isReady } from '../../support/builders.ts';
import { settle } from '../../support/doubles/deferred.ts';
import { choose } from '../../support/nvim/choose.ts';
import {
  aBusySession,
  aReadySession,
  aSession,
  exited,
  type SessionParts,
} from '../../support/session-parts.ts';

describe('questions of the agent', () => {
  it('are about the tool call that they name', async () => {
    const { session } = await aBusySession();
    const answered = session.ask(aPermission());
    expect(session.state.questions).toHaveLength(1);
    expect(session.state.tools.get('call-1')).toMatchObject({ title: 'rm -rf build', toolKind: 'execute' });
    choose(session, 1, 'yes');
    expect(await answered).toBe('yes');
    expect(session.state.questions).toEqual([]);
  });

  it('may come outside a turn', async () => {
    const { session } = await aReadySession();
    void session.ask(aPermission());
    expect(session.state.questions).toHaveLength(1);
  });

  it('are settled when the turn ends without an answer', async () => {
    const { session, launcher } = await aBusySession();
    const answered = session.ask(aPermission());
    launcher.last.turns[0]?.resolve('end_turn');
    expect(await answered).toBeUndefined();
    await settle();
    expect(session.state).toMatchObject({ phase: 'idle', questions: [] });
  });

  it('are settled when the agent withdraws them', async () => {
    const { session } = await aBusySession();
    const withdrawal = new AbortController();
    const answered = session.ask(aPermission({ withdrawn: withdrawal.signal }));
    withdrawal.abort();
    expect(await answered).toBeUndefined();
    expect(session.state.questions).toEqual([]);
  });

  it('are settled when the agent exits', async () => {
    const { session, launcher } = await aBusySession();
    const answered = session.ask(aPermission());
    await launcher.last.die(exited);
    expect(await answered).toBeUndefined();
    expect(session.state.questions).toEqual([]);
  });
});

describe('the end of a session', () => {
  it('resolves when the agent has ended', async () => {
    const { session, launcher } = await aReadySession();
    let hasEnded = false;
    const ended = session.end().then(() => {
      hasEnded = true;
    });
    await settle();
    expect({ hasEnded, calls: launcher.last.calls.slice(1) }).toEqual({
      hasEnded: false,
      calls: ['end', 'end'],
    });
    launcher.last.ending.resolve();
    await ended;
  });

  it('leaves no timer running', () => {
    const { session, clock } = aSession();
    session.start();
    session.dispose();
    session.dispose();
    expect(clock.pending).toBe(0);
  });
});

describe('a restored session', () => {
  it('shows the journal, pauses the queue, and can be started', async () => {
    const parts = aSession();
    const past: SessionEvent[] = [
      { kind: 'agent_starting' },
      isReady,
      { kind: 'prompt_queued', text: 'go' },
      { kind: 'turn_started', text: 'go' },
      { kind: 'prompt_queued', text: 'second' },
      aChunk('half an'),
      { kind: 'tool', patch: aToolPatch({ status: 'running' }) },
      { kind: 'question_asked', question: { id: 1, toolCallId: 'call-1', options: [] } },
    ];
    const records = past.map((event, index) => ({ at: index, event }));
    expect(parts.session.replayJournal(records, hostRestarted)).toBe(true);
    const queue = [{ text: 'second', isHeld: true, isUnresolved: true }];
    expect(parts.session.state).toMatchObject({ phase: 'down', questions: [], queue });
    expect(parts.returned).toEqual([]);
    expect(parts.session.state.entries).toMatchObject([
      { kind: 'message', role: 'user' },
      { kind: 'message', role: 'agent', endedAt: 6 },
      { kind: 'tool', status: 'cancelled' },
      { kind: 'question', answer: 'not answered' },
      { kind: 'notice', severity: 'warning' },
    ]);
    parts.session.start();
    await parts.launcher.last.becomeReady();
    expect(parts.session.state.phase).toBe('idle');
  });

  it('removes what the user has elsewhere before it tells anything else', () => {
    const { session, timeline } = aSession();
    const past: SessionEvent[] = [
      { kind: 'prompt_queued', id: 'a', text: 'in the prompt buffer' },
      { kind: 'question_asked', question: { id: 1, toolCallId: 'call-1', options: [] } },
    ];
    const records = past.map((event, at) => ({ at, event }));
    session.replayJournal(records, hostRestarted, ['a']);
    expect(timeline.slice(past.length)).toEqual(['queue_cleared', 'question_settled', 'agent_gone']);
    expect(session.state.queue).toEqual([]);
  });

  it('restores the prompts that the last host has neither kept nor sent', () => {
    const { session } = aSession();
    const past: SessionEvent[] = [
      { kind: 'prompt_queued', id: 'kept', text: 'same' },
      { kind: 'turn_started', id: 'sent', text: 'same' },
    ];
    session.replayJournal(
      past.map((event, at) => ({ at, event })),
      hostRestarted,
      [],
    );
    session.restoreQueue(['kept', 'sent', 'lost'].map((id) => ({ id, text: 'same' })));
    expect(session.state.queue.map(({ id, text }) => [id, text])).toEqual([
      ['kept', 'same'],
      ['lost', 'same'],
    ]);
  });

  it('takes the queue of a chat that has ended once, and holds it', async () => {
    const { session } = await aReadySession();
    const prompts = ['one', 'two', 'three'].map((text) => ({ id: text, text }));
    session.restoreQueue(prompts.slice(0, 2));
    session.restoreQueue(prompts);
    expect(session.state.queue.map(({ text, isHeld }) => [text, isHeld])).toEqual([
      ['one', true],
      ['two', true],
      ['three', true],
    ]);
  });
});

describe('a usage update', () => {
  const usage: AgentEvent = { kind: 'usage', usage: { used: 1, size: 2, cost: undefined } };
  const textsAfter = async (messageId?: string) => {
    const { session } = await aBusySession();
    for (const event of [aChunk('a', 'agent', messageId), usage, aChunk('b', 'agent', messageId)])
      session.report(event);
    return session.state.entries.flatMap((entry) =>
      entry.kind === 'message' && entry.role === 'agent' ? [entry.text.toString()] : [],
    );
  };

  it('closes the open message', async () => expect(await textsAfter()).toEqual(['a', 'b']));

  it('does not close a message with an id', async () => expect(await textsAfter('m')).toEqual(['ab']));
});

describe('a consent', () => {
  const wish = {
    kind: 'edit',
    subject: '/etc/hosts',
    action: { paths: ['/etc/hosts'] },
    reason: 'outside of the folders',
  } as const;

  it.each<[string, (parts: SessionParts) => void, boolean, string]>([
    ['is given by the user', ({ session }) => choose(session, 1, 'allow'), true, 'done'],
    ['is denied by the user', ({ session }) => choose(session, 1, 'reject'), false, 'failed'],
  ])('%s', async (_, act, expected, status) => {
    const parts = await aBusySession();
    const consented = parts.session.questions.consent.request(wish);
    expect(parts.session.state.questions).toMatchObject([{ tool: { title: '/etc/hosts' } }]);
    act(parts);
    expect(await consented).toBe(expected);
    expect([...parts.session.state.tools.values()]).toMatchObject([{ status }]);
  });

  it('is cancelled with the turn', async () => {
    const { session } = await aBusySession();
    const consented = session.questions.consent.request(wish);
    session.cancel();
    await expect(consented).rejects.toMatchObject({ code: 'cancelled' });
    expect([...session.state.tools.values()]).toMatchObject([{ status: 'cancelled' }]);
  });
});
