import { isRecord } from '../../base/record.ts';
import {
  callKey,
  type Diff,
  type Entry,
  type QuestionEntry,
  type ToolContent,
  type ToolEntry,
} from '../../model/entries.ts';
import { type SessionState, terminalIdsIn } from '../../model/session.ts';
import type { SessionEvent } from '../../model/session-events.ts';
import { editsIn } from '../../model/tools/tool-arguments.ts';
import { cutDiff, cutText, cutValue, type Room } from './cut-text.ts';

type EventOf<K extends SessionEvent['kind']> = Extract<SessionEvent, { kind: K }>;

/** Of the content, of the changes, of the arguments and of the result of a call that is cut, in characters. */
const keptLength = 4 * 1024;

/** The entries look the same while they are closed, so none of them has changed. */
export function cutBodies(state: SessionState, { calls, terminals }: EventOf<'bodies_cut'>): readonly [] {
  const newRoom = roomsFor(state);
  for (const id of terminals) {
    const terminal = state.terminals.get(id);
    if (terminal) Object.assign(terminal, { text: cutText(terminal.text, newRoom()), isCut: true });
  }
  if (calls.length > 0) cutCalls(state, new Set(calls), newRoom);
  return [];
}

export function restoreBody(state: SessionState, { call, body }: EventOf<'body_read'>): readonly Entry[] {
  const tool = state.entries.find((entry) => entry.kind === 'tool' && callKey(entry) === call);
  if (tool?.kind !== 'tool') return [];
  const { outputs, ...fields } = body;
  const isAsked = tool.askedContent === tool.content;
  Object.assign(tool, fields);
  delete tool.isCut;
  if (isAsked) tool.askedContent = tool.content;
  const named = terminalIdsIn(tool.content).flatMap((id) => state.terminals.get(id) ?? []);
  for (const terminal of [...tool.terminals, ...named.filter(({ isCut }) => isCut)])
    terminal.text =
      outputs.find(({ terminalId }) => terminalId === terminal.terminalId)?.text ?? terminal.text;
  for (const terminal of named) delete terminal.isCut;
  return [tool, ...state.questions.filter((question) => question.tool === tool)];
}

function roomsFor({ isPrivate }: SessionState): () => Room {
  const note = (size: string) =>
    `… ${size} ${isPrivate ? 'dropped: nothing of this chat is on disk' : 'on disk'} …`;
  return () => ({ left: keptLength, note });
}

function cutCall(tool: ToolEntry, newRoom: () => Room): Partial<ToolEntry> {
  const diffs = cutDiffs(shownDiffs(tool), newRoom());
  const content = cutContent(tool.content, diffs, newRoom());
  const room = newRoom();
  for (const terminal of tool.terminals) terminal.text = cutText(terminal.text, room);
  return {
    content,
    diffs: [...diffs.values()],
    rawInput: cutValue(tool.rawInput, newRoom()),
    rawOutput: cutValue(tool.rawOutput, newRoom()),
    // Whether the content is output depends on this.
    ...(tool.askedContent && { askedContent: tool.askedContent === tool.content ? content : [] }),
  };
}

function cutCalls(state: SessionState, keys: ReadonlySet<string>, newRoom: () => Room): void {
  for (const entry of state.entries) {
    const tool = entry.kind === 'question' ? entry.tool : entry;
    if (tool?.kind !== 'tool' || !keys.has(callKey(tool))) continue;
    if (entry.kind === 'tool') Object.assign(tool, cutCall(tool, newRoom), { isCut: true });
    else if (entry.kind === 'question' && entry.answer !== undefined) cutAnswered(entry, newRoom);
  }
}

// Of a question that is answered, the title of the call is shown. If the agent had not reported the call before the
// answer, the question has a call of its own.
function cutAnswered(entry: QuestionEntry, newRoom: () => Room): void {
  if (entry.tool?.isAskedOnly) entry.tool = { ...withTitleOnly(entry.tool, newRoom()), diffs: [] };
  if (entry.toolAtAnswer) entry.toolAtAnswer = withTitleOnly(entry.toolAtAnswer, newRoom());
}

function withTitleOnly(tool: ToolEntry, room: Room): ToolEntry {
  return {
    ...tool,
    content: [],
    terminals: [],
    diffs: tool.diffs.map((diff) => ({ ...diff, oldText: diff.oldText && '', newText: '' })),
    rawInput: cutValue(tool.rawInput, room),
    rawOutput: undefined,
  };
}

// The arguments lose the texts that the diffs of the call are made of.
function shownDiffs({ diffs, rawInput, toolKind }: ToolEntry): readonly Diff[] {
  const isEdit = toolKind === 'edit' || toolKind === 'other';
  const isPatch = isRecord(rawInput) && typeof rawInput.diff === 'string';
  return diffs.length > 0 || !isEdit || isPatch ? diffs : editsIn(rawInput);
}

function cutDiffs(diffs: readonly Diff[], room: Room): ReadonlyMap<Diff, Diff> {
  return new Map(diffs.map((diff) => [diff, cutDiff(diff, room)]));
}

function cutContent(
  content: readonly ToolContent[],
  diffs: ReadonlyMap<Diff, Diff>,
  room: Room,
): readonly ToolContent[] {
  return content.map((item) => {
    if (item.kind === 'text') return { ...item, text: cutText(item.text, room) };
    return item.kind === 'diff' ? (diffs.get(item) ?? cutDiff(item, room)) : item;
  });
}
