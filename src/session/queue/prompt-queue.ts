import { trimBlankLines } from '../../base/text.ts';
import {
  isSamePrompt,
  newPromptId,
  type Prompt,
  type QueuedPrompt,
  queuedFrom,
  queuedRecord,
  textPrompt,
} from '../../model/prompt.ts';

type Queue = readonly QueuedPrompt[];

/** Whether some prompts wait until the user resumes the queue. */
export function isPaused(queue: Queue): boolean {
  return queue.some(({ isHeld }) => isHeld);
}

export function held(queue: Queue): Queue {
  return queue.map((prompt) => ({ ...prompt, isHeld: true }));
}

export function released(queue: Queue): Queue {
  return queue.map((prompt) => without(prompt, 'isHeld'));
}

/** The queue of a host that has ended: nothing is being sent, and the contents of attachments are gone. */
export function recovered(queue: Queue): Queue {
  return queue.map(({ id = newPromptId(), text }) => ({
    ...textPrompt(text, id),
    isHeld: true,
    isUnresolved: true,
  }));
}

/** The agent has not taken a prompt that was offered to the running turn. */
export function withdrawn(queue: Queue, offered: Prompt, isHeld: boolean): Queue {
  const index = queue.findIndex((prompt) => prompt.isOffered && isSamePrompt(prompt, offered));
  return queue.map((prompt, at) => {
    if (at !== index) return prompt;
    return { ...without(prompt, 'isOffered'), ...(isHeld && { isHeld }) };
  });
}

/** Moves a prompt to the front, where it is sent next. Undefined if it is not in the queue. */
export function movedToFront(queue: Queue, text: string): Queue | undefined {
  const index = queue.findIndex((prompt) => isSameText(prompt.text, text) && !prompt.isOffered);
  const prompt = queue[index];
  if (!prompt) return undefined;
  return [without(prompt, 'isHeld'), ...queue.filter((_, at) => at !== index)];
}

/**
 * The queue after the user has edited its texts. `base` are the texts that the user began with: what was sent since is
 * not queued again, and what was queued since stays. The text that the user edits has no ids, so a changed one is a new one.
 */
export function edited(queue: Queue, base: readonly string[], texts: readonly string[]): Queue {
  const unchanged = [...base];
  const rest = [...queue];
  const isHeld = isPaused(queue);
  const result = texts.flatMap((text) => {
    const isOld = takeFirst(unchanged, (each) => isSameText(each, text)) !== undefined;
    const prompt = takeFirst(rest, (each) => isSameText(each.text, text) && !each.isOffered);
    if (prompt) return [prompt];
    if (isOld) return [];
    const added = textPrompt(text, newPromptId());
    return [{ ...added, isUnresolved: true as const, ...(isHeld && { isHeld }) }];
  });
  // The texts that the user has removed or changed.
  for (const text of unchanged) {
    takeFirst(rest, (each) => isSameText(each.text, text) && !each.isOffered);
  }
  return [...result, ...rest];
}

// The text that the user edits has no blank lines around a prompt.
function isSameText(one: string, other: string): boolean {
  return trimBlankLines(one) === trimBlankLines(other);
}

function takeFirst<T>(list: T[], isMeant: (each: T) => boolean): T | undefined {
  const index = list.findIndex(isMeant);
  return index === -1 ? undefined : list.splice(index, 1)[0];
}

function without(prompt: QueuedPrompt, flag: 'isHeld' | 'isOffered'): QueuedPrompt {
  return queuedFrom({ ...queuedRecord(prompt), [flag]: undefined });
}
