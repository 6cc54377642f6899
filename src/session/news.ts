import type { AgentEvent } from './events.ts';
import type { Entry } from './model.ts';

/** A prompt of a conversation that is told again, and what was told from there on to the next. */
interface Turn {
  readonly prompt: string;
  readonly events: AgentEvent[];
}

/**
 * What an agent that tells a conversation again tells beyond what is known of it: the answer to the last prompt if none
 * is known, and the turns after it. Prompts tell where that is, by their text; an agent may have forgotten some and may tell others in other
 * words, and then it is taken to know as many of the last ones as are known here. Nothing is ever told twice; where an
 * agent shortened the conversation, something may be left out.
 */
export function newsIn(entries: readonly Entry[], told: readonly AgentEvent[]): readonly AgentEvent[] {
  const known = entries.flatMap((entry) =>
    entry.kind === 'message' && entry.role === 'user' ? [essence(entry.text.toString())] : [],
  );
  const turns = turnsIn(told).flatMap((turn) => apart(turn, known));
  const prompts = turns.map(({ prompt }) => essence(prompt));
  const [knownEnd, toldEnd] = lastMatch(known, prompts);
  const isLastMet = toldEnd > 0 && knownEnd === known.length;
  const answer = isLastMet && isUnanswered(entries) ? turns[toldEnd - 1]!.events.filter(isNoPrompt) : [];
  const later = turns.slice(toldEnd + (known.length - knownEnd)).flatMap(({ events }) => events);
  return [...answer, ...later];
}

// An agent elsewhere goes on with a turn when the connection to it is lost.
function isUnanswered(entries: readonly Entry[]): boolean {
  const said = entries.findLast(({ kind }) => kind === 'message' || kind === 'tool');
  return said?.kind === 'message' && said.role === 'user';
}

function isNoPrompt(event: AgentEvent): boolean {
  return event.kind !== 'chunk' || event.role !== 'user';
}

/** Whether an event says what an entry has said already. */
export function isKnown(entries: readonly Entry[], event: AgentEvent): boolean {
  if (event.kind === 'tool') {
    const { toolCallId, title } = event.patch;
    return entries.some(
      (entry) => entry.kind === 'tool' && (entry.toolCallId === toolCallId || entry.title === title),
    );
  }
  if (event.kind !== 'chunk') return false;
  const text = essence(event.text);
  return entries.some(
    (entry) =>
      entry.kind === 'message' && entry.role === event.role && essence(entry.text.toString()).includes(text),
  );
}

// Agents add newlines, and take them away.
function essence(text: string): string {
  return text.replace(/\s+/g, '');
}

function turnsIn(told: readonly AgentEvent[]): readonly Turn[] {
  const turns: Turn[] = [];
  let last: AgentEvent | undefined;
  for (const event of told) {
    const turn = turns.at(-1);
    if (event.kind !== 'chunk' || event.role !== 'user') turn?.events.push(event);
    else if (turn && last?.kind === 'chunk' && last.role === 'user' && last.messageId === event.messageId)
      turns.splice(-1, 1, { prompt: turn.prompt + event.text, events: [...turn.events, event] });
    else turns.push({ prompt: event.text, events: [event] });
    last = event;
  }
  return turns;
}

// Prompts that were never answered follow each other, and are told as one where they have no ids.
function apart(turn: Turn, known: readonly string[]): readonly Turn[] {
  const prompt = essence(turn.prompt);
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

/** How far two lists of prompts have been gone through behind the last one that both have, in the longest way that both have. */
function lastMatch(known: readonly string[], told: readonly string[]): readonly [number, number] {
  let same = 0;
  while (same < known.length && known[same] === told[same]) same += 1;
  const lengths = commonLengths(known, told, same);
  let best: readonly [number, number] = [same, same];
  let [one, other] = best;
  while (one < known.length && other < told.length) {
    if (known[one] === told[other]) {
      one += 1;
      other += 1;
      best = [one, other];
    } else if (lengths(one + 1, other) >= lengths(one, other + 1)) one += 1;
    else other += 1;
  }
  return best;
}

/** How many prompts, at most, both lists have in the same order from two places on. */
function commonLengths(known: readonly string[], told: readonly string[], from: number) {
  const width = told.length + 1;
  const table = new Uint32Array((known.length + 1) * width);
  for (let one = known.length - 1; one >= from; one -= 1) {
    for (let other = told.length - 1; other >= from; other -= 1) {
      const next = (one + 1) * width + other;
      table[one * width + other] =
        known[one] === told[other] ? table[next + 1]! + 1 : Math.max(table[next]!, table[next - width + 1]!);
    }
  }
  return (one: number, other: number) => table[one * width + other]!;
}
