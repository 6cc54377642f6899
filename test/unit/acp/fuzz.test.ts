import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isRecord } from '../../../src/base.ts';
import { isBusy, type Question } from '../../../src/session/model.ts';
import { Session } from '../../../src/session/session.ts';
import { anAgentSpec } from '../../support/builders.ts';
import { choose } from '../../support/choose.ts';
import { LogDouble, ManualClock, settle } from '../../support/doubles.ts';
import { MemoryAgent } from '../../support/memory-agent.ts';
import { linesOf } from '../../support/stage.ts';
import { holdersIn, known, mutationOf, value } from './dialects/arbitrary.ts';
import { answer, notification, request, text, update, type Wire } from './dialects/talk.ts';

/**
 * How many messages in all, and in one connection. The same ones each time, so that a run can be repeated; others are
 * tried with ACP_FUZZ_FROM=…, and the one that failed again with the seed it prints: ACP_FUZZ_SEED=…
 */
const cases = Number(process.env.ACP_FUZZ_CASES ?? 100_000);
const batchSize = 100;
const numRuns = 100;
const patienceMs = 5_000;
const seed = process.env.ACP_FUZZ_SEED;
const firstSeed = Number(process.env.ACP_FUZZ_FROM ?? 1);

// The third request of a client is its prompt.
const promptId = 2;
const choices = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
];
const ofOurs: readonly Wire[] = [
  ...['plan_update', 'plan_removed'].map((sessionUpdate) =>
    update({ sessionUpdate, planId: 'p', plan: { type: 'markdown', planId: 'p', content: 'x' } }),
  ),
  update({
    sessionUpdate: 'tool_call_update',
    toolCallId: 't1',
    content: [{ type: 'terminal', terminalId: 't1' }],
    _meta: {
      terminal_info: { terminal_id: 't1' },
      terminal_output: { terminal_id: 't1', data: '\x1b[1mx\r\n' },
      terminal_exit: { terminal_id: 't1', exit_code: 1, signal: null },
    },
  }),
  request(20, 'session/request_permission', {
    sessionId: 's1',
    toolCall: { toolCallId: 't1' },
    options: choices,
  }),
  request(21, 'session/request_permission', { sessionId: 's1', toolCall: { toolCallId: 't2' }, options: [] }),
  notification('$/cancel_request', { requestId: 20 }),
  notification('session/end_turn', { sessionId: 's1' }),
  answer(promptId, { stopReason: 'end_turn' }),
  { jsonrpc: '2.0', id: promptId, error: { code: -32603, message: 'no', data: { details: 'x' } } },
  update({ sessionUpdate: 'user_message_chunk', content: text('go') }),
];

const message = fc.oneof(
  { weight: 8, arbitrary: mutationOf(...known, ...ofOurs) },
  { weight: 1, arbitrary: value },
  { weight: 1, arbitrary: fc.array(mutationOf(...known), { maxLength: 2 }) },
);
const batches = fc.array(message, { minLength: 1, maxLength: 2 * batchSize, size: 'max' });

/** A session in the middle of a turn, and a user who answers some of its questions. */
class Conversation {
  readonly log = new LogDouble();
  readonly peer = new MemoryAgent(this.log);
  /** The options that the user took, as often as they did. */
  readonly chosen: string[] = [];
  readonly session: Session;

  constructor() {
    const ports = { launcher: { launch: () => this.peer.agent }, clock: new ManualClock(), log: this.log };
    this.session = new Session(anAgentSpec(), ports, {
      onChange: (event) => event.kind === 'question_asked' && this.consider(event.question),
      onPromptReturned: () => undefined,
      onTerminalLogin: () => undefined,
    });
  }

  async begin(): Promise<void> {
    this.session.send('go');
    await this.until(() => isBusy(this.session.state), 'a turn');
  }

  /** Sends the messages and waits until they were all handled. */
  async hear(messages: readonly unknown[], marker: string): Promise<void> {
    this.peer.say(...messages, request(marker, '_fuzz/ping', {}));
    await this.until(() => this.answersTo(marker).length > 0, `answer to ${marker}`);
  }

  /** Does what ends everything that is still open. */
  async finish(): Promise<void> {
    for (const { question } of [...this.session.state.questions]) this.close(question);
    const prompts = this.peer.written.filter(({ method }) => method === 'session/prompt');
    await this.hear(
      prompts.map(({ id }) => answer(id, { stopReason: 'end_turn' })),
      'marker 2',
    );
    await settle();
  }

  answersTo(id: unknown) {
    return this.peer.written.filter((one) => one.method === undefined && one.id === id);
  }

  // A third of the questions get an answer at once, the others wait for the end.
  private consider({ id, options }: Question): void {
    const option = id % 3 === 0 ? options[id % Math.max(options.length, 1)] : undefined;
    if (option) queueMicrotask(() => this.choose(id, option.id));
  }

  private choose(id: number, optionId: string): void {
    if (!this.session.state.questions.some(({ question }) => question.id === id)) return;
    this.chosen.push(optionId);
    choose(this.session, id, optionId);
  }

  private close({ id, options, elicitation }: Question): void {
    if (elicitation) return this.session.asking.conclude(id, { action: 'decline' });
    const refusal = options.find(({ kind }) => kind === 'reject_once');
    const isOpen = this.session.state.questions.some(({ question }) => question.id === id);
    // A second cancel would end the agent.
    if (!refusal) return isOpen ? this.session.cancel() : undefined;
    this.chosen.push(refusal.id);
    choose(this.session, id, refusal.id);
  }

  // Nothing here waits for anything but the event loop, so a wait of some seconds is one for ever.
  private async until(condition: () => boolean, what: string): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (!condition()) {
      if (performance.now() > deadline) throw new Error(`no ${what}: ${this.log.lines.slice(-5).join('\n')}`);
      await settle(1);
    }
  }
}

const isAnswerable = (one: unknown): one is Wire & { id: string | number } =>
  isRecord(one) && typeof one.method === 'string' && ['string', 'number'].includes(typeof one.id);
// A list in which not everything is a message is noise.
const isHeard = (one: unknown) => !Array.isArray(one) || one.every(isRecord);
const requestsIn = (messages: readonly unknown[]) => messages.filter(isHeard).flat().filter(isAnswerable);

it('takes whatever an agent may say, approves nothing and leaves nothing open', {
  timeout: 120_000,
}, async () => {
  let heard = 0;
  const property = fc.asyncProperty(batches, async (messages) => {
    heard += messages.length;
    const conversation = new Conversation();
    await conversation.begin();
    await conversation.hear(messages, 'marker 1');
    await conversation.finish();
    expectAnswers(conversation, messages);
    expectNoConsent(conversation, messages);
    await expectAlive(conversation);
    conversation.session.dispose();
  });
  if (seed !== undefined) return fc.assert(property, { numRuns, seed: Number(seed) });
  for (let round = 0; heard < cases; round += 1) {
    await fc.assert(property, { numRuns, seed: firstSeed + round });
  }
});

/** Every request has been answered, as often as its id was used. */
function expectAnswers(conversation: Conversation, messages: readonly unknown[]): void {
  const asked = requestsIn(messages);
  for (const id of new Set(asked.map((one) => one.id))) {
    const times = asked.filter((one) => one.id === id).length;
    expect({ id, answers: conversation.answersTo(id).length }).toEqual({ id, answers: times });
  }
}

/** What was allowed was chosen by the user; where the agent knows no "cancelled", it was refused. */
function expectNoConsent({ peer, chosen }: Conversation, messages: readonly unknown[]): void {
  const left = [...chosen];
  // Nobody fills in a form or opens a page here; only a page that the agent calls done is agreed to.
  const isDone = JSON.stringify(messages).includes('elicitation/complete');
  const accepted = peer.written.filter(({ result }) => isRecord(result) && result.action === 'accept');
  if (!isDone) expect(accepted).toEqual([]);
  for (const { id, method, result } of peer.written) {
    const taken = method === undefined ? takenIn(result) : undefined;
    if (taken === undefined || left.splice(left.indexOf(taken), left.includes(taken) ? 1 : 0).length > 0)
      continue;
    expect({
      taken,
      isRefusal: refuses(
        taken,
        requestsIn(messages).filter((one) => one.id === id),
      ),
    }).toEqual({
      taken,
      isRefusal: true,
    });
  }
}

function takenIn(result: unknown): string | undefined {
  if (!isRecord(result)) return undefined;
  const { outcome, optionId, selectedOptionId, decision } = result;
  const taken = isRecord(outcome) ? outcome.optionId : (optionId ?? selectedOptionId ?? decision);
  return taken === undefined ? undefined : String(taken);
}

function refuses(taken: string, asked: readonly Wire[]): boolean {
  if (taken === 'reject') return true;
  const options = asked.flatMap((one) => [...holdersIn(one)].filter(isRecord));
  return options.some(
    ({ id, optionId, option_id, kind, label, name }) =>
      [id, optionId, option_id].some((word) => word === taken) &&
      /reject|deny|\bno\b/i.test(
        [kind, id, optionId, label, name].map((word) => JSON.stringify(word)).join(' '),
      ),
  );
}

/** It still listens, a new turn can be had if the agent wants no login, and what is shown can be shown. */
async function expectAlive(conversation: Conversation): Promise<void> {
  const { session, log, peer } = conversation;
  expect(log.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  expect(isBusy(session.state)).toBe(false);
  if (session.state.phase === 'idle') {
    const before = peer.written.length;
    session.send('still there?');
    await conversation.hear([update({ sessionUpdate: 'session_info_update', title: 'alive' })], 'marker 3');
    expect(session.state.title).toBe('alive');
    const prompt = peer.written.slice(before).find(({ method }) => method === 'session/prompt');
    await conversation.hear([answer(prompt?.id, { stopReason: 'end_turn' })], 'marker 4');
    expect(session.state.phase).toBe('idle');
    // What is begun outside of a turn stays open until the next has ended.
    expect([...session.state.tools.values()].filter(({ endedAt }) => endedAt === undefined)).toEqual([]);
  }
  expect(session.state.questions).toEqual([]);
  const drawn = linesOf(session.state, { cwd: '/work', home: '/nowhere' }, true).join('');
  expect(drawn).not.toMatch(/[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
}
