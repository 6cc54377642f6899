import { shorten } from '../base/text.ts';
import type { Setting } from '../model/agent.ts';
import type { QueuedPrompt } from '../model/prompt.ts';
import { activeMs, isBusy, isWaitingForUser, type SessionState } from '../model/session.ts';
import { asksLess, isFirstValue, isMode } from '../model/settings/permissive-modes.ts';
import type { Piece } from '../ports/frame.ts';
import type { NamedKeys } from '../ports/options.ts';
import { elapsed, price } from './format.ts';
import { settingValue } from './pickers/settings.ts';
import { sanitiseLine } from './sanitise.ts';
import * as signs from './signs.ts';
import { fitPieces } from './text/display-width.ts';

const maxTitle = 80;
const maxSetting = 20;
const maxQueueLines = 5;
const maxQueueWidth = 200;
/** After this time without an update the activity line mentions the silence. */
const silenceMs = 30_000;

/** `lua/acp/ui/winbar.lua` fits it into the width of the window. */
interface Winbar {
  /** The name of the agent; then, if there is a title, a separator and the title. */
  readonly left: readonly Piece[];
  /** In a narrow window muted pieces are left out, the last one first, then the title, then the mode. */
  readonly right: readonly Piece[];
}

/** The winbar: agent and title on the left; model, mode, context, cost and phase on the right. */
export function makeWinbar(state: SessionState, now: number): Winbar {
  const title = state.title === undefined ? '' : shorten(sanitiseLine(state.title), maxTitle);
  const left: Piece[] = [[sanitiseLine(state.agent.title), 'AcpAgent']];
  if (title !== '' && title !== left[0]![0]) left.push([' · ', 'AcpMuted'], [title, 'AcpTitle']);
  const marks = [...traitPieces(state), ...allowAllPieces(state)];
  const settings = [...modelPieces(state), ...modePieces(state)];
  const right = [...settings, ...usagePieces(state), ...marks, phasePiece(state, now)];
  return { left, right: right.filter(([text]) => text !== '') };
}

function modelPieces(state: SessionState): readonly Piece[] {
  const name = modelName(state);
  return name === '' ? [] : [[shorten(name, maxSetting), 'AcpMuted']];
}

/** The name of the current model; empty if the agent has none, or names none. */
export function modelName({ settings }: SessionState): string {
  const setting = settings.find(({ category }) => category === 'model');
  const name = setting ? sanitiseLine(settingValue(setting)).replace(/\s*\(recommended\)$/i, '') : '';
  return /^default$/i.test(name) ? '' : name;
}

/** The names of the current modes: always the first one, others if they were changed, and all that ask less. */
export function modePieces({ settings }: SessionState): readonly Piece[] {
  const main = settings.find(({ category }) => category === 'mode') ?? settings.find(isMode);
  return settings.flatMap((setting): readonly Piece[] => {
    if (asksLess(setting)) return [[`! ${shorten(shownMode(setting), maxSetting)}`, 'AcpAllowAll']];
    const isShown = setting === main || (isMode(setting) && !isFirstValue(setting));
    return isShown ? [[shorten(shownMode(setting), maxSetting), 'AcpMode']] : [];
  });
}

function shownMode(setting: Setting): string {
  return sanitiseLine(typeof setting.current === 'boolean' ? setting.name : settingValue(setting));
}

function traitPieces({ isPrivate, hasWorktree }: SessionState): readonly Piece[] {
  const marks: readonly Piece[] = [
    [hasWorktree ? 'worktree' : '', 'AcpWorktree'],
    [isPrivate ? 'private' : '', 'AcpPrivate'],
  ];
  return marks.filter(([text]) => text !== '');
}

function allowAllPieces({ allowsAll }: SessionState): readonly Piece[] {
  return allowsAll ? [['! allows all', 'AcpAllowAll']] : [];
}

function phasePiece(state: SessionState, now: number): Piece {
  if (isWaitingForUser(state)) return ['? waiting for you', 'AcpWaiting'];
  switch (state.phase) {
    case 'starting':
      return ['○ starting', 'AcpPending'];
    case 'login':
      return ['? log in', 'AcpWaiting'];
    case 'running':
      return [`● ${elapsed(activeMs(state, now))}`, 'AcpRunning'];
    case 'cancelling':
      return ['⊘ stopping', 'AcpCancelled'];
    case 'down':
      return state.isEndedIdle ? ['○ not running', 'AcpPending'] : ['✗ no agent', 'AcpFailed'];
    case 'idle':
      return ['', 'AcpMuted'];
  }
}

function usagePieces({ usage }: SessionState): readonly Piece[] {
  if (!usage || usage.size === 0) return [];
  const context = `${Math.round((100 * usage.used) / usage.size)} %`;
  const pieces: Piece[] = [[context, 'AcpMuted']];
  // Some agents report a cost of zero for ever.
  const { cost } = usage;
  return cost && cost.amount >= 0.005 ? [...pieces, [price(cost), 'AcpMuted']] : pieces;
}

interface ActivityView {
  readonly width?: number | undefined;
  /** Whether a question that waits is about a change that can be shown side by side. */
  readonly canCompare?: boolean;
}

/** The activity line below the transcript. In a narrow window its last pieces are left out. */
export function activityLine(
  state: SessionState,
  now: number,
  keys: NamedKeys,
  { width = Number.POSITIVE_INFINITY, canCompare = false }: ActivityView = {},
): readonly Piece[] {
  const named = canCompare ? keys : { ...keys, diff: '' };
  return fitPieces(activityPieces(state, now, named, width), width);
}

function activityPieces(state: SessionState, now: number, keys: NamedKeys, width: number): readonly Piece[] {
  const stop = keys.cancel || ':AcpCancel';
  const queuedPieces = describeQueue(state);
  // The question stands above it, and the winbar says who waits.
  if (isWaitingForUser(state)) {
    return [
      [waysToAnswer(state, keys).find(({ length }) => length <= width) ?? ':AcpAnswer', 'AcpMuted'],
      ...queuedPieces,
    ];
  }
  if (state.phase === 'starting') {
    const seconds = now - state.phaseSince < 1_000 ? '' : ` ${elapsed(now - state.phaseSince)}`;
    const name = ` ${sanitiseLine(state.agent.title)}`;
    return [['○ starting', 'AcpMuted'], [name, 'AcpMuted'], [seconds, 'AcpMuted'], ...queuedPieces];
  }
  if (state.phase === 'login')
    return [signs.question, [' log in · :AcpLogin', 'AcpWaiting'], ...queuedPieces];
  if (state.isEndedIdle && state.queue.length === 0) {
    return [
      ['○ ended while idle', 'AcpMuted'],
      [' · a prompt starts it', 'AcpMuted'],
    ];
  }
  if (!isBusy(state)) return queuedPieces.map(([text, hl], at) => [at === 0 ? text.trimStart() : text, hl]);
  const [sign, colour] = state.phase === 'cancelling' ? signs.toolSigns.cancelled : signs.toolSigns.running;
  // The winbar has the time.
  const isStopping = state.phase === 'cancelling';
  const label: Piece[] = isStopping
    ? [
        [' stopping', 'AcpMuted'],
        [` · ${stop} after 2 s kills it`, 'AcpMuted'],
      ]
    : [[' working', 'AcpMuted']];
  return [[sign, colour], ...label, ...silencePieces(state, now, stop), ...queuedPieces];
}

// Forms and pages have no numbered answers.
function waysToAnswer({ questions }: SessionState, { nextQuestion, diff }: NamedKeys): readonly string[] {
  const hasNumbers = nextQuestion !== '' && questions.some(({ question }) => !question.elicitation);
  if (!hasNumbers) return ['answer with :AcpAnswer'];
  const keys = `${nextQuestion} and a digit`;
  const answers = [`answer with ${keys}, or :AcpAnswer`, `answer with ${keys}`, keys];
  const withDiff = diff === '' ? [] : answers.map((way) => `${way} · ${diff} shows the change`);
  return [...withDiff, answers[0]!, 'answer with :AcpAnswer'];
}

function describeQueue({ queue }: SessionState): readonly Piece[] {
  if (queue.length === 0) return [];
  const held = queue.filter(({ isHeld }) => isHeld).length;
  const all = held < queue.length ? [`${queue.length} queued`] : [];
  const paused = held > 0 ? [`${held} paused`] : [];
  const command = held > 0 ? ':AcpQueue resume' : ':AcpQueue';
  return [
    [`  ${[...all, ...paused].join(', ')}`, 'AcpMuted'],
    [` · ${command}`, 'AcpMuted'],
  ];
}

// Some agents retry for minutes when their model fails, without any update. A running command explains the silence.
function silencePieces(
  { phase, lastActivityAt, terminals, agent }: SessionState,
  now: number,
  stop: string,
): readonly Piece[] {
  const isSilent = phase === 'running' && now - lastActivityAt >= silenceMs;
  if (!isSilent || [...terminals.values()].some(({ exit }) => exit === undefined)) return [];
  const words = `no update from ${sanitiseLine(agent.title)} for ${elapsed(now - lastActivityAt)}`;
  return [
    [`  ${words}`, 'AcpMuted'],
    [` · ${stop} stops it`, 'AcpMuted'],
    [', :AcpLog has more', 'AcpMuted'],
  ];
}

/** The prompts that wait, one line each, below the running turn. */
export function queueLines({ queue }: SessionState, width = maxQueueWidth): readonly (readonly Piece[])[] {
  const isLong = queue.length > maxQueueLines;
  const shown = isLong ? queue.slice(0, maxQueueLines - 1) : queue;
  const lines = shown.map((prompt) => promptLine(prompt, width));
  if (isLong) lines.push([[`  … ${queue.length - shown.length} more`, 'AcpMuted']]);
  return lines.length === 0 ? [] : [[['', 'AcpMuted']], ...lines];
}

function promptLine(prompt: QueuedPrompt, width: number): readonly Piece[] {
  const lines = prompt.text.trim().split('\n');
  const first = sanitiseLine(lines[0]!);
  const more = lines.length === 1 ? '' : `  +${lines.length - 1} line${lines.length === 2 ? '' : 's'}`;
  const state = stateWord(prompt);
  const room = Math.min(width, maxQueueWidth) - 2 - more.length - state.length;
  return [
    ['○ ', 'AcpMuted'],
    [shorten(first, Math.max(10, room)), 'AcpQueued'],
    [`${more}${state}`, 'AcpMuted'],
  ];
}

function stateWord({ isHeld, isOffered }: QueuedPrompt): string {
  if (isOffered) return '  being sent';
  return isHeld ? '  paused' : '';
}
