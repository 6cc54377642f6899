import fs from 'node:fs';
import { describe, expect } from 'vitest';
import type { SessionEvent } from '../../src/session/events.ts';
import { type Entry, isBusy } from '../../src/session/model.ts';
import { Session } from '../../src/session/session.ts';
import { it, type Workshop } from '../support/agent-it.ts';
import { ManualClock, settle } from '../support/doubles.ts';
import { isAlive, processesWith } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, number) => `${number} `).join('');

describe.concurrent('a turn', () => {
  it('ends with the reason the agent gives, after everything it said', async ({ workshop }) => {
    const { prompt, sink } = await workshop.open();
    expect(await prompt('echo Hello, wörld 世界 👍')).toBe('end_turn');
    expect(sink.text).toBe('earlyHello, wörld 世界 👍');
  });

  it('has every one of 10,000 reports behind it when it ends', async ({ workshop }) => {
    const { prompt, sink } = await workshop.open();
    await prompt('count 10000');
    expect(sink.text).toBe(`early${numbers(10_000)}`);
  });

  it('has none of the reports behind it that came after its answer', async ({ workshop }) => {
    const { prompt, sink } = await workshop.open();
    await prompt('late 10000');
    expect(sink.text).toBe(`early${numbers(5_000)}`);
    await waitFor(() => sink.text.endsWith(' 9999 '));
    expect(sink.text).toBe(`early${numbers(10_000)}`);
  });

  it('is not disturbed by noise, which is logged and not answered', async ({ workshop }) => {
    const { prompt, sink } = await workshop.open();
    expect(await prompt('noise')).toBe('end_turn');
    expect(sink.text).toBe('earlyab');
    expect(workshop.log.lines.join('\n')).toMatch(/Loading plugins…[\s\S]*\[1\][\s\S]*Warning/);
    expect(workshop.sent.map(({ method }) => method)).toEqual([
      'initialize',
      'session/new',
      'session/prompt',
    ]);
  });

  it('can be cancelled', async ({ workshop }) => {
    const { agent, sessionId, prompt, sink } = await workshop.open();
    const turn = prompt('long');
    await waitFor(() => sink.events.some(({ kind }) => kind === 'tool'));
    agent.cancel(sessionId);
    expect(await turn).toBe('cancelled');
    expect(workshop.sent.at(-1)).toEqual({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId } });
  });
});

describe.concurrent('an error answer', () => {
  const gemini = JSON.stringify({ error: { code: 400, message: 'bad request', status: 'INVALID' } });

  it.for<[string, object, string, string]>([
    [
      'in the message',
      { code: -32603, message: 'Internal error: bad request' },
      'agent_error',
      'tester reports an error: bad request',
    ],
    [
      'in data.details',
      { code: -32603, message: 'Internal error', data: { details: 'bad request' } },
      'agent_error',
      'tester reports an error: bad request',
    ],
    [
      'in data.message',
      { code: -32603, message: 'Internal error', data: { message: 'bad request' } },
      'agent_error',
      'tester reports an error: bad request',
    ],
    [
      'in data alone',
      { code: -32603, message: 'Internal error', data: 'bad request' },
      'agent_error',
      'tester reports an error: bad request',
    ],
    [
      'as JSON in the message',
      { code: 400, message: gemini },
      'agent_error',
      'tester reports an error: bad request',
    ],
    [
      'for want of a login',
      { code: -32000, message: 'Authentication required' },
      'auth_required',
      'tester wants you to log in: Authentication required',
    ],
    ['for a cancellation', { code: -32800, message: 'Request cancelled' }, 'cancelled', 'Request cancelled'],
    ['without a word', { code: -32603 }, 'agent_error', 'tester reports an error: code -32603'],
    ['that is hardly one', {}, 'agent_error', 'tester reports an error: code -32603'],
  ])('is understood: %s', async ([, error, code, message], { workshop }) => {
    const { prompt } = await workshop.open();
    await expect(prompt(`fail ${JSON.stringify(error)}`)).rejects.toMatchObject({ code, message });
    expect(await prompt('echo still here')).toBe('end_turn');
  });
});

describe.concurrent('a request of the agent', () => {
  it('for permission is answered with the option that was taken', async ({ workshop }) => {
    const { prompt, sink } = await workshop.open();
    await prompt('ask rm -rf build');
    expect(sink.text).toBe(
      `early${JSON.stringify({ jsonrpc: '2.0', result: { outcome: { outcome: 'selected', optionId: 'ok' } } })}`,
    );
    expect(sink.asked).toMatchObject([
      {
        tool: { toolCallId: 'c1', title: 'rm -rf build', toolKind: 'execute', status: 'pending' },
        options: [
          { id: 'ok', name: 'Yes', kind: 'allow_once' },
          { id: 'no', name: 'No', kind: 'reject_once' },
        ],
      },
    ]);
  });

  it('for permission is answered as cancelled when nothing was taken', async ({ workshop }) => {
    const { prompt, sink } = await workshop.open();
    sink.choose = async () => undefined;
    await prompt('ask x');
    expect(sink.text).toContain('{"outcome":{"outcome":"cancelled"}}');
  });

  it('for permission can be taken back, and is answered all the same', async ({ workshop }) => {
    const { prompt, sink } = await workshop.open();
    sink.choose = ({ withdrawn }) =>
      new Promise((resolve) => {
        withdrawn.addEventListener('abort', () => resolve(undefined));
      });
    await prompt('withdraw');
    expect(sink.text).toContain('{"outcome":{"outcome":"cancelled"}}');
  });

  it('for permission in a session of its own reaches the user of the one it works for', async ({
    workshop,
  }) => {
    const { prompt, sink } = await workshop.open();
    const params = { sessionId: 'child', toolCall: { toolCallId: 'c' }, options: [] };
    await prompt(`call ${JSON.stringify(['session/request_permission', params])}`);
    expect(sink.asked.map(({ tool }) => tool.toolCallId)).toEqual(['child/c']);
  });

  it.for<[string, unknown, number]>([
    ['fs/read_text_file', { sessionId: 's1', path: '/etc/passwd' }, -32601],
    ['terminal/create', { sessionId: 's1', command: 'ls' }, -32601],
    ['_qwencode/start_turn', {}, -32601],
    ['session/request_permission', {}, -32602],
    ['session/request_permission', { sessionId: 's1', toolCall: {}, options: [] }, -32602],
    ['session/request_permission', [1], -32602],
  ])('%s %j is answered %i', async ([method, params, code], { workshop }) => {
    const { prompt, sink } = await workshop.open();
    await prompt(`call ${JSON.stringify([method, params])}`);
    expect(sink.text).toContain(`"error":{"code":${code},`);
    expect(sink.asked).toEqual([]);
  });
});

describe.concurrent('an agent that dies in a turn', () => {
  it('fails the prompt with its code and its last words', async ({ workshop }) => {
    const { prompt, sink, agent } = await workshop.open();
    const error = await prompt('exit').catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'agent_exited',
      message: 'tester exited with code 3.',
      detail: ['out of luck'],
    });
    expect(sink.text).toBe('earlyhalf an');
    expect(await agent.gone).toBe(error);
    await expect(prompt('echo')).rejects.toBe(error);
  });

  it('has answered when the answer was its last word', async ({ workshop }) => {
    const { prompt, agent } = await workshop.open();
    expect(await prompt('farewell')).toBe('end_turn');
    expect(await agent.gone).toMatchObject({ message: 'tester exited with code 0.' });
  });

  it('has answered though a child of its keeps the pipe open, and the child goes too', async ({
    workshop,
  }) => {
    const { prompt, agent } = await workshop.open();
    expect(await prompt('child')).toBe('end_turn');
    expect(await agent.gone).toMatchObject({ message: 'tester exited with code 0.' });
    await agent.end();
    expect(processesWith(workshop.marker)).toEqual([]);
  });

  it('fails the prompt when it only closes its output, and is ended', async ({ workshop }) => {
    const { prompt, agent, sessionId } = await workshop.open();
    const turn = prompt('mute');
    await expect(turn).rejects.toMatchObject({ code: 'agent_exited' });
    expect(() => agent.cancel(sessionId)).not.toThrow();
    await agent.end();
    expect(processesWith(workshop.marker)).toEqual([]);
  });

  it('fails a prompt that is sent while it goes down with the same words', async ({ workshop }) => {
    const { prompt } = await workshop.open();
    const first = prompt('mute');
    await waitFor(() => processesWith(workshop.marker).every(hasClosedOutput));
    // The end of the stream is read in one of the next turns of the event loop.
    await settle(20);
    const [one, other] = await Promise.allSettled([first, prompt('echo')]);
    expect(one).toMatchObject({ status: 'rejected', reason: { code: 'agent_exited' } });
    expect(other).toEqual(one);
  });

  const hasClosedOutput = ({ pid }: { pid: number }) => !fs.existsSync(`/proc/${pid}/fd/1`);
});

describe.concurrent('a session with a real agent', () => {
  function aSession(workshop: Workshop, fixture: string, ...args: string[]) {
    const events: SessionEvent[] = [];
    const returned: string[] = [];
    const launcher = { launch: () => workshop.launch(workshop.spec(fixture, ...args)) };
    const session = new Session(
      workshop.spec(fixture, ...args),
      { launcher, clock: new ManualClock(), log: workshop.log },
      {
        onChange: (event) => events.push(event),
        onPromptReturned: (text) => returned.push(text),
        onTerminalLogin: () => undefined,
      },
    );
    const until = (phase: string) =>
      waitFor(() => session.state.phase === phase, {
        describe: () => JSON.stringify(outline(session.state.entries)),
      });
    return { session, events, returned, until };
  }

  function outline(entries: readonly Entry[]): readonly string[] {
    return entries.map((entry) => {
      if (entry.kind === 'message') return `${entry.role}: ${entry.text}`;
      return entry.kind === 'notice' ? `${entry.severity}: ${entry.title}` : entry.kind;
    });
  }

  it('takes prompts before the agent is there, and runs them in order', async ({ workshop }) => {
    const { session, until } = aSession(workshop, 'speaking.mjs');
    session.send('echo one');
    session.send('echo two');
    await until('idle');
    await waitFor(() => session.state.queue.length === 0 && !isBusy(session.state));
    expect(outline(session.state.entries)).toEqual([
      'agent: early',
      'user: echo one',
      'agent: one',
      'user: echo two',
      'agent: two',
    ]);
    await session.end();
  });

  it('says in one line that the agent died, and works after a restart', async ({ workshop }) => {
    const { session, returned, until } = aSession(workshop, 'speaking.mjs');
    session.send('exit');
    await until('down');
    expect(outline(session.state.entries).at(-1)).toBe('error: tester exited with code 3 while answering.');
    expect(returned).toEqual([]);
    await session.restart();
    session.send('echo again');
    await waitFor(() => outline(session.state.entries).at(-1) === 'agent: again');
    await session.end();
  });

  it('gives a prompt back that the agent died of', async ({ workshop }) => {
    const { session, returned, until } = aSession(workshop, 'speaking.mjs');
    session.send('exit mute');
    session.send('echo next');
    await until('down');
    await waitFor(() => returned.length === 2);
    expect(returned).toEqual(['echo next', 'exit mute']);
  });

  it('does not hear the agent any more that was ended by force', async ({ workshop }) => {
    const { session, until } = aSession(workshop, 'speaking.mjs');
    session.send('count 2000000');
    await until('running');
    await waitFor(() => outline(session.state.entries).at(-1)?.startsWith('agent: 0 1 2'));
    session.cancel();
    session.cancel();
    const before = outline(session.state.entries);
    expect(before.at(-1)).toBe('warning: tester did not stop and was ended.');
    await waitFor(() => processesWith(workshop.marker).length === 0);
    expect(outline(session.state.entries)).toEqual(before);
  });

  it('cancels: tells the agent, settles its question, and ends the turn', async ({ workshop }) => {
    const { session, until } = aSession(workshop, 'speaking.mjs');
    session.send('ask rm');
    await waitFor(() => session.state.questions.length === 1);
    session.cancel();
    await until('idle');
    const cancel = workshop.sent.findIndex(({ method }) => method === 'session/cancel');
    const answer = workshop.sent.findIndex(({ result }) => JSON.stringify(result)?.includes('cancelled'));
    expect(cancel).toBeGreaterThan(0);
    expect(answer).toBeGreaterThan(cancel);
    await session.end();
  });

  it('says what to do about an agent that is not there', async ({ workshop }) => {
    const { session, returned, until } = aSession(workshop, 'dying.mjs', '41');
    session.send('hi');
    await until('down');
    expect(outline(session.state.entries)).toEqual(['error: tester exited with code 41.']);
    expect(returned).toEqual(['hi']);
  });

  it('ends the agent with itself', async ({ workshop }) => {
    const { session, until } = aSession(workshop, 'speaking.mjs');
    session.start();
    await until('idle');
    const [process] = processesWith(workshop.marker);
    await session.end();
    expect(isAlive(process!.pid)).toBe(false);
  });
});
