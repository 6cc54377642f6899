import fs from 'node:fs';
import { describe, expect } from 'vitest';
import type { Entry } from '../../src/model/entries.ts';
import { textPrompt } from '../../src/model/prompt.ts';
import { isBusy } from '../../src/model/session.ts';
import type { SessionEvent } from '../../src/model/session-events.ts';
import { Session } from '../../src/session/session.ts';
import { type AgentHarness, it } from '../support/agents/agent-harness.ts';
import { ManualClock } from '../support/doubles/clock.ts';
import { settle } from '../support/doubles/deferred.ts';
import { isAlive, processesWith } from '../support/system/processes.ts';
import { waitFor } from '../support/wait.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, number) => `${number} `).join('');

describe.concurrent('a turn', () => {
  it('ends with the stop reason after every update was delivered', async ({ harness }) => {
    const { prompt, sink } = await harness.open();
    expect(await prompt('echo Hello, wörld 世界 👍')).toBe('end_turn');
    expect(sink.text).toBe('earlyHello, wörld 世界 👍');
  });

  it('ends after all of 10,000 updates were delivered', async ({ harness }) => {
    const { prompt, sink } = await harness.open();
    await prompt('count 10000');
    expect(sink.text).toBe(`early${numbers(10_000)}`);
  });

  it('ends before updates that follow the response', async ({ harness }) => {
    const { prompt, sink } = await harness.open();
    await prompt('late 10000');
    expect(sink.text).toBe(`early${numbers(5_000)}`);
    await waitFor(() => sink.text.endsWith(' 9999 '));
    expect(sink.text).toBe(`early${numbers(10_000)}`);
  });

  it('ignores invalid lines, which are logged and not answered', async ({ harness }) => {
    const { prompt, sink } = await harness.open();
    expect(await prompt('noise')).toBe('end_turn');
    expect(sink.text).toBe('earlyab');
    expect(harness.log.lines.join('\n')).toMatch(/Loading plugins…[\s\S]*\[1\][\s\S]*Warning/);
    expect(harness.sent.map(({ method }) => method)).toEqual(['initialize', 'session/new', 'session/prompt']);
  });

  it('can be cancelled', async ({ harness }) => {
    const { agent, sessionId, prompt, sink } = await harness.open();
    const turn = prompt('long');
    await waitFor(() => sink.events.some(({ kind }) => kind === 'tool'));
    agent.cancel(sessionId);
    expect(await turn).toBe('cancelled');
    expect(harness.sent.at(-1)).toEqual({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId } });
  });
});

describe.concurrent('an error response', () => {
  const gemini = JSON.stringify({ error: { code: 400, message: 'bad request', status: 'INVALID' } });

  it.for<[string, object, string, string]>([
    [
      'in the message',
      { code: -32603, message: 'Internal error: bad request' },
      'agent_error',
      'Fixture reports an error: bad request',
    ],
    [
      'in data.details',
      { code: -32603, message: 'Internal error', data: { details: 'bad request' } },
      'agent_error',
      'Fixture reports an error: bad request',
    ],
    [
      'in data.message',
      { code: -32603, message: 'Internal error', data: { message: 'bad request' } },
      'agent_error',
      'Fixture reports an error: bad request',
    ],
    [
      'in data alone',
      { code: -32603, message: 'Internal error', data: 'bad request' },
      'agent_error',
      'Fixture reports an error: bad request',
    ],
    [
      'as JSON in the message',
      { code: 400, message: gemini },
      'agent_error',
      'Fixture reports an error: bad request',
    ],
    [
      'because of a missing login',
      { code: -32000, message: 'Authentication required' },
      'auth_required',
      'Fixture wants you to log in: Authentication required',
    ],
    ['for a cancellation', { code: -32800, message: 'Request cancelled' }, 'cancelled', 'Request cancelled'],
    ['without a message', { code: -32603 }, 'agent_error', 'Fixture reports an error: code -32603'],
    ['without fields', {}, 'agent_error', 'Fixture reports an error: code -32603'],
  ])('is reported: %s', async ([, error, code, message], { harness }) => {
    const { prompt } = await harness.open();
    await expect(prompt(`fail ${JSON.stringify(error)}`)).rejects.toMatchObject({ code, message });
    expect(await prompt('echo still here')).toBe('end_turn');
  });
});

describe.concurrent('a request of the agent', () => {
  it('for permission is answered with the chosen option', async ({ harness }) => {
    const { prompt, sink } = await harness.open();
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

  it('for permission is answered as cancelled if nothing was chosen', async ({ harness }) => {
    const { prompt, sink } = await harness.open();
    sink.choose = async () => undefined;
    await prompt('ask x');
    expect(sink.text).toContain('{"outcome":{"outcome":"cancelled"}}');
  });

  it('for permission is answered even if the agent cancels it', async ({ harness }) => {
    const { prompt, sink } = await harness.open();
    sink.choose = ({ withdrawn }) =>
      new Promise((resolve) => {
        withdrawn.addEventListener('abort', () => resolve(undefined));
      });
    await prompt('withdraw');
    expect(sink.text).toContain('{"outcome":{"outcome":"cancelled"}}');
  });

  it('for permission in a subagent session reaches the user of the parent session', async ({ harness }) => {
    const { prompt, sink } = await harness.open();
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
  ])('%s %j is answered %i', async ([method, params, code], { harness }) => {
    const { prompt, sink } = await harness.open();
    await prompt(`call ${JSON.stringify([method, params])}`);
    expect(sink.text).toContain(`"error":{"code":${code},`);
    expect(sink.asked).toEqual([]);
  });
});

describe.concurrent('an agent that exits during a turn', () => {
  it('fails the prompt with its exit code and its last stderr lines', async ({ harness }) => {
    const { prompt, sink, agent } = await harness.open();
    const error = await prompt('exit').catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'agent_exited',
      message: 'Fixture exited with code 3.',
      detail: ['out of luck'],
    });
    expect(sink.text).toBe('earlyhalf an');
    expect(await agent.gone).toBe(error);
    await expect(prompt('echo')).rejects.toBe(error);
  });

  it('completes the prompt if the response was its last message', async ({ harness }) => {
    const { prompt, agent } = await harness.open();
    expect(await prompt('farewell')).toBe('end_turn');
    expect(await agent.gone).toMatchObject({ message: 'Fixture exited with code 0.' });
  });

  it('completes the prompt although a child keeps the pipe open, and the child is ended', async ({
    harness,
  }) => {
    const { prompt, agent } = await harness.open();
    expect(await prompt('child')).toBe('end_turn');
    expect(await agent.gone).toMatchObject({ message: 'Fixture exited with code 0.' });
    await agent.end();
    expect(processesWith(harness.marker)).toEqual([]);
  });

  it('fails the prompt if it only closes stdout, and is ended', async ({ harness }) => {
    const { prompt, agent, sessionId } = await harness.open();
    const turn = prompt('mute');
    await expect(turn).rejects.toMatchObject({ code: 'agent_exited' });
    expect(() => agent.cancel(sessionId)).not.toThrow();
    await agent.end();
    expect(processesWith(harness.marker)).toEqual([]);
  });

  it('fails a prompt that is sent during its exit with the same error', async ({ harness }) => {
    const { prompt } = await harness.open();
    const first = prompt('mute');
    await waitFor(() => processesWith(harness.marker).every(hasClosedOutput));
    // The end of the stream is read in one of the next event-loop iterations.
    await settle(20);
    const [one, other] = await Promise.allSettled([first, prompt('echo')]);
    expect(one).toMatchObject({ status: 'rejected', reason: { code: 'agent_exited' } });
    expect(other).toEqual(one);
  });

  const hasClosedOutput = ({ pid }: { pid: number }) => !fs.existsSync(`/proc/${pid}/fd/1`);
});

describe.concurrent('a session with a real agent', () => {
  function aSession(harness: AgentHarness, fixture: string, ...args: string[]) {
    const events: SessionEvent[] = [];
    const returned: string[] = [];
    const clock = new ManualClock();
    const launcher = { launch: () => harness.launch(harness.spec(fixture, ...args)) };
    const session = new Session(
      harness.spec(fixture, ...args),
      { launcher, clock, log: harness.log },
      {
        onChange: (event) => events.push(event),
        onPromptReturned: ({ text }) => returned.push(text),
        onTerminalLogin: () => undefined,
      },
    );
    const until = (phase: string) =>
      waitFor(() => session.state.phase === phase, {
        describe: () => JSON.stringify(outline(session.state.entries)),
      });
    return { session, clock, events, returned, until };
  }

  function outline(entries: readonly Entry[]): readonly string[] {
    return entries.map((entry) => {
      if (entry.kind === 'message') return `${entry.role}: ${entry.text}`;
      return entry.kind === 'notice' ? `${entry.severity}: ${entry.title}` : entry.kind;
    });
  }

  it('queues prompts before the agent is ready and runs them in order', async ({ harness }) => {
    const { session, until } = aSession(harness, 'commands.mjs');
    session.send(textPrompt('echo one'));
    session.send(textPrompt('echo two'));
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

  it('reports in one line that the agent exited, and works after a restart', async ({ harness }) => {
    const { session, returned, until } = aSession(harness, 'commands.mjs');
    session.send(textPrompt('exit'));
    await until('down');
    expect(outline(session.state.entries).at(-1)).toBe('error: Fixture exited with code 3 while answering.');
    expect(returned).toEqual([]);
    await session.restart();
    session.send(textPrompt('echo again'));
    await waitFor(() => outline(session.state.entries).at(-1) === 'agent: again');
    await session.end();
  });

  it('returns a prompt if the agent exited before it could answer', async ({ harness }) => {
    const { session, returned, until } = aSession(harness, 'commands.mjs');
    session.send(textPrompt('exit mute'));
    session.send(textPrompt('echo next'));
    await until('down');
    await waitFor(() => returned.length === 1);
    expect(returned).toEqual(['exit mute']);
    expect(session.state.queue).toMatchObject([{ text: 'echo next', isHeld: true }]);
  });

  it('ignores an agent that was killed', async ({ harness }) => {
    const { session, clock, until } = aSession(harness, 'commands.mjs');
    session.send(textPrompt('count 2000000'));
    await until('running');
    await waitFor(() => outline(session.state.entries).at(-1)?.startsWith('agent: 0 1 2'));
    session.cancel();
    clock.advance(2_000);
    session.cancel();
    const before = outline(session.state.entries);
    expect(before.at(-1)).toBe('warning: Fixture did not stop and was killed.');
    await waitFor(() => processesWith(harness.marker).length === 0);
    expect(outline(session.state.entries)).toEqual(before);
  });

  it('cancel notifies the agent, settles its question, and ends the turn', async ({ harness }) => {
    const { session, until } = aSession(harness, 'commands.mjs');
    session.send(textPrompt('ask rm'));
    await waitFor(() => session.state.questions.length === 1);
    session.cancel();
    await until('idle');
    const cancel = harness.sent.findIndex(({ method }) => method === 'session/cancel');
    const answer = harness.sent.findIndex(({ result }) => JSON.stringify(result)?.includes('cancelled'));
    expect(cancel).toBeGreaterThan(0);
    expect(answer).toBeGreaterThan(cancel);
    await session.end();
  });

  it('reports what to do about a missing agent', async ({ harness }) => {
    const { session, returned, until } = aSession(harness, 'exits-immediately.mjs', '41');
    session.send(textPrompt('hi'));
    await until('down');
    expect(outline(session.state.entries)).toEqual(['error: tester exited with code 41.']);
    expect(returned).toEqual(['hi']);
  });

  it('shows no secrets of an agent that could not be started', async ({ harness }) => {
    const { session, until } = aSession(harness, 'exits-immediately.mjs', '41', 'bad key API_KEY=hunter2');
    session.send(textPrompt('hi'));
    await until('down');
    const shown = JSON.stringify(session.state.entries);
    expect(shown).toContain('bad key API_KEY=<secret>');
    expect(shown).not.toContain('hunter2');
    await session.end();
  });

  it('ends its agent when it ends', async ({ harness }) => {
    const { session, until } = aSession(harness, 'commands.mjs');
    session.start();
    await until('idle');
    const [process] = processesWith(harness.marker);
    await session.end();
    expect(isAlive(process!.pid)).toBe(false);
  });
});
