import { describe, expect, it } from 'vitest';
import { AcpError } from '../../../src/errors.ts';
import type { AgentEvent, SessionEvent } from '../../../src/session/events.ts';
import type { Abilities } from '../../../src/session/model.ts';
import { begunAnew, historyUnknown, startedAgain } from '../../../src/session/notices.ts';
import { Session } from '../../../src/session/session.ts';
import { aChunk, anAgentSpec, aPermission, aToolCall, aToolPatch, isReady } from '../../support/builders.ts';
import { choose } from '../../support/choose.ts';
import { Deferred, LauncherDouble, LogDouble, ManualClock, settle } from '../../support/doubles.ts';

const exited = new AcpError('agent_exited', 'tester exited with code 1.', {
  detail: ['no key'],
  hint: ':AcpRestart starts it again.',
});

/** A session with doubles around it, and everything that happened to it in one line of time. */
function aSession() {
  const timeline: string[] = [];
  const returned: string[] = [];
  const launcher = new LauncherDouble((call) => timeline.push(`agent: ${call}`));
  const clock = new ManualClock();
  const log = new LogDouble();
  const session = new Session(
    anAgentSpec(),
    { launcher, clock, log },
    {
      onChange: (event: SessionEvent) => timeline.push(event.kind),
      onTerminalLogin: (_, { id }) => timeline.push(`terminal: ${id}`),
      onPromptReturned: (text) => {
        returned.push(text);
        timeline.push(`returned: ${text}`);
      },
    },
  );
  return { session, launcher, clock, log, timeline, returned };
}

type Parts = ReturnType<typeof aSession>;

async function aReadySession(): Promise<Parts> {
  const parts = aSession();
  parts.session.start();
  await parts.launcher.last.becomeReady();
  return parts;
}

async function aBusySession(): Promise<Parts> {
  const parts = await aReadySession();
  parts.session.send('go');
  return parts;
}

function notices({ session }: Parts): readonly string[] {
  return session.state.entries.flatMap((entry) => (entry.kind === 'notice' ? [entry.title] : []));
}

function prompts({ launcher }: Parts): readonly string[] {
  return launcher.links.flatMap(({ calls }) => calls.filter((call) => call.startsWith('prompt')));
}

describe('starting', () => {
  it('goes through the handshake and opens a session in the folder', async () => {
    const { session, launcher } = await aReadySession();
    expect(launcher.last.calls).toEqual(['open /work']);
    expect(session.state).toMatchObject({ phase: 'idle', agent: { name: 'tester', title: 'Tester' } });
  });

  it('happens once', () => {
    const { session, launcher } = aSession();
    session.start();
    session.start();
    expect(launcher.links).toHaveLength(1);
  });

  it('says so when the agent does not answer, once, and goes on waiting', async () => {
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

  it('says nothing of that kind when the agent has answered', async () => {
    const parts = await aReadySession();
    parts.clock.advance(100_000);
    expect(notices(parts)).toEqual([]);
    expect(parts.clock.pending).toBe(0);
  });

  it('shows what the agent reports before it is ready', async () => {
    const { session, launcher } = aSession();
    session.start();
    launcher.last.readiness.resolve({ name: 'tester', title: 'Tester' });
    await settle();
    launcher.last.sink?.report(aChunk('hello'));
    expect(session.state.entries).toHaveLength(1);
  });

  it.each<[string, (parts: Parts) => void]>([
    ['in the handshake', ({ launcher }) => launcher.last.readiness.reject(exited)],
    [
      'when the session is opened',
      ({ launcher }) => {
        launcher.last.readiness.resolve({ name: 'tester', title: 'Tester' });
        launcher.last.opening.reject(exited);
      },
    ],
    ['by a death that nobody waited for', ({ launcher }) => launcher.last.end$.resolve(exited)],
  ])('fails %s with one clear line, and gives the prompts back', async (_, fail) => {
    const parts = aSession();
    parts.session.send('one');
    parts.session.send('two');
    fail(parts);
    await settle();
    expect(parts.session.state.phase).toBe('down');
    expect(notices(parts)).toEqual(['tester exited with code 1.']);
    expect(parts.returned).toEqual(['one\n\ntwo']);
    expect(parts.launcher.last.calls).toContain('dispose');
    expect(parts.clock.pending).toBe(0);
  });

  it('that throws is a failure like any other, and can be tried again', async () => {
    const parts = aSession();
    parts.launcher.failure = new AcpError('agent_missing', 'tester could not be started: spawn ENOTDIR');
    parts.session.send('one');
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

describe('prompts', () => {
  it('are sent at once to an idle agent', async () => {
    const parts = await aBusySession();
    expect(prompts(parts)).toEqual(['prompt s1 go']);
    expect(parts.session.state).toMatchObject({ phase: 'running', queue: [] });
  });

  it('start an agent when there is none', () => {
    const { session, launcher } = aSession();
    session.send('go');
    expect(launcher.links).toHaveLength(1);
    expect(session.state).toMatchObject({ phase: 'starting', queue: [{ text: 'go' }] });
  });

  it('wait while the agent starts', async () => {
    const parts = aSession();
    parts.session.start();
    parts.session.send('one');
    parts.session.send('two');
    expect(prompts(parts)).toEqual([]);
    await parts.launcher.last.becomeReady();
    expect(prompts(parts)).toEqual(['prompt s1 one']);
    expect(parts.session.state.queue).toEqual([{ text: 'two' }]);
  });

  it('wait for the running turn, one at a time, in order', async () => {
    const parts = await aBusySession();
    parts.session.send('second');
    parts.session.send('third');
    expect(prompts(parts)).toHaveLength(1);
    parts.launcher.last.turns[0]?.resolve('end_turn');
    await settle();
    expect(prompts(parts)).toEqual(['prompt s1 go', 'prompt s1 second']);
    parts.launcher.last.turns[1]?.resolve('end_turn');
    await settle();
    expect(prompts(parts)).toHaveLength(3);
  });

  it('that fail unanswered go back with what waited behind them, the first one on top', async () => {
    const parts = await aBusySession();
    parts.session.send('second');
    parts.launcher.last.turns[0]?.reject(new AcpError('agent_error', 'tester reports an error: quota'));
    await settle();
    expect(notices(parts)).toEqual(['tester reports an error: quota']);
    // Each that comes back is put before what is there already.
    expect(parts.returned).toEqual(['second', 'go']);
    expect(parts.session.state).toMatchObject({ phase: 'idle', queue: [] });
  });

  it('that fail in the middle of an answer stay where they are', async () => {
    const parts = await aBusySession();
    parts.session.report(aChunk('half an'));
    parts.launcher.last.turns[0]?.reject(new AcpError('agent_error', 'tester reports an error: quota'));
    await settle();
    expect(parts.returned).toEqual([]);
    expect(parts.session.state.phase).toBe('idle');
  });

  it('that were refused for want of a login wait for it, and those behind them', async () => {
    const parts = await aBusySession();
    parts.session.send('later');
    const error = new AcpError('auth_required', 'tester wants you to log in: x');
    parts.launcher.last.turns[0]?.reject(error);
    await settle();
    const { state } = parts.session;
    expect(state.entries.at(-1)).toMatchObject({
      kind: 'notice',
      severity: 'error',
      hint: 'Log in with its own program; :AcpRestart tries again.',
    });
    expect(state.phase).toBe('login');
    expect(state.queue.map(({ text }) => text)).toEqual(['go', 'later']);
    expect(parts.returned).toEqual([]);
  });
});

describe('a login', () => {
  it('that is wanted before the handshake ends the start with one clear line', async () => {
    const parts = aSession();
    parts.session.start();
    parts.launcher.last.readiness.reject(new AcpError('auth_required', 'tester wants you to log in: no key'));
    await settle();
    expect(parts.session.state.phase).toBe('down');
    expect(notices(parts)).toEqual(['tester wants you to log in: no key']);
  });

  const agent = {
    name: 'tester',
    title: 'Tester',
    authMethods: [
      { id: 'own', name: 'Own', description: undefined, kind: 'agent' },
      {
        id: 'term',
        name: 'Term',
        description: undefined,
        kind: 'terminal',
        command: ['tester', '--login'],
        env: {},
      },
    ],
  } as const;

  async function atTheDoor(): Promise<Parts> {
    const parts = aSession();
    parts.session.send('go');
    parts.launcher.last.readiness.resolve(agent);
    parts.launcher.last.opening.reject(new AcpError('auth_required', 'log in'));
    await settle();
    parts.timeline.length = 0;
    return parts;
  }

  it('that the agent drives opens the session again and sends what waited', async () => {
    const parts = await atTheDoor();
    const { last } = parts.launcher;
    last.loggingIn.resolve();
    last.opening = new Deferred();
    last.opening.resolve('s1');
    await parts.session.login('own');
    await settle();
    expect(parts.timeline.filter((step) => step.startsWith('agent:'))).toEqual([
      'agent: authenticate own',
      expect.stringMatching(/^agent: open /),
      'agent: prompt s1 go',
    ]);
  });

  it('in a terminal is the user’s, and a new agent gets what waited', async () => {
    const parts = await atTheDoor();
    await parts.session.login('term');
    expect(parts.timeline).toEqual(['notice', 'terminal: term']);
    expect(parts.session.state.entries.at(-1)).toMatchObject({ detail: ['tester --login', 'in /work'] });
    parts.launcher.last.ending.resolve();
    await parts.session.loginEnded(0);
    expect(parts.launcher.links).toHaveLength(2);
    expect(parts.session.state.queue.map(({ text }) => text)).toEqual(['go']);
    expect(parts.returned).toEqual([]);
  });

  it.each([
    ['that fails', async ({ session }: Parts) => session.loginEnded(1), 'The login ended with code 1.'],
    [
      'that is refused',
      async ({ session, launcher }: Parts) => {
        launcher.last.loggingIn.reject(new AcpError('agent_error', 'no such user'));
        await session.login('own');
      },
      'no such user',
    ],
  ])('%s is told, and can be tried again', async (_, act, title) => {
    const parts = await atTheDoor();
    await act(parts);
    expect(parts.session.state.entries.at(-1)).toMatchObject({ kind: 'notice', title });
    expect(parts.session.state.phase).toBe('login');
  });

  it('by a method nobody offered is no login', async () => {
    const parts = await atTheDoor();
    await parts.session.login('forged');
    expect(parts.timeline).toEqual([]);
  });
});

describe('cancel', () => {
  it('tells the agent first, then marks the calls, then answers the questions', async () => {
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

  it('waits for the agent to end the turn, and takes its last words', async () => {
    const parts = await aBusySession();
    parts.session.cancel();
    parts.session.report(aChunk('tidying up'));
    expect(parts.session.state.phase).toBe('cancelling');
    parts.launcher.last.turns[0]?.resolve('cancelled');
    await settle();
    expect(parts.session.state.phase).toBe('idle');
    expect(notices(parts)).toEqual(['Stopped.']);
  });

  it('answers what the agent asks from then on, without asking the user', async () => {
    const parts = await aBusySession();
    parts.session.cancel();
    expect(await parts.session.ask(aPermission({ tool: aToolPatch({ title: 'clean' }) }))).toBeUndefined();
    expect(parts.session.state.questions).toEqual([]);
    expect(parts.session.state.tools.get('call-1')?.title).toBe('clean');
  });

  it('takes an error for the answer to it', async () => {
    const parts = await aBusySession();
    parts.session.report(aChunk('half an'));
    parts.session.cancel();
    parts.launcher.last.turns[0]?.reject(new AcpError('agent_error', 'tester reports an error: aborted'));
    await settle();
    expect(notices(parts)).toEqual(['Stopped.']);
    expect(parts.session.state.phase).toBe('idle');
  });

  it('gives back what waited behind the turn', async () => {
    const parts = await aBusySession();
    parts.session.send('second');
    parts.session.send('third');
    parts.session.cancel();
    expect(parts.returned).toEqual(['second\n\nthird']);
    parts.launcher.last.turns[0]?.resolve('cancelled');
    await settle();
    expect(prompts(parts)).toHaveLength(1);
  });

  it('a second time ends the agent', async () => {
    const parts = await aBusySession();
    parts.session.cancel();
    parts.session.cancel();
    expect(parts.launcher.last.calls).toContain('dispose');
    expect(parts.session.state.phase).toBe('down');
    expect(notices(parts)).toEqual(['tester did not stop and was ended.']);
    parts.launcher.last.turns[0]?.resolve('cancelled');
    await settle();
    expect(parts.session.state.phase, 'a late answer changes nothing').toBe('down');
  });

  it('lets the next turn be cancelled in its own right', async () => {
    const parts = await aBusySession();
    parts.session.cancel();
    parts.launcher.last.turns[0]?.resolve('cancelled');
    await settle();
    parts.session.send('more');
    parts.session.cancel();
    expect(parts.session.state.phase).toBe('cancelling');
    expect(parts.launcher.last.calls.filter((call) => call === 'cancel s1')).toHaveLength(2);
  });

  it.each<[string, () => Promise<Parts>]>([
    ['no agent', async () => aSession()],
    ['an idle agent', aReadySession],
  ])('does nothing to %s', async (_, make) => {
    const parts = await make();
    const { phase } = parts.session.state;
    parts.session.cancel();
    expect(parts.session.state.phase).toBe(phase);
    expect(parts.timeline.filter((line) => line.startsWith('agent: cancel'))).toEqual([]);
  });

  it('while the agent starts gives back what waits, and lets it start', async () => {
    const parts = aSession();
    parts.session.send('go');
    parts.session.cancel();
    expect(parts.returned).toEqual(['go']);
    await parts.launcher.last.becomeReady();
    expect(prompts(parts)).toEqual([]);
    expect(parts.session.state.phase).toBe('idle');
  });
});

describe('questions', () => {
  it('are asked of the user, about the tool call they name', async () => {
    const { session } = await aBusySession();
    const answered = session.ask(aPermission());
    expect(session.state.questions).toHaveLength(1);
    expect(session.state.tools.get('call-1')).toMatchObject({ title: 'rm -rf build', toolKind: 'execute' });
    choose(session, 1, 'yes');
    expect(await answered).toBe('yes');
    expect(session.state.questions).toEqual([]);
  });

  it('may come when no turn runs', async () => {
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

  it('are settled when the agent takes them back', async () => {
    const { session } = await aBusySession();
    const withdrawal = new AbortController();
    const answered = session.ask(aPermission({ withdrawn: withdrawal.signal }));
    withdrawal.abort();
    expect(await answered).toBeUndefined();
    expect(session.state.questions).toEqual([]);
  });

  it('are settled when the agent dies', async () => {
    const { session, launcher } = await aBusySession();
    const answered = session.ask(aPermission());
    await launcher.last.die(exited);
    expect(await answered).toBeUndefined();
    expect(session.state.questions).toEqual([]);
  });
});

describe('the death of the agent', () => {
  it('when it is idle is told in one line, with its last words and the next step', async () => {
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

  it('in the middle of an answer says so, and gives back what waited', async () => {
    const parts = await aBusySession();
    parts.session.report(aChunk('half an'));
    parts.session.send('second');
    await parts.launcher.last.die(exited);
    expect(notices(parts)).toEqual(['tester exited with code 1 while answering.']);
    expect(parts.returned).toEqual(['second']);
    expect(parts.session.state.phase).toBe('down');
  });

  it('before it answered gives the prompt back, with what waited behind it', async () => {
    const parts = await aBusySession();
    parts.session.send('second');
    await parts.launcher.last.die(exited);
    expect(parts.returned).toEqual(['second', 'go']);
    expect(notices(parts)).toHaveLength(1);
  });

  it('while cancelling ends the turn', async () => {
    const parts = await aBusySession();
    parts.session.report(aChunk('half an'));
    parts.session.cancel();
    await parts.launcher.last.die(exited);
    expect(parts.session.state.phase).toBe('down');
    expect(notices(parts)).toHaveLength(1);
  });

  it('just after it answered is told after the turn', async () => {
    const parts = await aBusySession();
    parts.session.report({ kind: 'chunk', role: 'agent', text: 'done' });
    parts.launcher.last.turns[0]?.resolve('end_turn');
    await parts.launcher.last.die(exited);
    expect(notices(parts)).toEqual(['tester exited with code 1.']);
    expect(parts.session.state.phase).toBe('down');
    expect(parts.returned).toEqual([]);
  });

  it('of one that was ended already is nobody’s business', async () => {
    const parts = await aBusySession();
    const old = parts.launcher.last;
    old.ending.resolve();
    await parts.session.restart();
    await old.die(exited);
    await parts.launcher.last.becomeReady();
    expect(parts.session.state.phase).toBe('idle');
    expect(notices(parts)).toEqual([begunAnew.title]);
  });

  it('that is a bug of ours is logged', async () => {
    const parts = aSession();
    parts.session.start();
    parts.launcher.last.readiness.reject(new TypeError('x is not a function'));
    await settle();
    expect(notices(parts)).toEqual(['x is not a function']);
    expect(parts.log.lines.join()).toContain('x is not a function');
  });

  it('lets the next prompt start it again', async () => {
    const parts = await aReadySession();
    await parts.launcher.last.die(exited);
    parts.session.send('again');
    expect(parts.launcher.links).toHaveLength(2);
    await parts.launcher.last.becomeReady();
    expect(prompts(parts)).toEqual(['prompt s1 again']);
  });
});

describe('a restart', () => {
  it('ends the agent before it starts the next, and keeps the transcript', async () => {
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

  it.each<[string, () => Promise<Parts>]>([
    ['that never was', async () => aSession()],
    [
      'that died',
      async () => {
        const parts = await aReadySession();
        await parts.launcher.last.die(exited);
        return parts;
      },
    ],
  ])('of an agent %s starts one', async (_, make) => {
    const parts = await make();
    await parts.session.restart();
    await parts.launcher.last.becomeReady();
    expect(parts.session.state.phase).toBe('idle');
  });

  it('of an agent that still starts forgets the one before', async () => {
    const parts = aSession();
    parts.session.start();
    const [old] = parts.launcher.links;
    old?.ending.resolve();
    await parts.session.restart();
    await old?.becomeReady('Old');
    expect(parts.session.state).toMatchObject({ phase: 'starting', agent: { title: 'tester' } });
  });

  it('starts nothing until the program has ended, and then sends what was written meanwhile', async () => {
    const parts = await aReadySession();
    const [old] = parts.launcher.links;
    const restarted = parts.session.restart();
    parts.session.send('meanwhile');
    expect(parts.launcher.links).toHaveLength(1);
    old?.ending.resolve();
    await restarted;
    await parts.launcher.last.becomeReady();
    expect(prompts(parts)).toEqual(['prompt s1 meanwhile']);
  });

  it('starts nothing any more when the session was closed meanwhile', async () => {
    const parts = await aReadySession();
    const restarted = parts.session.restart();
    parts.session.dispose();
    parts.launcher.last.ending.resolve();
    await restarted;
    expect(parts.launcher.links).toHaveLength(1);
  });

  it.each<[string, (parts: Parts) => void, Abilities, string]>([
    ['remembers', (parts) => parts.session.send('go'), { resume: true }, 'remembers the conversation'],
    ['was told nothing before', () => undefined, {}, 'Tester was started again.'],
    ['does not remember', (parts) => parts.session.send('go'), {}, begunAnew.title],
  ])('says that the agent is back, of one that %s', async (_, speak, abilities, expected) => {
    const parts = await aReadySession();
    speak(parts);
    parts.launcher.last.ending.resolve();
    await parts.session.restart();
    await parts.launcher.last.becomeReady('Tester', abilities);
    expect(notices(parts)).toEqual([expect.stringContaining(expected)]);
  });

  it('takes the other sessions of the program along, and keeps their prompts', async () => {
    const [one, other] = [await aReadySession(), await aBusySession()];
    other.session.send('second');
    one.launcher.last.ending.resolve();
    await one.session.restart([other.session]);
    expect(other.returned).toEqual([]);
    await other.launcher.last.becomeReady();
    expect(prompts(other)).toEqual(['prompt s1 go', 'prompt s1 second']);
  });

  it('gives back the prompts that waited', async () => {
    const parts = await aBusySession();
    parts.session.send('second');
    void parts.session.restart();
    expect(parts.returned).toEqual(['second']);
  });

  it('settles the questions of before', async () => {
    const parts = await aBusySession();
    const answered = parts.session.ask(aPermission());
    void parts.session.restart();
    expect(await answered).toBeUndefined();
  });
});

describe('the end of a session', () => {
  it('settles when the agent has ended', async () => {
    const { session, launcher } = await aReadySession();
    let hasEnded = false;
    const ended = session.end().then(() => {
      hasEnded = true;
    });
    await settle();
    expect({ hasEnded, calls: launcher.last.calls.slice(1) }).toEqual({
      hasEnded: false,
      calls: ['dispose', 'end'],
    });
    launcher.last.ending.resolve();
    await ended;
  });

  it('leaves no timer', () => {
    const { session, clock } = aSession();
    session.start();
    session.dispose();
    session.dispose();
    expect(clock.pending).toBe(0);
  });
});

describe('a restored session', () => {
  it('shows what was written down, gives back what waited, and starts anew', async () => {
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
    expect(parts.session.restore(records, startedAgain)).toBe(true);
    expect(parts.session.state).toMatchObject({ phase: 'down', questions: [], queue: [] });
    expect(parts.returned).toEqual(['second']);
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
});

describe('a report of usage', () => {
  const usage: AgentEvent = { kind: 'usage', usage: { used: 1, size: 2, cost: undefined } };
  const textsAfter = async (messageId?: string) => {
    const { session } = await aBusySession();
    for (const event of [aChunk('a', 'agent', messageId), usage, aChunk('b', 'agent', messageId)])
      session.report(event);
    return session.state.entries.flatMap((entry) =>
      entry.kind === 'message' && entry.role === 'agent' ? [entry.text.toString()] : [],
    );
  };

  it('ends the message before it', async () => expect(await textsAfter()).toEqual(['a', 'b']));

  it('ends no message that has a name', async () => expect(await textsAfter('m')).toEqual(['ab']));
});

describe('a conversation of before', () => {
  const texts = ({ session }: Parts) =>
    session.state.entries.flatMap((entry) => (entry.kind === 'message' ? [entry.text.toString()] : []));

  /** A session that is to go on with another, and the agent it goes on with. */
  async function anEarlier(abilities: Abilities): Promise<Parts> {
    const parts = aSession();
    parts.session.goOnWith('old');
    parts.session.start();
    parts.launcher.last.readiness.resolve({ name: 'tester', title: 'Tester', abilities });
    await settle();
    return parts;
  }

  async function aRestarted(abilities: Abilities): Promise<Parts> {
    const parts = aSession();
    parts.session.start();
    await parts.launcher.last.becomeReady('Tester', abilities);
    parts.session.send('go');
    parts.session.report(aChunk('an answer'));
    parts.launcher.last.ending.resolve();
    await parts.session.restart();
    parts.launcher.last.readiness.resolve({ name: 'tester', title: 'Tester', abilities });
    await settle();
    return parts;
  }

  it.each<[string, Abilities, string]>([
    ['is told again', { load: true, resume: true }, 'load old /work'],
    ['is gone on with where it can’t be told', { resume: true }, 'resume old /work'],
    ['is left where neither can be', {}, 'open /work'],
  ])('%s', async (_, abilities, call) => {
    const { launcher } = await anEarlier(abilities);
    expect(launcher.last.calls).toEqual([call]);
  });

  it.each<[string, Abilities, string]>([
    ['is gone on with', { load: true, resume: true }, 'resume s1 /work'],
    ['is told again where it can’t be gone on with', { load: true }, 'load s1 /work'],
    ['is left where neither can be', {}, 'open /work'],
  ])('%s after a restart, as the chat shows it already', async (_, abilities, call) => {
    const { launcher } = await aRestarted(abilities);
    expect(launcher.last.calls).toEqual([call]);
  });

  it('is history that no turn runs in, and says no time', async () => {
    const parts = await anEarlier({ load: true });
    parts.session.report(aChunk('a question', 'user'));
    parts.session.report(aToolCall({ status: 'running' }));
    expect(parts.session.state).toMatchObject({ phase: 'starting', agent: { title: 'Tester' } });
    parts.launcher.last.opening.resolve('old');
    await settle();
    expect(parts.session.state).toMatchObject({
      phase: 'idle',
      sessionId: 'old',
      entries: [{ isPast: true }, { isPast: true, status: 'unreported' }],
    });
  });

  it('may be told after the answer, and still is history', async () => {
    const parts = await anEarlier({ load: true });
    parts.launcher.last.opening.resolve('old');
    await settle();
    parts.session.report(aChunk('late', 'user'));
    parts.session.report(aToolCall({ status: 'running' }));
    parts.session.send('now');
    parts.clock.advance(1_000);
    await settle();
    expect(parts.session.state.entries).toMatchObject([
      { isPast: true },
      { isPast: true, status: 'unreported' },
      { kind: 'message' },
    ]);
    expect(parts.session.state.entries.at(-1)?.isPast).toBeUndefined();
  });

  it('is not drawn twice when it is told to a chat that shows it', async () => {
    const parts = await aRestarted({ load: true });
    parts.session.report(aChunk('go', 'user'));
    parts.session.report(aChunk('an answer'));
    parts.session.report({ kind: 'mode', mode: 'plan' });
    parts.launcher.last.opening.resolve('s1');
    await settle();
    parts.session.report(aChunk('told late'));
    expect(texts(parts)).toEqual(['go', 'an answer']);
    parts.session.send('more');
    parts.session.report(aChunk('news'));
    expect(texts(parts)).toEqual(['go', 'an answer', 'more', 'news']);
  });

  it('that is told after the answer is not drawn again, and a prompt that waits for it is answered below it', async () => {
    const parts = await aRestarted({ load: true });
    parts.session.send('more');
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

  it('that is still told while a prompt is answered is not drawn again', async () => {
    const parts = await aRestarted({ load: true });
    parts.session.send('more');
    parts.launcher.last.opening.resolve('s1');
    await settle();
    parts.clock.advance(1_000);
    await settle();
    for (const event of [aChunk('go', 'user'), aChunk('an answer'), aChunk('news')])
      parts.session.report(event);
    expect(texts(parts)).toEqual(['go', 'an answer', 'more', 'news']);
  });

  it('that is told only after a prompt was answered is not drawn again, and what follows is', async () => {
    const parts = await aRestarted({ load: true });
    parts.session.send('more');
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

  it('that went on elsewhere is shown from where the chat ends', async () => {
    const parts = aSession();
    parts.session.restore([
      { at: 5, event: { kind: 'turn_started', text: 'go' } },
      { at: 6, event: aChunk('an answer') },
      { at: 7, event: { kind: 'turn_ended', stopReason: 'end_turn' } },
    ]);
    parts.session.goOnWith('old', 'Its title');
    expect(parts.session.state.title).toBe('Its title');
    parts.session.start();
    const abilities = { load: true, resume: true };
    parts.launcher.last.readiness.resolve({ name: 'tester', title: 'Tester', abilities });
    await settle();
    const told = [aChunk('go\n', 'user'), aChunk('an answer'), aChunk('elsewhere', 'user'), aChunk('yes')];
    for (const event of told) parts.session.report(event);
    parts.launcher.last.opening.resolve('old');
    await settle();
    expect(texts(parts)).toEqual(['go', 'an answer', 'elsewhere', 'yes']);
    const { entries } = parts.session.state;
    expect(entries.map(({ at, isPast = false }) => (isPast ? 'past' : at))).toEqual([5, 6, 'past', 'past']);
  });

  it('that breaks off while it is told is not drawn twice when it is told again', async () => {
    const parts = await anEarlier({ load: true });
    parts.session.report(aChunk('one', 'user'));
    parts.session.report(aChunk('first'));
    await parts.launcher.last.die(new AcpError('agent_exited', 'tester exited.'));
    parts.session.start();
    parts.launcher.last.readiness.resolve({ name: 'tester', title: 'Tester', abilities: { load: true } });
    await settle();
    const told = [aChunk('one', 'user'), aChunk('first'), aChunk('two', 'user'), aChunk('second')];
    for (const event of told) parts.session.report(event);
    parts.launcher.last.opening.resolve('old');
    await settle();
    expect(texts(parts)).toEqual(['one', 'first', 'two', 'second']);
  });

  it('that the agent goes on with in silence is said to be unknown here', async () => {
    const parts = await anEarlier({ resume: true });
    parts.launcher.last.opening.resolve('old');
    await settle();
    expect(notices(parts)).toEqual([historyUnknown.title]);
  });

  it('that can’t be opened gives way to a new one, with the reason', async () => {
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

  it('can be given up while it is told', async () => {
    const parts = await anEarlier({ load: true });
    parts.launcher.last.opening.promise.catch(() => undefined);
    const { last } = parts.launcher;
    const given = last.opening;
    last.opening = new Deferred();
    parts.session.cancel();
    await expect(given.promise).rejects.toThrow('taken back');
    await settle();
    expect(last.calls).toEqual(['load old /work', 'open /work']);
  });

  it('waits for a login when the agent wants one', async () => {
    const parts = await anEarlier({ load: true });
    const { last } = parts.launcher;
    last.opening.reject(new AcpError('auth_required', 'log in'));
    await settle();
    expect(parts.session.state.phase).toBe('login');
    expect(last.calls).toEqual(['load old /work']);
  });
});

describe('what no rule allows', () => {
  const wish = { kind: 'edit', subject: '/etc/hosts', reason: 'outside of the folders' } as const;

  it.each<[string, (parts: Parts) => void, boolean, string]>([
    ['is allowed by the user', ({ session }) => choose(session, 1, 'allow'), true, 'done'],
    ['is refused by the user', ({ session }) => choose(session, 1, 'reject'), false, 'failed'],
  ])('%s', async (_, act, expected, status) => {
    const parts = await aBusySession();
    const consented = parts.session.asking.consent(wish);
    expect(parts.session.state.questions).toMatchObject([{ tool: { title: '/etc/hosts' } }]);
    act(parts);
    expect(await consented).toBe(expected);
    expect([...parts.session.state.tools.values()]).toMatchObject([{ status }]);
  });

  it('is decided by nobody when the turn is cancelled', async () => {
    const { session } = await aBusySession();
    const consented = session.asking.consent(wish);
    session.cancel();
    await expect(consented).rejects.toMatchObject({ code: 'cancelled' });
    expect([...session.state.tools.values()]).toMatchObject([{ status: 'cancelled' }]);
  });
});
