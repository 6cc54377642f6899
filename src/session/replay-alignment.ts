import { type Entry, isPromptUnanswered, type MessageEntry } from '../model/entries.ts';
import type { AgentEvent } from '../model/session-events.ts';

/** A replayed prompt, and the events up to the next prompt. */
interface ReplayedTurn {
  readonly prompt: string;
  readonly events: AgentEvent[];
}

/**
 * The replayed events that the chat does not show: the answer to the last prompt, if it is missing, and the turns after
 * it. Both sides are aligned by the text of their prompts. An agent may have dropped or reworded some of them; then the
 * same number of last prompts is assumed on both sides. Nothing is shown twice, but something may be missing if the agent
 * compacted the conversation.
 */
export function eventsNotShown(
  entries: readonly Entry[],
  replayed: readonly AgentEvent[],
): readonly AgentEvent[] {
  const sent = entries.flatMap((entry, index) =>
    isPrompt(entry) ? [promptTextsSent(entry, entries[index + 1])] : [],
  );
  const known = sent.map(([text]) => text!);
  const usual = new Map(sent.flatMap((texts) => texts.map((text) => [text, texts[0]!])));
  for (const text of known) usual.set(text, text);
  const turns = splitIntoTurns(replayed)
    .map((turn) => ({ ...turn, prompt: usualText(turn.prompt, usual) }))
    .flatMap((turn) => splitJoinedPrompts(turn, known));
  const prompts = turns.map(({ prompt }) => prompt);
  const [knownEnd, replayedEnd] = lastCommonPrompt(known, prompts);
  const isLastReplayed = replayedEnd > 0 && knownEnd === known.length;
  const answer =
    isLastReplayed && isUnanswered(entries) ? turns[replayedEnd - 1]!.events.filter(isNotPrompt) : [];
  const laterEvents = turns.slice(replayedEnd + (known.length - knownEnd)).flatMap(({ events }) => events);
  return [...answer, ...laterEvents];
}

/**
 * The texts of a prompt that an agent may have: with the names of its mentions, and as earlier versions have sent it,
 * without them. What is attached as text is left out.
 */
function promptTextsSent({ text }: MessageEntry, next: Entry | undefined): readonly string[] {
  const attachments = next?.kind === 'attachments' && next.role === 'user' ? next.items : [];
  // One mention may stand for several files.
  const mentions = [...new Map(attachments.map(({ start, end }) => [start, end]))].reverse();
  let named = text.toString();
  let unnamed = named;
  for (const [start, end] of mentions) {
    named = named.slice(0, start) + named.slice(start + 1);
    unnamed = unnamed.slice(0, start) + unnamed.slice(end);
  }
  if (mentions.length === 0) return [withoutWhitespace(named)];
  return [named, unnamed, withoutCodeBlocks(named)].map(withoutWhitespace);
}

function usualText(prompt: string, usual: ReadonlyMap<string, string>): string {
  const text = withoutWhitespace(prompt);
  return usual.get(text) ?? usual.get(withoutWhitespace(withoutCodeBlocks(prompt))) ?? text;
}

// A text that is attached is a code block where an agent takes no resources.
function withoutCodeBlocks(prompt: string): string {
  return prompt.replace(/(?=(`{3,}))\1[\s\S]*?\1/g, '');
}

// A remote agent continues a turn after its connection is lost.
function isUnanswered(entries: readonly Entry[]): boolean {
  const ofConversation = entries.filter(
    ({ kind }) => kind === 'message' || kind === 'tool' || kind === 'attachments',
  );
  return isPromptUnanswered(ofConversation);
}

function isPrompt(entry: Entry): entry is MessageEntry {
  return entry.kind === 'message' && entry.role === 'user';
}

function isNotPrompt(event: AgentEvent): boolean {
  return !isPromptPart(event);
}

/** Whether an entry already shows what the event reports. */
export function isAlreadyShown(entries: readonly Entry[], event: AgentEvent): boolean {
  if (event.kind === 'tool') {
    const { toolCallId, title } = event.patch;
    return entries.some(
      (entry) => entry.kind === 'tool' && (entry.toolCallId === toolCallId || entry.title === title),
    );
  }
  if (event.kind === 'attachment') {
    const { role, attachment } = event;
    return entries.some(
      (entry) =>
        entry.kind === 'attachments' &&
        entry.role === role &&
        entry.items.some(({ uri }) => uri === attachment.uri),
    );
  }
  if (event.kind !== 'chunk') return false;
  const text = withoutWhitespace(event.text);
  return entries.some(
    (entry, index) =>
      entry.kind === 'message' &&
      entry.role === event.role &&
      textsShown(entry, entries[index + 1]).some((shown) => shown.includes(text)),
  );
}

function textsShown(entry: MessageEntry, next: Entry | undefined): readonly string[] {
  return entry.role === 'user' ? promptTextsSent(entry, next) : [withoutWhitespace(entry.text.toString())];
}

/** Whether a replayed part of a prompt is an attachment that was sent as text. */
export function isAttachedText(event: AgentEvent): boolean {
  return event.kind === 'chunk' && event.role === 'user' && withoutCodeBlocks(event.text).trim() === '';
}

// Agents add and remove line breaks.
function withoutWhitespace(text: string): string {
  return text.replace(/\s+/g, '');
}

function splitIntoTurns(replayed: readonly AgentEvent[]): readonly ReplayedTurn[] {
  const turns: ReplayedTurn[] = [];
  let last: AgentEvent | undefined;
  for (const event of replayed) {
    const turn = turns.at(-1);
    if (!isPromptPart(event)) turn?.events.push(event);
    else if (turn && last && continuesPrompt(last, event))
      turns.splice(-1, 1, { prompt: turn.prompt + promptText(event), events: [...turn.events, event] });
    else turns.push({ prompt: promptText(event), events: [event] });
    last = event;
  }
  return turns;
}

export function isPromptPart(event: AgentEvent): boolean {
  return (event.kind === 'chunk' || event.kind === 'attachment') && event.role === 'user';
}

function promptText(event: AgentEvent): string {
  return event.kind === 'chunk' ? event.text : '';
}

// An attachment has no message id and stands within a prompt, or before its text.
function continuesPrompt(last: AgentEvent, event: AgentEvent): boolean {
  if (!isPromptPart(last)) return false;
  if (last.kind !== 'chunk' || event.kind !== 'chunk') return true;
  return last.messageId === event.messageId;
}

// Unanswered prompts follow each other, and agents without message ids replay them as one.
function splitJoinedPrompts(turn: ReplayedTurn, known: readonly string[]): readonly ReplayedTurn[] {
  const { prompt } = turn;
  if (known.includes(prompt)) return [turn];
  for (const first of known.keys()) {
    let rest = prompt;
    let next = first;
    while (next < known.length && rest !== '' && rest.startsWith(known[next]!)) {
      rest = rest.slice(known[next]!.length);
      next += 1;
    }
    if (rest === '' && next > first) {
      return known
        .slice(first, next)
        .map((one, index) => ({ prompt: one, events: first + index === next - 1 ? turn.events : [] }));
    }
  }
  return [turn];
}

/** The positions after the last prompt of the longest common subsequence: in `known`, and in `replayed`. */
function lastCommonPrompt(known: readonly string[], replayed: readonly string[]): readonly [number, number] {
  let same = 0;
  while (same < known.length && known[same] === replayed[same]) same += 1;
  const lengths = commonSubsequenceLengths(known, replayed, same);
  let best: readonly [number, number] = [same, same];
  let [inKnown, inReplayed] = best;
  while (inKnown < known.length && inReplayed < replayed.length) {
    if (known[inKnown] === replayed[inReplayed]) {
      inKnown += 1;
      inReplayed += 1;
      best = [inKnown, inReplayed];
    } else if (lengths(inKnown + 1, inReplayed) >= lengths(inKnown, inReplayed + 1)) inKnown += 1;
    else inReplayed += 1;
  }
  return best;
}

/** The length of the longest common subsequence from two positions on. */
function commonSubsequenceLengths(known: readonly string[], replayed: readonly string[], from: number) {
  const width = replayed.length + 1;
  const table = new Uint32Array((known.length + 1) * width);
  for (let inKnown = known.length - 1; inKnown >= from; inKnown -= 1) {
    for (let inReplayed = replayed.length - 1; inReplayed >= from; inReplayed -= 1) {
      const next = (inKnown + 1) * width + inReplayed;
      table[inKnown * width + inReplayed] =
        known[inKnown] === replayed[inReplayed]
          ? table[next + 1]! + 1
          : Math.max(table[next]!, table[next - width + 1]!);
    }
  }
  return (inKnown: number, inReplayed: number) => table[inKnown * width + inReplayed]!;
}
