import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { contentText } from '../../src/acp/content.ts';
import type { Phase, Role } from '../../src/session/model.ts';
import { complaintsAboutClient } from '../support/client-schema.ts';
import type { WireMessage } from '../support/piped-connection.ts';
import { aFolder } from '../support/temp.ts';
import { type Manner, Performance, type Report } from './performance.ts';
import { fieldOf, type Life, type Recording, readRecording, recordingsIn } from './recording.ts';
import { isPlayable, optionsIn, scoreOf, sessionOf } from './score.ts';

const wire = process.env.ACP_WIRE ?? '';
const own = path.resolve(import.meta.dirname, '../fixtures/recordings');
const show = process.env.ACP_REPLAY_SHOW ?? '';
// As sanitise.ts lists them, and the tab, which is drawn as what it is.
const control = /[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

/** How much of a recording has to be played, in percent: what our client has no part in yet is left out. */
const least: Readonly<Record<string, number>> = {
  small: 89,
  claude: 70,
  'claude-todo': 100,
  gemini: 67,
  kimi: 76,
  'noauth/claude': 100,
  'noauth/gemini': 100,
  'noauth/kimi': 100,
  'nocaps/claude': 100,
  'nocaps/gemini': 100,
  'nocaps/kimi': 100,
  'nocaps/opencode': 100,
  opencode: 70,
};
const leastOfAll = 25;
const authRequired = -32000;
// What gemini says instead of a change of its mode is no part of the conversation.
const modeInWords = /^\[MODE_UPDATE\] \S+$/;
// Gemini marks so in a message what it also tells as tool calls.
const callMarks = /(\[Function Call: \w+\])+$/;
const table: string[] = [];

afterAll(() => {
  if (table.length > 0) console.log(['played  recording', ...table].join('\n'));
});

describe('a recording of our own', () => {
  it.for(recordingsIn(own))('%s', (name) => bears(own, name));
  it.for(recordingsIn(own))('%s, torn', (name) => bears(own, name, { isTorn: true }));
});

describe.skipIf(wire === '')('a recording of a real agent', () => {
  const names = wire === '' ? [] : recordingsIn(wire);
  it.for(names)('%s', (name) => bears(wire, name));
  it.for(names)('%s, torn', (name) => bears(wire, name, { isTorn: true }));
});

async function bears(folder: string, name: string, manner: Manner = {}): Promise<void> {
  const cwd = aFolder();
  const recording = readRecording(folder, name, cwd);
  let played = 0;
  for (const life of recording.lives.filter(isPlayable)) {
    const performance = new Performance(life, cwd, manner);
    const report = await performance.run();
    if (!manner.isTorn) print(name, performance);
    expectService(report);
    expectState(performance, life, report);
    expectTexts(performance, life, report);
    expectFacts(performance, life, report);
    expectForms(life, report);
    expectPicture(performance);
    played += report.played.length;
  }
  const percent = percentOf(recording, played);
  if (!manner.isTorn) table.push(`${String(percent).padStart(4)} %  ${name}`);
  expect(percent).toBeGreaterThanOrEqual(least[name] ?? leastOfAll);
}

function expectService({ stuckAt, unanswered, answeredAgain, unexpected, sent, asked }: Report): void {
  expect({ stuckAt, unanswered, answeredAgain, unexpected }).toEqual({
    stuckAt: undefined,
    unanswered: [],
    answeredAgain: [],
    unexpected: [],
  });
  // The older way to set a model was never in the schema.
  const known = sent.filter(({ method }) => method !== 'session/set_model');
  expect(complaintsAboutClient(known, asked)).toEqual([]);
}

function expectState({ session, log, phase, openTools }: Performance, life: Life, report: Report): void {
  expect(log.lines.filter((line) => /^(error|warn json-rpc)/.test(line))).toEqual([]);
  const { entries } = session.state;
  const tools = entries.filter((entry) => entry.kind === 'tool');
  expect(openTools).toEqual([]);
  expect(new Set(tools.map(({ toolCallId }) => toolCallId)).size).toBe(tools.length);
  expect(entries.filter((entry) => entry.kind === 'question' && entry.answer === undefined)).toEqual([]);
  const errors = errorsIn(life, report);
  const titles = entries.flatMap((entry) =>
    entry.kind === 'notice' && entry.severity === 'error' ? [entry.title] : [],
  );
  expect(phase).toBe(phaseAfter(life, errors));
  expect(titles).toHaveLength(errors.length + (hasDied(life) ? 1 : 0));
  if (phase === 'login') expect(titles.at(-1)).toContain(errors.at(-1)?.message);
}

function expectTexts({ session, prompts }: Performance, life: Life, report: Report): void {
  const { entries } = session.state;
  const said = (role: Role) =>
    entries.flatMap((entry) =>
      entry.kind === 'message' && entry.role === role ? [entry.text.toString()] : [],
    );
  expect(said('user').filter((text) => prompts.includes(text))).toEqual(prompts);
  expect(said('agent').join('')).toBe(chunks(life, report, 'agent_message_chunk'));
  expect(said('thought').join('')).toBe(chunks(life, report, 'agent_thought_chunk'));
}

/** What is known besides the transcript is what the agent said last. */
function expectFacts({ session }: Performance, life: Life, report: Report): void {
  const { title, usage, commands, settings } = session.state;
  const updates = updatesIn(life, report);
  const last = (kind: string, field: string) =>
    updates.findLast(
      (update) => fieldOf(update, 'sessionUpdate') === kind && fieldOf(update, field) !== undefined,
    );
  const names = (fieldOf(last('available_commands_update', 'availableCommands'), 'availableCommands') ??
    []) as readonly { readonly name: string }[];
  expect(commands.map(({ name }) => name)).toEqual(names.map(({ name }) => name));
  expect(title).toBe(fieldOf(last('session_info_update', 'title'), 'title') ?? undefined);
  expect(usage?.used).toBe(fieldOf(last('usage_update', 'size'), 'used'));
  const options = messagesIn(life, report).flatMap((message) => optionsIn(message, sessionOf(life)) ?? []);
  const currents = new Map(options.map((option) => [fieldOf(option, 'id'), fieldOf(option, 'currentValue')]));
  // The mode also changes by itself.
  for (const { id, current } of settings.filter(
    ({ category, source }) => category !== 'mode' && source === 'option',
  ))
    expect({ [id]: current }).toEqual({ [id]: currents.get(id) });
}

/** What was filled into forms is what the recorded user filled in, in whatever order. */
function expectForms(life: Life, { asked, sent }: Report): void {
  const ids = asked.flatMap(({ id, method }) => (method === 'elicitation/create' ? [id] : []));
  const answersOf = (messages: readonly WireMessage[]) =>
    ids.map((id) => messages.find((message) => message.id === id && message.method === undefined)?.result);
  const recorded = life.flatMap((line) => (line.dir === 'c2a' ? [line.msg] : []));
  expect(answersOf(sent)).toEqual(answersOf(recorded));
}

function expectPicture(performance: Performance): void {
  const canvas = performance.redraw();
  expect(performance.picture).toEqual(canvas.picture);
  for (const { lines } of [canvas, performance.redraw(true)]) {
    expect(lines.filter((line) => control.test(line))).toEqual([]);
  }
}

/** What the agent said and was played. */
function messagesIn(life: Life, { played }: Report): readonly WireMessage[] {
  const lines = new Set(played);
  return life.flatMap((line) => (line.dir === 'a2c' && lines.has(line.line) ? [line.msg] : []));
}

function updatesIn(life: Life, report: Report): readonly unknown[] {
  const isOurs = ({ params }: WireMessage) => fieldOf(params, 'sessionId') === sessionOf(life);
  return messagesIn(life, report)
    .filter((message) => message.method === 'session/update' && isOurs(message))
    .map(({ params }) => fieldOf(params, 'update'));
}

function chunks(life: Life, report: Report, kind: string): string {
  const meant = updatesIn(life, report).filter((update) => fieldOf(update, 'sessionUpdate') === kind);
  return meant
    .map((update) => contentText(fieldOf(update, 'content')))
    .filter((text) => !modeInWords.test(text))
    .map((text) => text.replace(callMarks, ''))
    .join('');
}

type WireError = NonNullable<WireMessage['error']>;

// An error that answers a cancel is the cancellation.
function errorsIn(life: Life, { played }: Report): readonly WireError[] {
  const errors: WireError[] = [];
  let isCancelled = false;
  for (const line of life) {
    if (!('msg' in line) || !played.includes(line.line)) continue;
    const { method, error } = line.msg;
    if (method === 'session/cancel' || method === 'session/prompt') isCancelled = method === 'session/cancel';
    if (line.dir === 'a2c' && error && !isCancelled) errors.push(error);
  }
  return errors;
}

function phaseAfter(life: Life, errors: readonly WireError[]): Phase {
  // Without a handshake there is nobody to log in to.
  const isMet = life.some((line) => line.dir === 'c2a' && line.msg.method === 'session/new');
  if (isMet && errors.at(-1)?.code === authRequired) return 'login';
  return sessionOf(life) === undefined || hasDied(life) ? 'down' : 'idle';
}

function hasDied(life: Life): boolean {
  return scoreOf(life).some(({ kind }) => kind === 'exit');
}

function percentOf({ lives }: Recording, played: number): number {
  const all = lives.flat().filter(({ dir }) => dir === 'c2a' || dir === 'a2c').length;
  return Math.floor((100 * played) / all);
}

// For the eyes: ACP_REPLAY_SHOW=1 prints each chat, ACP_REPLAY_SHOW=open with all that is folded.
function print(name: string, performance: Performance): void {
  if (show === '') return;
  const questions = performance.questions.map((text) => `? ${text}`);
  console.log([`===== ${name}`, ...performance.redraw(show === 'open').lines, '', ...questions].join('\n'));
}
