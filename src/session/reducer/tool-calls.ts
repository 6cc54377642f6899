import { parseJson } from '../../base/json.ts';
import type { Diff, Entry, QuestionEntry, ToolEntry } from '../../model/entries.ts';
import { isOpenCall, type SessionState } from '../../model/session.ts';
import type { ToolPatch } from '../../model/session-events.ts';
import { closeMessage, insert, setPlan } from './entries.ts';
import { mergeAgentTerminal } from './terminal-state.ts';

export function upsertTool(state: SessionState, patch: ToolPatch, now: number): readonly Entry[] {
  const changed = upsertCall(state, patch, now);
  return patch.todos ? [...changed, ...setPlan(state, { kind: 'plan', items: patch.todos }, now)] : changed;
}

function upsertCall(state: SessionState, patch: ToolPatch, now: number): readonly Entry[] {
  const known = state.tools.get(patch.toolCallId);
  if (!known) return addCall(state, patch, now);
  const wasOpen = isOpenCall(known);
  const questions = state.questions.filter(({ tool }) => tool === known);
  mergeTool(known, patch, now);
  if (known.isAskedOnly && !patch.isAskedOnly)
    return [...closeMessage(state, now), showCall(state, known, questions), ...questions];
  // Text that follows the end of a call is about its result, so it starts a new message.
  const isEnd = wasOpen && !isOpenCall(known) && !isOfSubagent(state, known);
  const closed = isEnd ? closeMessage(state, now) : [];
  return [...closed, ...(known.isAskedOnly ? [] : [known]), ...questions];
}

// A subagent works while its agent writes.
function isOfSubagent({ tools }: SessionState, { parent }: Pick<ToolPatch, 'parent'>): boolean {
  return parent !== undefined && tools.has(parent);
}

function addCall(state: SessionState, patch: ToolPatch, now: number): readonly Entry[] {
  const closed = isOfSubagent(state, patch) ? [] : closeMessage(state, now);
  const tool: ToolEntry = {
    id: state.nextId,
    at: now,
    kind: 'tool',
    toolCallId: patch.toolCallId,
    agentStarts: state.agentStarts,
    title: patch.toolKind ?? patch.toolCallId,
    toolKind: 'other',
    status: 'pending',
    content: [],
    diffs: [],
    terminals: [],
    locations: [],
    rawInput: undefined,
    rawOutput: undefined,
    startedAt: now,
    endedAt: undefined,
  };
  if (state.phase === 'cancelling') tool.isStopped = true;
  mergeTool(tool, patch, now);
  if (!patch.isAskedOnly) {
    state.tools.set(tool.toolCallId, tool);
    return [...closed, insert(state, tool)];
  }
  tool.isAskedOnly = true;
  state.tools.set(tool.toolCallId, tool);
  return closed;
}

// The agent reports a call that only a question was about until now: it gets an entry of its own. Its open questions show
// that entry, because the agent may change the call further.
function showCall(state: SessionState, tool: ToolEntry, questions: readonly QuestionEntry[]): ToolEntry {
  const shown = { ...tool, id: state.nextId, isAskedOnly: false };
  state.tools.set(tool.toolCallId, shown);
  for (const question of questions) question.tool = shown;
  return insert(state, shown);
}

function mergeTool(tool: ToolEntry, patch: ToolPatch, now: number): ToolEntry {
  tool.title = patch.title ?? tool.title;
  const names = patch.toolNames ?? tool.toolNames;
  if (names) tool.toolNames = names;
  const parent = patch.parent ?? tool.parent;
  if (parent !== undefined) tool.parent = parent;
  const subagent = patch.subagent ?? tool.subagent;
  if (subagent) tool.subagent = subagent;
  tool.toolKind = patch.toolKind ?? tool.toolKind;
  tool.content = patch.content ?? tool.content;
  tool.diffs = diffsIn(patch) ?? tool.diffs;
  for (const terminal of patch.terminals ?? []) mergeAgentTerminal(tool, terminal);
  tool.locations = patch.locations ?? tool.locations;
  tool.rawInput = patch.rawInput ?? tool.rawInput ?? argumentsInContent(tool, patch);
  tool.rawOutput = patch.rawOutput ?? tool.rawOutput;
  if (patch.status) setToolStatus(tool, patch.status, now);
  return tool;
}

function diffsIn({ content = [] }: ToolPatch): readonly Diff[] | undefined {
  const diffs = content.filter((item) => item.kind === 'diff');
  return diffs.length > 0 ? diffs : undefined;
}

// Before they ask for permission, some agents stream the arguments of a call as JSON text and nowhere else.
function argumentsInContent(tool: ToolEntry, { content, status = tool.status }: ToolPatch): unknown {
  const [first, ...others] = content ?? [];
  if (!isOpenCall({ status }) || others.length > 0 || first?.kind !== 'text') return undefined;
  const text = first.text.trim();
  if (!text.startsWith('{') || !text.endsWith('}')) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function setToolStatus(tool: ToolEntry, status: ToolEntry['status'], now: number): void {
  if (isOverruled(tool, status)) return;
  if (status === 'running' || status === 'done') tool.isRejected = false;
  if (tool.status === 'unreported') tool.endedAt = undefined;
  tool.status = status;
  tool.endedAt = isOpenCall(tool) ? undefined : (tool.endedAt ?? now);
}

/** Whether the user's decision about a call outweighs the status that its agent reports. */
function isOverruled(tool: ToolEntry, status: ToolEntry['status']): boolean {
  // Some agents report a stopped command as completed. A stopped edit that completes was really made.
  if (tool.isStopped && tool.toolKind === 'execute') return status !== 'cancelled';
  // Some agents report "pending" once more after the user has allowed the call.
  if (status === 'pending') return tool.isAllowed === true && tool.status === 'running';
  const wasWaiting = tool.askedContent !== undefined && !tool.isAllowed;
  return tool.isStopped === true && status === 'failed' && wasWaiting;
}

// Agents leave calls open when a turn is cancelled or ends.
export function closeTools(
  state: SessionState,
  status: 'cancelled' | 'unreported',
  now: number,
): readonly Entry[] {
  const ours = new Set(state.questions.filter(({ question }) => question.isOurs).map(({ tool }) => tool));
  const open = [...state.tools.values()].filter((tool) => isOpenCall(tool) && !ours.has(tool));
  for (const tool of open) {
    if (state.phase === 'cancelling') tool.isStopped = true;
    setToolStatus(tool, hasBegun(tool) ? status : 'cancelled', now);
  }
  return open.filter(({ isAskedOnly }) => !isAskedOnly);
}

function hasBegun({ status, isRejected, content, terminals, rawOutput }: ToolEntry): boolean {
  if (isRejected) return false;
  const hasOutput = content.some(({ kind }) => kind !== 'diff' && kind !== 'other');
  return status === 'running' || hasOutput || terminals.length > 0 || rawOutput !== undefined;
}
