import { expect, it } from 'vitest';
import { isRecord } from '../../../../src/base/record.ts';
import type { Question } from '../../../../src/model/entries.ts';
import { textPrompt } from '../../../../src/model/prompt.ts';
import { isBusy } from '../../../../src/model/session.ts';
import { Session } from '../../../../src/session/session.ts';
import { MemoryAgent } from '../../../support/agents/memory-agent.ts';
import { anAgentSpec } from '../../../support/builders.ts';
import { holdersIn, known, mutationOf, value } from '../../../support/dialects/arbitrary.ts';
import {
  answer,
  notification,
  request,
  text,
  update,
  type Wire,
} from '../../../support/dialects/dialect-harness.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { settle } from '../../../support/doubles/deferred.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { shortOrLong } from '../../../support/long.ts';
import { choose } from '../../../support/nvim/choose.ts';
import { fc } from '../../../support/property.ts';
import { transcriptLines } from '../../../support/transcript.ts';

/**
 * The number of messages in all and per connection. The seeds are fixed, so that a run can be repeated. ACP_FUZZ_FROM=…
 * uses other seeds; ACP_FUZZ_SEED=… repeats the run with the seed that a failure prints.
 */
const cases = Number(process.env.ACP_FUZZ_CASES ?? shortOrLong(50_000, 1_000_000));
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
  /** The ids of the options that the user selected, one per selection. */
  readonly chosen: string[] = [];
  readonly session: Session;

  constructor() {
    const ports = { launcher: { launch: () => this.peer.agent }, clock: new ManualClock(), log: this.log };
    this.session = new Session(anAgentSpec(), ports, {
      onChange: (event) => event.kind === 'question_asked' && this.answerSome(event.question),
      onPromptReturned: () => undefined,
      onTerminalLogin: () => undefined,
    });
  }

  async begin(): Promise<void> {
    this.session.send(textPrompt('go'));
    await this.until(() => isBusy(this.session.state), 'a turn');
  }

  /** Sends the messages and waits until all are handled. */
  async send(messages: readonly unknown[], marker: string): Promise<void> {
    this.peer.send(...messages, request(marker, '_fuzz/ping', {}));
    await this.until(() => this.answersTo(marker).length > 0, `answer to ${marker}`);
  }

  /** Closes all questions and ends the turn. */
  async finish(): Promise<void> {
    for (const { question } of [...this.session.state.questions]) this.close(question);
    const prompts = this.peer.written.filter(({ method }) => method === 'session/prompt');
    await this.send(
      prompts.map(({ id }) => answer(id, { stopReason: 'end_turn' })),
      'marker 2',
    );
    await settle();
  }

  answersTo(id: unknown) {
    return this.peer.written.filter((one) => one.method === undefined && one.id === id);
  }

  // A third of the questions are answered immediately, the others at the end.
  private answerSome({ id, options }: Question): void {
    const option = id % 3 === 0 ? options[id % Math.max(options.length, 1)] : undefined;
    if (option) queueMicrotask(() => this.choose(id, option.id));
  }

  private choose(id: number, optionId: string): void {
    if (!this.session.state.questions.some(({ question }) => question.id === id)) return;
    this.chosen.push(optionId);
    choose(this.session, id, optionId);
  }

  private close({ id, options, elicitation }: Question): void {
    if (elicitation) return this.session.questions.answerPage(id, { action: 'decline' });
    const refusal = options.find(({ kind }) => kind === 'reject_once');
    const isOpen = this.session.state.questions.some(({ question }) => question.id === id);
    // A second cancel would kill the agent.
    if (!refusal) return isOpen ? this.session.cancel() : undefined;
    this.chosen.push(refusal.id);
    choose(this.session, id, refusal.id);
  }

  // Everything here only waits for the event loop, so a wait of several seconds would never end.
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
// A batch is ignored unless every item is an object.
const isHandled = (one: unknown) => !Array.isArray(one) || one.every(isRecord);
const requestsIn = (messages: readonly unknown[]) => messages.filter(isHandled).flat().filter(isAnswerable);

it('a session survives random messages, approves nothing and leaves no question open', {
  timeout: shortOrLong(120_000, 1_800_000),
}, async () => {
  let heard = 0;
  const property = fc.asyncProperty(batches, async (messages) => {
    heard += messages.length;
    const conversation = new Conversation();
    await conversation.begin();
    await conversation.send(messages, 'marker 1');
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

/** Every request is answered exactly once, also if several have the same id. */
function expectAnswers(conversation: Conversation, messages: readonly unknown[]): void {
  const asked = requestsIn(messages);
  for (const id of new Set(asked.map((one) => one.id))) {
    const times = asked.filter((one) => one.id === id).length;
    expect({ id, answers: conversation.answersTo(id).length }).toEqual({ id, answers: times });
  }
}

/** Every consent was selected by the user; dialects without "cancelled" get a refusal. */
function expectNoConsent({ peer, chosen }: Conversation, messages: readonly unknown[]): void {
  const left = [...chosen];
  // The user accepts no form or page; only a page that the agent completes counts as accepted.
  const isDone = JSON.stringify(messages).includes('elicitation/complete');
  const accepted = peer.written.filter(({ result }) => isRecord(result) && result.action === 'accept');
  if (!isDone) expect(accepted).toEqual([]);
  for (const { id, method, result } of peer.written) {
    const selected = method === undefined ? selectedIn(result) : undefined;
    if (
      selected === undefined ||
      left.splice(left.indexOf(selected), left.includes(selected) ? 1 : 0).length > 0
    )
      continue;
    expect({
      selected,
      isRefusal: refuses(
        selected,
        requestsIn(messages).filter((one) => one.id === id),
      ),
    }).toEqual({
      selected,
      isRefusal: true,
    });
  }
}

function selectedIn(result: unknown): string | undefined {
  if (!isRecord(result)) return undefined;
  const { outcome, optionId, selectedOptionId, decision } = result;
  const selected = isRecord(outcome) ? outcome.optionId : (optionId ?? selectedOptionId ?? decision);
  return selected === undefined ? undefined : String(selected);
}

function refuses(selected: string, asked: readonly Wire[]): boolean {
  if (selected === 'reject') return true;
  const options = asked.flatMap((one) => [...holdersIn(one)].filter(isRecord));
  return options.some(
    ({ id, optionId, option_id, kind, label, name }) =>
      [id, optionId, option_id].some((word) => word === selected) &&
      /reject|deny|\bno\b/i.test(
        [kind, id, optionId, label, name].map((word) => JSON.stringify(word)).join(' '),
      ),
  );
}

/** The connection still works, a new turn can run unless a login is needed, and the transcript can be rendered. */
async function expectAlive(conversation: Conversation): Promise<void> {
  const { session, log, peer } = conversation;
  expect(log.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  expect(isBusy(session.state)).toBe(false);
  if (session.state.phase === 'idle') {
    const before = peer.written.length;
    session.send(textPrompt('still there?'));
    await conversation.send([update({ sessionUpdate: 'session_info_update', title: 'alive' })], 'marker 3');
    expect(session.state.title).toBe('alive');
    const prompt = peer.written.slice(before).find(({ method }) => method === 'session/prompt');
    await conversation.send([answer(prompt?.id, { stopReason: 'end_turn' })], 'marker 4');
    expect(session.state.phase).toBe('idle');
    // A tool call that began outside of a turn stays open until the next turn has ended.
    expect([...session.state.tools.values()].filter(({ endedAt }) => endedAt === undefined)).toEqual([]);
  }
  expect(session.state.questions).toEqual([]);
  const drawn = transcriptLines(session.state, { cwd: '/work', home: '/nowhere' }, true).join('');
  expect(drawn).not.toMatch(/[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
}
