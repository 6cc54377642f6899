import { shorten } from '../base.ts';
import { isBusy, isWaitingForUser, type SessionState } from '../session/model.ts';
import { elapsed } from './format.ts';
import type { Piece } from './line.ts';
import { valueName } from './pickers.ts';
import { sanitiseLine } from './sanitise.ts';
import * as signs from './signs.ts';

const maxTitle = 80;
const maxMode = 20;
/** After so long without a sign an agent is said to be silent. */
const silenceMs = 30_000;

export interface Winbar {
  readonly left: readonly Piece[];
  readonly right: readonly Piece[];
}

/** The line above the chat: who, what about, and how it stands. What matters most stands last. */
export function winbarOf(state: SessionState, now: number): Winbar {
  const title = state.title === undefined ? '' : shorten(sanitiseLine(state.title), maxTitle);
  const left: Piece[] = [[sanitiseLine(state.agent.title), 'AcpAgent']];
  if (title !== '') left.push([' · ', 'AcpMuted'], [title, 'AcpTitle']);
  const right = [...usageOf(state), ...modeOf(state), stateOf(state, now)];
  return { left, right: right.filter(([text]) => text !== '') };
}

function modeOf({ settings }: SessionState): readonly Piece[] {
  const mode = settings.find(({ category }) => category === 'mode');
  return mode ? [[shorten(sanitiseLine(valueName(mode)), maxMode), 'AcpMuted']] : [];
}

function stateOf(state: SessionState, now: number): Piece {
  if (isWaitingForUser(state)) return ['? waiting for you', 'AcpWaiting'];
  switch (state.phase) {
    case 'starting':
      return ['○ starting', 'AcpMuted'];
    case 'login':
      return ['? log in', 'AcpWaiting'];
    case 'running':
      return [`● ${elapsed(now - state.since)}`, 'AcpRunning'];
    case 'cancelling':
      return ['⊘ stopping', 'AcpMuted'];
    case 'down':
      return ['✗ no agent', 'AcpFailed'];
    case 'idle':
      return ['', 'AcpMuted'];
  }
}

function usageOf({ usage }: SessionState): readonly Piece[] {
  if (!usage || usage.size === 0) return [];
  const context = `${Math.round((100 * usage.used) / usage.size)} %`;
  if (!usage.cost) return [[context, 'AcpMuted']];
  const { amount, currency } = usage.cost;
  const cost =
    currency === 'USD' ? `$${amount.toFixed(2)}` : `${amount.toFixed(2)} ${sanitiseLine(currency)}`;
  return [[`${context}  ${cost}`, 'AcpMuted']];
}

/** The last line of the chat: what goes on now, where the eye already is. */
export function activityOf(state: SessionState, now: number): readonly Piece[] {
  const queued = state.queue.length;
  const later: readonly Piece[] = queued === 0 ? [] : [[`  ${queued} queued`, 'AcpMuted']];
  if (isWaitingForUser(state))
    return [signs.question, [' waiting for you · :AcpAnswer', 'AcpWaiting'], ...later];
  if (state.phase === 'starting') {
    const seconds = now - state.since < 1_000 ? '' : ` ${elapsed(now - state.since)}`;
    return [[`○ starting ${sanitiseLine(state.agent.title)}${seconds}`, 'AcpMuted'], ...later];
  }
  if (state.phase === 'login') return [signs.question, [' log in · :AcpLogin', 'AcpWaiting'], ...later];
  if (!isBusy(state)) return later;
  const [sign, colour] = state.phase === 'cancelling' ? signs.toolSigns.cancelled : signs.toolSigns.running;
  const label =
    state.phase === 'cancelling' ? ' stopping · <C-c> again to force' : ` ${elapsed(now - state.since)}`;
  return [[sign, colour], [label, 'AcpMuted'], ...silenceOf(state, now), ...later];
}

// Some agents try again for minutes when their model fails, and say nothing of it. A command of ours may take its time.
function silenceOf({ phase, heardAt, terminals, agent }: SessionState, now: number): readonly Piece[] {
  const isSilent = phase === 'running' && now - heardAt >= silenceMs;
  if (!isSilent || [...terminals.values()].some(({ exit }) => exit === undefined)) return [];
  const words = `nothing from ${sanitiseLine(agent.title)} for ${elapsed(now - heardAt)}`;
  return [[`  ${words} · <C-c> stops, :AcpLog tells more`, 'AcpMuted']];
}
