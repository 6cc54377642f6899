import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { contentText } from '../../src/acp/decode/content.ts';
import type { Role } from '../../src/model/entries.ts';
import type { Phase } from '../../src/model/session.ts';
import type { WireMessage } from '../support/agents/piped-connection.ts';
import { violationsOfClient } from '../support/schema.ts';
import { isMet } from '../support/system/requirements.ts';
import { aFolder } from '../support/system/temp.ts';
import { fieldOf, type ProcessRun, type Recording, readRecording, recordingsIn } from './recording.ts';
import { isPlayable, optionsIn, replaySteps, sessionOf } from './replay-steps.ts';
import { ReplayedSession, type ReplayOptions, type Report } from './replayed-session.ts';

const wire = process.env.ACP_WIRE ?? '';
const own = path.resolve(import.meta.dirname, '../fixtures/recordings');
const show = process.env.ACP_REPLAY_SHOW ?? '';
// The control characters of sanitise.ts; tabs are drawn as they are.
const control = /[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

/** The percentage of a recording that must be replayed: messages that our client does not send are left out. */
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
// Gemini sends this text instead of an update of its mode.
const modeInWords = /^\[MODE_UPDATE\] \S+$/;
// Gemini repeats tool calls as such marks in messages.
const callMarks = /(\[Function Call: \w+\])+$/;
const table: string[] = [];

afterAll(() => {
  if (table.length > 0) console.log(['played  recording', ...table].join('\n'));
});

describe('a recording of our own', () => {
  it.for(recordingsIn(own))('%s', (name) => replay(own, name));
  it.for(recordingsIn(own))('%s, in split messages', (name) => replay(own, name, { isSplit: true }));
});

const hasRecordings = isMet(wire !== '', 'ACP_WIRE names no folder with recordings of real agents');

describe.skipIf(!hasRecordings)('a recording of a real agent', () => {
  const names = wire === '' ? [] : recordingsIn(wire);
  it.for(names)('%s', (name) => replay(wire, name));
  it.for(names)('%s, in split messages', (name) => replay(wire, name, { isSplit: true }));
});

async function replay(folder: string, name: string, options: ReplayOptions = {}): Promise<void> {
  const cwd = aFolder();
  const recording = readRecording(folder, name, cwd);
  let played = 0;
  for (const run of recording.runs.filter(isPlayable)) {
    const replayed = new ReplayedSession(run, cwd, options);
    const report = await replayed.replay();
    if (!options.isSplit) print(name, replayed);
    expectService(report);
    expectState(replayed, run, report);
    expectTexts(replayed, run, report);
    expectFacts(replayed, run, report);
    expectForms(run, report);
    expectPicture(replayed);
    played += report.played.length;
  }
  const percent = percentOf(recording, played);
  if (!options.isSplit) table.push(`${String(percent).padStart(4)} %  ${name}`);
  expect(percent).toBeGreaterThanOrEqual(least[name] ?? leastOfAll);
}

function expectService({ stuckAt, unanswered, answeredAgain, unexpected, sent, asked }: Report): void {
  expect({ stuckAt, unanswered, answeredAgain, unexpected }).toEqual({
    stuckAt: undefined,
    unanswered: [],
    answeredAgain: [],
    unexpected: [],
  });
  // session/set_model was never in the schema.
  const known = sent.filter(({ method }) => method !== 'session/set_model');
  expect(violationsOfClient(known, asked)).toEqual([]);
}

function expectState(
  { session, log, phase, openTools }: ReplayedSession,
  run: ProcessRun,
  report: Report,
): void {
  expect(log.lines.filter((line) => /^(error|warn json-rpc)/.test(line))).toEqual([]);
  const { entries } = session.state;
  const tools = entries.filter((entry) => entry.kind === 'tool');
  expect(openTools).toEqual([]);
  expect(new Set(tools.map(({ toolCallId }) => toolCallId)).size).toBe(tools.length);
  expect(entries.filter((entry) => entry.kind === 'question' && entry.answer === undefined)).toEqual([]);
  const errors = errorsIn(run, report);
  const titles = entries.flatMap((entry) =>
    entry.kind === 'notice' && entry.severity === 'error' ? [entry.title] : [],
  );
  expect(phase).toBe(phaseAfter(run, errors));
  expect(titles).toHaveLength(errors.length + (hasDied(run) ? 1 : 0));
  if (phase === 'login') expect(titles.at(-1)).toContain(errors.at(-1)?.message);
}

function expectTexts({ session, prompts }: ReplayedSession, run: ProcessRun, report: Report): void {
  const { entries } = session.state;
  const said = (role: Role) =>
    entries.flatMap((entry) =>
      entry.kind === 'message' && entry.role === role ? [entry.text.toString()] : [],
    );
  expect(said('user').filter((text) => prompts.includes(text))).toEqual(prompts);
  expect(said('agent').join('')).toBe(chunks(run, report, 'agent_message_chunk'));
  expect(said('thought').join('')).toBe(chunks(run, report, 'agent_thought_chunk'));
}

/** Commands, title, usage and settings are those of the last update. */
function expectFacts({ session }: ReplayedSession, run: ProcessRun, report: Report): void {
  const { title, usage, commands, settings } = session.state;
  const updates = updatesIn(run, report);
  const last = (kind: string, field: string) =>
    updates.findLast(
      (update) => fieldOf(update, 'sessionUpdate') === kind && fieldOf(update, field) !== undefined,
    );
  const names = (fieldOf(last('available_commands_update', 'availableCommands'), 'availableCommands') ??
    []) as readonly { readonly name: string }[];
  expect(commands.map(({ name }) => name)).toEqual(names.map(({ name }) => name));
  expect(title).toBe(fieldOf(last('session_info_update', 'title'), 'title') ?? undefined);
  expect(usage?.used).toBe(fieldOf(last('usage_update', 'size'), 'used'));
  const options = messagesIn(run, report).flatMap((message) => optionsIn(message, sessionOf(run)) ?? []);
  const currents = new Map(options.map((option) => [fieldOf(option, 'id'), fieldOf(option, 'currentValue')]));
  // The agent also changes the mode by itself.
  for (const { id, current } of settings.filter(
    ({ category, source }) => category !== 'mode' && source === 'option',
  ))
    expect({ [id]: current }).toEqual({ [id]: currents.get(id) });
}

/** Forms are answered as in the recording, in any order. */
function expectForms(run: ProcessRun, { asked, sent }: Report): void {
  const ids = asked.flatMap(({ id, method }) => (method === 'elicitation/create' ? [id] : []));
  const answersOf = (messages: readonly WireMessage[]) =>
    ids.map((id) => messages.find((message) => message.id === id && message.method === undefined)?.result);
  const recorded = run.flatMap((line) => (line.dir === 'c2a' ? [line.msg] : []));
  expect(answersOf(sent)).toEqual(answersOf(recorded));
}

function expectPicture(replayed: ReplayedSession): void {
  const canvas = replayed.redraw();
  expect(replayed.picture).toEqual(canvas.picture);
  for (const { lines } of [canvas, replayed.redraw(true)]) {
    expect(lines.filter((line) => control.test(line))).toEqual([]);
  }
}

/** The replayed messages of the agent. */
function messagesIn(run: ProcessRun, { played }: Report): readonly WireMessage[] {
  const lines = new Set(played);
  return run.flatMap((line) => (line.dir === 'a2c' && lines.has(line.line) ? [line.msg] : []));
}

function updatesIn(run: ProcessRun, report: Report): readonly unknown[] {
  const isOurs = ({ params }: WireMessage) => fieldOf(params, 'sessionId') === sessionOf(run);
  return messagesIn(run, report)
    .filter((message) => message.method === 'session/update' && isOurs(message))
    .map(({ params }) => fieldOf(params, 'update'));
}

function chunks(run: ProcessRun, report: Report, kind: string): string {
  const meant = updatesIn(run, report).filter((update) => fieldOf(update, 'sessionUpdate') === kind);
  return meant
    .map((update) => contentText(fieldOf(update, 'content')))
    .filter((text) => !modeInWords.test(text))
    .map((text) => text.replace(callMarks, ''))
    .join('');
}

type WireError = NonNullable<WireMessage['error']>;

// An error in answer to a cancelled prompt is the cancellation, not a failure.
function errorsIn(run: ProcessRun, { played }: Report): readonly WireError[] {
  const errors: WireError[] = [];
  let isCancelled = false;
  for (const line of run) {
    if (!('msg' in line) || !played.includes(line.line)) continue;
    const { method, error } = line.msg;
    if (method === 'session/cancel' || method === 'session/prompt') isCancelled = method === 'session/cancel';
    if (line.dir === 'a2c' && error && !isCancelled) errors.push(error);
  }
  return errors;
}

function phaseAfter(run: ProcessRun, errors: readonly WireError[]): Phase {
  // Without a handshake there is no agent to log in to.
  const isMet = run.some((line) => line.dir === 'c2a' && line.msg.method === 'session/new');
  if (isMet && errors.at(-1)?.code === authRequired) return 'login';
  return sessionOf(run) === undefined || hasDied(run) ? 'down' : 'idle';
}

function hasDied(run: ProcessRun): boolean {
  return replaySteps(run).some(({ kind }) => kind === 'exit');
}

function percentOf({ runs }: Recording, played: number): number {
  const all = runs.flat().filter(({ dir }) => dir === 'c2a' || dir === 'a2c').length;
  return Math.floor((100 * played) / all);
}

// ACP_REPLAY_SHOW=1 prints each chat, ACP_REPLAY_SHOW=open prints it unfolded.
function print(name: string, replayed: ReplayedSession): void {
  if (show === '') return;
  const questions = replayed.questions.map((text) => `? ${text}`);
  console.log([`===== ${name}`, ...replayed.redraw(show === 'open').lines, '', ...questions].join('\n'));
}
