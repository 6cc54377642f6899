import { describe, expect, it } from 'vitest';
import { AcpError } from '../../../src/base/errors.ts';
import { textPrompt } from '../../../src/model/prompt.ts';
import { emptySession, type SessionState } from '../../../src/model/session.ts';
import { reduce } from '../../../src/session/reducer/reducer.ts';
import type { Session } from '../../../src/session/session.ts';
import { aChunk, aNotice, aPermission, aToolPatch } from '../../support/builders.ts';
import { settle } from '../../support/doubles/deferred.ts';
import {
  aBusySession,
  aReadySession,
  aSession,
  notices,
  prompts,
  type SessionParts,
} from '../../support/session-parts.ts';

describe('prompts', () => {
  it('are sent immediately to an idle agent', async () => {
    const parts = await aBusySession();
    expect(prompts(parts)).toEqual(['prompt s1 go']);
    expect(parts.session.state).toMatchObject({ phase: 'running', queue: [] });
  });

  it('start the agent if it is not running', () => {
    const { session, launcher } = aSession();
    session.send(textPrompt('go'));
    expect(launcher.links).toHaveLength(1);
    expect(session.state).toMatchObject({ phase: 'starting', queue: [{ text: 'go' }] });
  });

  it('wait until the agent has started', async () => {
    const parts = aSession();
    parts.session.start();
    parts.session.send(textPrompt('one'));
    parts.session.send(textPrompt('two'));
    expect(prompts(parts)).toEqual([]);
    await parts.launcher.last.becomeReady();
    expect(prompts(parts)).toEqual(['prompt s1 one']);
    expect(parts.session.state.queue).toEqual([textPrompt('two')]);
  });

  it('are returned as one prompt with all attachments when the queue is cleared', async () => {
    const { session, returnedPrompts } = aSession();
    const attachment = { kind: 'file', start: 0, end: 3, uri: 'file:///a.ts', name: 'a.ts' } as const;
    session.send({ id: '1', text: 'one', attachments: [attachment] });
    session.send(textPrompt('two', '2'));
    session.cancel();
    expect(returnedPrompts).toEqual([{ ids: ['1', '2'], text: 'one\n\ntwo', attachments: [attachment] }]);
  });

  it('that fail are returned also if there is a remark about what they mention', async () => {
    const parts = await aReadySession();
    const attachment = { kind: 'file', start: 3, end: 6, uri: 'file:///a.ts', name: 'a.ts' } as const;
    parts.session.send({ text: 'go @a', attachments: [attachment] });
    parts.session.notify({ kind: 'notice', severity: 'info', title: '@b: there is no such file' });
    parts.launcher.last.turns[0]?.reject(new AcpError('agent_error', 'quota'));
    await settle();
    expect(parts.returned).toEqual(['go @a']);
  });

  it('with attachments that get no answer are said to have got none', async () => {
    const parts = await aReadySession();
    const attachment = { kind: 'file', start: 3, end: 6, uri: 'file:///a.ts', name: 'a.ts' } as const;
    parts.session.send({ text: 'go @a', attachments: [attachment] });
    parts.launcher.last.turns[0]?.resolve('end_turn');
    await settle();
    expect(notices(parts)).toEqual(['The agent ended the turn without an answer.']);
  });

  it('keep the contents of their attachments only until they are sent', async () => {
    const parts = await aBusySession();
    const content = { kind: 'text', text: 'the text of the file' } as const;
    const attachment = { kind: 'file', start: 0, end: 2, uri: 'file:///a', name: 'a', content } as const;
    for (const text of ['@a 1', '@a 2', '@a 3']) parts.session.send({ text, attachments: [attachment] });
    expect(JSON.stringify(parts.session.state.queue).split(content.text)).toHaveLength(4);
    for (let turn = 0; turn < 3; turn += 1) {
      parts.launcher.last.turns[turn]?.resolve('end_turn');
      await settle();
    }
    expect(prompts(parts)).toEqual(['go', '@a 1', '@a 2', '@a 3'].map((text) => `prompt s1 ${text}`));
    const { queue, entries } = parts.session.state;
    expect(JSON.stringify([queue, entries])).not.toContain(content.text);
  });

  it('with attachments wait for a login, in order and with their contents', async () => {
    const parts = await aReadySession();
    const content = { kind: 'text', text: 'text' } as const;
    const attachment = { kind: 'file', start: 0, end: 2, uri: 'file:///a', name: 'a', content } as const;
    for (const text of ['@a 1', '@a 2']) parts.session.send({ text, attachments: [attachment] });
    parts.launcher.last.turns[0]?.reject(new AcpError('auth_required', 'log in'));
    await settle();
    expect(parts.session.state.queue).toEqual([
      { text: '@a 1', attachments: [attachment], isShown: true },
      { text: '@a 2', attachments: [attachment] },
    ]);
  });

  it('wait for the running turn and are sent in order', async () => {
    const parts = await aBusySession();
    parts.session.send(textPrompt('second'));
    parts.session.send(textPrompt('third'));
    expect(prompts(parts)).toHaveLength(1);
    parts.launcher.last.turns[0]?.resolve('end_turn');
    await settle();
    expect(prompts(parts)).toEqual(['prompt s1 go', 'prompt s1 second']);
    parts.launcher.last.turns[1]?.resolve('end_turn');
    await settle();
    expect(prompts(parts)).toHaveLength(3);
  });

  it('that fail without an answer are returned, and the queue is paused', async () => {
    const parts = await aBusySession();
    parts.session.send(textPrompt('second'));
    parts.launcher.last.turns[0]?.reject(new AcpError('agent_error', 'tester reports an error: quota'));
    await settle();
    expect(notices(parts)).toEqual(['tester reports an error: quota']);
    const hint = expect.stringContaining('Your prompt is in the prompt window again');
    expect(parts.session.state.entries).toContainEqual(expect.objectContaining({ kind: 'notice', hint }));
    expect(parts.returned).toEqual(['go']);
    expect(parts.session.state).toMatchObject({ phase: 'idle', queue: [{ text: 'second', isHeld: true }] });
  });

  it('that fail after a part of the answer stay in the transcript', async () => {
    const parts = await aBusySession();
    parts.session.report(aChunk('half an'));
    parts.launcher.last.turns[0]?.reject(new AcpError('agent_error', 'tester reports an error: quota'));
    await settle();
    expect(parts.returned).toEqual([]);
    const hint = expect.stringContaining(':AcpRetry');
    expect(parts.session.state.entries.at(-1)).toMatchObject({ kind: 'notice', hint });
    expect(parts.session.state.phase).toBe('idle');
  });

  it('that need a login are queued again, before the others', async () => {
    const parts = await aBusySession();
    parts.session.send(textPrompt('later'));
    const error = new AcpError('auth_required', 'tester wants you to log in: x');
    parts.launcher.last.turns[0]?.reject(error);
    await settle();
    const { state } = parts.session;
    expect(state.entries.at(-1)).toMatchObject({
      kind: 'notice',
      severity: 'error',
      hint: 'Log in with its own program; the next prompt, or :AcpQueue resume, tries again.',
    });
    expect(state.phase).toBe('login');
    expect(state.queue.map(({ text }) => text)).toEqual(['go', 'later']);
    expect(parts.returned).toEqual([]);
  });

  describe('that are sent again after a login', () => {
    it('stand once in the transcript and in its replay from the journal', async () => {
      const parts = await aRefusedSession();
      parts.session.report(aChunk('hello'));
      expect(prompts(parts)).toEqual(['prompt s1 go', 'prompt s1 go']);
      expect(messages(parts.session.state)).toEqual(['go', 'hello']);
      const replayed = emptySession('tester', 0);
      for (const event of parts.events) reduce(replayed, event, 0);
      expect(messages(replayed)).toEqual(['go', 'hello']);
    });

    it('are returned if they fail then', async () => {
      const parts = await aRefusedSession();
      parts.launcher.last.turns[1]?.reject(new AcpError('agent_error', 'tester reports an error: quota'));
      await settle();
      expect(parts.returned).toEqual(['go']);
    });

    it('stand below an error that followed the refusal', async () => {
      const parts = await aRefusedSession((session) => session.report(aNotice({ severity: 'error' })));
      expect(messages(parts.session.state)).toEqual(['go', 'go']);
    });
  });
});

/** The agent refuses the prompt until a login; then the prompt is sent again. */
async function aRefusedSession(beforeLogin?: (session: Session) => void): Promise<SessionParts> {
  const parts = await aBusySession();
  parts.launcher.last.turns[0]?.reject(new AcpError('auth_required', 'log in'));
  await settle();
  beforeLogin?.(parts.session);
  parts.session.resumeQueue();
  await settle();
  return parts;
}

function messages({ entries }: SessionState): readonly string[] {
  return entries.flatMap((entry) => (entry.kind === 'message' ? [entry.text.toString()] : []));
}

describe('cancelling', () => {
  it('notifies the agent, then marks the calls, then settles the questions', async () => {
    const parts = await aBusySession();
    parts.session.report({ kind: 'tool', patch: aToolPatch({ status: 'running' }) });
    const answers = [parts.session.ask(aPermission()), parts.session.ask(aPermission())];
    void answers[0]?.then(() => parts.timeline.push('answered'));
    parts.timeline.length = 0;
    parts.session.cancel();
    expect(await Promise.all(answers)).toEqual([undefined, undefined]);
    expect(parts.timeline).toEqual([
      'agent: cancel s1',
      'cancel_requested',
      'question_settled',
      'question_settled',
      'answered',
    ]);
    expect(parts.session.state.tools.get('call-1')?.status).toBe('cancelled');
  });

  it('waits for the end of the turn and shows the last updates', async () => {
    const parts = await aBusySession();
    parts.session.cancel();
    parts.session.report(aChunk('tidying up'));
    expect(parts.session.state.phase).toBe('cancelling');
    parts.launcher.last.turns[0]?.resolve('cancelled');
    await settle();
    expect(parts.session.state.phase).toBe('idle');
    expect(notices(parts)).toEqual(['Stopped.']);
  });

  it('cancels later questions without asking the user', async () => {
    const parts = await aBusySession();
    parts.session.cancel();
    expect(await parts.session.ask(aPermission({ tool: aToolPatch({ title: 'clean' }) }))).toBeUndefined();
    expect(parts.session.state.questions).toEqual([]);
    expect(parts.session.state.tools.get('call-1')?.title).toBe('clean');
  });

  it('treats an error as the end of the turn', async () => {
    const parts = await aBusySession();
    parts.session.report(aChunk('half an'));
    parts.session.cancel();
    parts.launcher.last.turns[0]?.reject(new AcpError('agent_error', 'tester reports an error: aborted'));
    await settle();
    expect(notices(parts)).toEqual(['Stopped.']);
    expect(parts.session.state.phase).toBe('idle');
  });

  it('pauses the queue, until the user resumes it', async () => {
    const parts = await aBusySession();
    for (const text of ['second', 'third']) parts.session.send(textPrompt(text));
    parts.session.cancel();
    parts.launcher.last.turns[0]?.resolve('cancelled');
    await settle();
    expect(prompts(parts)).toHaveLength(1);
    expect(parts.returned).toEqual([]);
    parts.session.resumeQueue();
    expect(prompts(parts)).toEqual(['prompt s1 go', 'prompt s1 second']);
    expect(parts.session.state.queue).toEqual([textPrompt('third')]);
  });

  it('leaves prompts alone that are sent afterwards', async () => {
    const parts = await aBusySession();
    parts.session.send(textPrompt('second'));
    parts.session.cancel();
    parts.session.send(textPrompt('instead'));
    parts.launcher.last.turns[0]?.resolve('cancelled');
    await settle();
    parts.session.send(textPrompt('and this'));
    parts.launcher.last.turns[1]?.resolve('end_turn');
    await settle();
    expect(prompts(parts)).toEqual(['go', 'instead', 'and this'].map((text) => `prompt s1 ${text}`));
    expect(parts.session.state.queue).toMatchObject([{ text: 'second', isHeld: true }]);
  });

  it('twice at once stops the agent and does not kill it', async () => {
    const parts = await aBusySession();
    parts.session.cancel();
    parts.clock.advance(1_999);
    parts.session.cancel();
    expect(parts.launcher.last.calls).not.toContain('kill');
    parts.launcher.last.turns[0]?.resolve('cancelled');
    await settle();
    expect(parts.session.state.phase).toBe('idle');
    expect(notices(parts)).toEqual(['Stopped.']);
  });

  it('again after two seconds kills the agent', async () => {
    const parts = await aBusySession();
    parts.session.cancel();
    parts.clock.advance(1_000);
    parts.session.cancel();
    parts.clock.advance(1_000);
    parts.session.cancel();
    expect(parts.launcher.last.calls).toContain('kill');
    expect(parts.session.state.phase).toBe('down');
    expect(notices(parts)).toEqual(['Tester did not stop and was killed.']);
    parts.launcher.last.turns[0]?.resolve('cancelled');
    await settle();
    expect(parts.session.state.phase, 'a late answer changes nothing').toBe('down');
  });

  it('does not affect the next turn', async () => {
    const parts = await aBusySession();
    parts.session.cancel();
    parts.launcher.last.turns[0]?.resolve('cancelled');
    await settle();
    parts.session.send(textPrompt('more'));
    parts.session.cancel();
    expect(parts.session.state.phase).toBe('cancelling');
    expect(parts.launcher.last.calls.filter((call) => call === 'cancel s1')).toHaveLength(2);
  });

  it.each<[string, () => Promise<SessionParts>]>([
    ['no agent', async () => aSession()],
    ['an idle agent', aReadySession],
  ])('does nothing with %s', async (_, make) => {
    const parts = await make();
    const { phase } = parts.session.state;
    parts.session.cancel();
    expect(parts.session.state.phase).toBe(phase);
    expect(parts.timeline.filter((line) => line.startsWith('agent: cancel'))).toEqual([]);
  });

  it('while the agent starts returns the queued prompts and lets it start', async () => {
    const parts = aSession();
    parts.session.send(textPrompt('go'));
    parts.session.cancel();
    expect(parts.returned).toEqual(['go']);
    await parts.launcher.last.becomeReady();
    expect(prompts(parts)).toEqual([]);
    expect(parts.session.state.phase).toBe('idle');
  });
});
