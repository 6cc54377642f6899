import { describe, expect, it } from 'vitest';
import { AcpError } from '../../../src/base/errors.ts';
import type { AgentCapabilities } from '../../../src/model/agent.ts';
import { textPrompt } from '../../../src/model/prompt.ts';
import { startedWithoutMemory } from '../../../src/session/notices.ts';
import { aChunk, aPermission } from '../../support/builders.ts';
import { settle } from '../../support/doubles/deferred.ts';
import {
  aBusySession,
  aReadySession,
  aSession,
  exited,
  notices,
  prompts,
  type SessionParts,
} from '../../support/session-parts.ts';

describe('starting a session', () => {
  it('does the handshake and opens a session in the folder', async () => {
    const { session, launcher } = await aReadySession();
    expect(launcher.last.calls).toEqual(['open /work']);
    expect(session.state).toMatchObject({ phase: 'idle', agent: { name: 'tester', title: 'Tester' } });
  });

  it('starts the agent only once', () => {
    const { session, launcher } = aSession();
    session.start();
    session.start();
    expect(launcher.links).toHaveLength(1);
  });

  it('adds one notice when the agent does not answer, and keeps waiting', async () => {
    const parts = aSession();
    parts.session.start();
    parts.clock.advance(29_999);
    expect(notices(parts)).toEqual([]);
    parts.clock.advance(60_000);
    expect(notices(parts)).toEqual(['tester has not answered for 30 s.']);
    expect(parts.session.state.phase).toBe('starting');
    await parts.launcher.last.becomeReady();
    expect(parts.session.state.phase).toBe('idle');
  });

  it('after a restart names it as it named itself before', async () => {
    const parts = await aReadySession();
    parts.launcher.last.ending.resolve();
    await parts.session.restart();
    expect(parts.launcher.specs.map(({ title }) => title)).toEqual(['tester', 'Tester']);
    parts.clock.advance(30_000);
    expect(notices(parts)).toEqual(['Tester has not answered for 30 s.']);
  });

  it('adds no notice when the agent answers in time', async () => {
    const parts = await aReadySession();
    parts.clock.advance(100_000);
    expect(notices(parts)).toEqual([]);
    expect(parts.clock.pending).toBe(0);
  });

  it('shows updates that arrive before the session is open', async () => {
    const { session, launcher } = aSession();
    session.start();
    launcher.last.readiness.resolve({ name: 'tester', title: 'Tester' });
    await settle();
    launcher.last.sink?.report(aChunk('hello'));
    expect(session.state.entries).toHaveLength(1);
  });

  it.each<[string, (parts: SessionParts) => void]>([
    ['in the handshake', ({ launcher }) => launcher.last.readiness.reject(exited)],
    [
      'when the session is opened',
      ({ launcher }) => {
        launcher.last.readiness.resolve({ name: 'tester', title: 'Tester' });
        launcher.last.opening.reject(exited);
      },
    ],
    ['by an exit outside a request', ({ launcher }) => launcher.last.end$.resolve(exited)],
  ])('fails %s with one notice and returns the prompts', async (_, fail) => {
    const parts = aSession();
    parts.session.send(textPrompt('one'));
    parts.session.send(textPrompt('two'));
    fail(parts);
    await settle();
    expect(parts.session.state.phase).toBe('down');
    expect(notices(parts)).toEqual(['tester exited with code 1.']);
    expect(parts.returned).toEqual(['one\n\ntwo']);
    expect(parts.launcher.last.calls).toContain('end');
    expect(parts.clock.pending).toBe(0);
  });

  it('fails with a notice if the launcher throws, and can be retried', async () => {
    const parts = aSession();
    parts.launcher.failure = new AcpError('agent_missing', 'tester could not be started: spawn ENOTDIR');
    parts.session.send(textPrompt('one'));
    expect(parts.returned, 'the prompt is taken before it is given back').toEqual([]);
    await settle();
    expect(parts.session.state.phase).toBe('down');
    expect(notices(parts)).toEqual(['tester could not be started: spawn ENOTDIR']);
    expect(parts.returned).toEqual(['one']);
    parts.launcher.failure = undefined;
    await parts.session.restart();
    await parts.launcher.last.becomeReady();
    expect(parts.session.state.phase).toBe('idle');
  });
});

describe('the exit of the agent', () => {
  it('while idle adds one notice with its last stderr lines and a hint', async () => {
    const parts = await aReadySession();
    await parts.launcher.last.die(exited);
    expect(parts.session.state.entries).toEqual([
      expect.objectContaining({
        kind: 'notice',
        severity: 'error',
        title: 'tester exited with code 1.',
        detail: ['no key'],
        hint: ':AcpRestart starts it again.',
      }),
    ]);
    expect(parts.session.state.phase).toBe('down');
  });

  it('during an answer adds a notice and pauses the queue', async () => {
    const parts = await aBusySession();
    parts.session.report(aChunk('half an'));
    parts.session.send(textPrompt('second'));
    await parts.launcher.last.die(exited);
    expect(notices(parts)).toEqual(['tester exited with code 1 while answering.']);
    const hint = ':AcpRestart starts it again. :AcpRetry sends the prompt again.';
    expect(parts.session.state.entries.at(-1)).toMatchObject({ hint });
    expect(parts.returned).toEqual([]);
    expect(parts.session.state).toMatchObject({ phase: 'down', queue: [{ text: 'second', isHeld: true }] });
  });

  it('before an answer returns the prompt and pauses the queue', async () => {
    const parts = await aBusySession();
    parts.session.send(textPrompt('second'));
    await parts.launcher.last.die(exited);
    expect(parts.returned).toEqual(['go']);
    expect(parts.session.state.queue).toMatchObject([{ text: 'second', isHeld: true }]);
    expect(notices(parts)).toHaveLength(1);
    expect(parts.session.state.entries.at(-1)).toMatchObject({ hint: ':AcpRestart starts it again.' });
  });

  it('while cancelling ends the turn', async () => {
    const parts = await aBusySession();
    parts.session.report(aChunk('half an'));
    parts.session.cancel();
    await parts.launcher.last.die(exited);
    expect(parts.session.state.phase).toBe('down');
    expect(notices(parts)).toHaveLength(1);
  });

  it('right after the answer is reported after the turn', async () => {
    const parts = await aBusySession();
    parts.session.report({ kind: 'chunk', role: 'agent', text: 'done' });
    parts.launcher.last.turns[0]?.resolve('end_turn');
    await parts.launcher.last.die(exited);
    expect(notices(parts)).toEqual(['tester exited with code 1.']);
    expect(parts.session.state.phase).toBe('down');
    expect(parts.returned).toEqual([]);
  });

  it('is ignored for an agent that was ended before', async () => {
    const parts = await aBusySession();
    const old = parts.launcher.last;
    old.ending.resolve();
    await parts.session.restart();
    await old.die(exited);
    await parts.launcher.last.becomeReady();
    expect(parts.session.state.phase).toBe('idle');
    expect(notices(parts)).toEqual([startedWithoutMemory.title]);
  });

  it('is logged if it is an internal error', async () => {
    const parts = aSession();
    parts.session.start();
    parts.launcher.last.readiness.reject(new TypeError('x is not a function'));
    await settle();
    expect(notices(parts)).toEqual(['x is not a function']);
    expect(parts.log.lines.join()).toContain('x is not a function');
  });

  it('lets the next prompt start the agent again', async () => {
    const parts = await aReadySession();
    await parts.launcher.last.die(exited);
    parts.session.send(textPrompt('again'));
    expect(parts.launcher.links).toHaveLength(2);
    await parts.launcher.last.becomeReady();
    expect(prompts(parts)).toEqual(['prompt s1 again']);
  });
});

describe('a restart', () => {
  it('ends the agent before it starts the next one, and keeps the transcript', async () => {
    const parts = await aBusySession();
    parts.session.report(aChunk('an answer'));
    const restarted = parts.session.restart();
    expect({ links: parts.launcher.links.length, phase: parts.session.state.phase }).toEqual({
      links: 1,
      phase: 'starting',
    });
    parts.launcher.last.ending.resolve();
    await restarted;
    await parts.launcher.last.becomeReady();
    expect(parts.launcher.links).toHaveLength(2);
    expect(parts.session.state).toMatchObject({ phase: 'idle', questions: [] });
    expect(parts.session.state.entries.map(({ kind }) => kind)).toEqual(['message', 'message', 'notice']);
  });

  it.each<[string, () => Promise<SessionParts>]>([
    ['that never ran', async () => aSession()],
    [
      'that exited',
      async () => {
        const parts = await aReadySession();
        await parts.launcher.last.die(exited);
        return parts;
      },
    ],
  ])('of an agent %s starts it', async (_, make) => {
    const parts = await make();
    await parts.session.restart();
    await parts.launcher.last.becomeReady();
    expect(parts.session.state.phase).toBe('idle');
  });

  it('of an agent that is still starting drops it', async () => {
    const parts = aSession();
    parts.session.start();
    const [old] = parts.launcher.links;
    old?.ending.resolve();
    await parts.session.restart();
    await old?.becomeReady('Old');
    expect(parts.session.state).toMatchObject({ phase: 'starting', agent: { title: 'tester' } });
  });

  it('waits for the end of the program, then sends the prompts written meanwhile', async () => {
    const parts = await aReadySession();
    const [old] = parts.launcher.links;
    const restarted = parts.session.restart();
    parts.session.send(textPrompt('meanwhile'));
    expect(parts.launcher.links).toHaveLength(1);
    old?.ending.resolve();
    await restarted;
    await parts.launcher.last.becomeReady();
    expect(prompts(parts)).toEqual(['prompt s1 meanwhile']);
  });

  it('starts no agent if the session was closed meanwhile', async () => {
    const parts = await aReadySession();
    const restarted = parts.session.restart();
    parts.session.dispose();
    parts.launcher.last.ending.resolve();
    await restarted;
    expect(parts.launcher.links).toHaveLength(1);
  });

  it.each<[string, (parts: SessionParts) => void, AgentCapabilities, string]>([
    [
      'continues the session',
      (parts) => parts.session.send(textPrompt('go')),
      { resume: true },
      'continues the session',
    ],
    ['had no prompt before', () => undefined, {}, 'Tester was restarted.'],
    [
      'started a new session',
      (parts) => parts.session.send(textPrompt('go')),
      {},
      startedWithoutMemory.title,
    ],
  ])('adds a notice for an agent that %s', async (_, speak, capabilities, expected) => {
    const parts = await aReadySession();
    speak(parts);
    parts.launcher.last.ending.resolve();
    await parts.session.restart();
    await parts.launcher.last.becomeReady('Tester', capabilities);
    expect(notices(parts)).toEqual([expect.stringContaining(expected)]);
  });

  it('restarts the other sessions of the program and keeps their prompts', async () => {
    const [one, other] = [await aReadySession(), await aBusySession()];
    other.session.send(textPrompt('second'));
    one.launcher.last.ending.resolve();
    await one.session.restart([other.session]);
    expect(other.returned).toEqual([]);
    await other.launcher.last.becomeReady();
    expect(prompts(other)).toEqual(['prompt s1 go', 'prompt s1 second']);
  });

  it('pauses the queue', async () => {
    const parts = await aBusySession();
    parts.session.send(textPrompt('second'));
    parts.launcher.last.ending.resolve();
    await parts.session.restart();
    await parts.launcher.last.becomeReady();
    expect(parts.returned).toEqual([]);
    expect(parts.session.state).toMatchObject({ phase: 'idle', queue: [{ text: 'second', isHeld: true }] });
  });

  it('settles the open questions', async () => {
    const parts = await aBusySession();
    const answered = parts.session.ask(aPermission());
    void parts.session.restart();
    expect(await answered).toBeUndefined();
  });
});
