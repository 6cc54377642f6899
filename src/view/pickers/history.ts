import { shorten } from '../../base/text.ts';
import type { Picker } from '../../ports/dialogs.ts';
import { sanitiseLine } from '../sanitise.ts';
import { timeAgo } from './sessions.ts';

interface EarlierPrompt {
  readonly text: string;
  readonly at: number;
}

const maxText = 100;

/** Earlier prompts, one line each. */
export function historyPicker(chat: number, prompts: readonly EarlierPrompt[], now: number): Picker {
  return {
    prompt: 'Earlier prompts',
    kind: 'acp.history',
    items: prompts.map(({ text, at }, index) => ({
      label: [oneLine(text), at === 0 ? '' : timeAgo(at, now)].filter((part) => part !== '').join(' · '),
      op: 'history.use',
      payload: { chat, index },
    })),
  };
}

/** Asks for confirmation before the prompts of a folder are forgotten. */
export function clearHistoryPicker(chat: number, count: number): Picker {
  const prompts = count === 1 ? 'the prompt' : `the ${count} prompts`;
  return {
    prompt: `Forget ${prompts} of this folder? (The journals of the sessions keep theirs.)`,
    kind: 'acp.history',
    isGuarded: true,
    items: [{ label: 'Keep them' }, { label: 'Forget them', op: 'history.clear', payload: { chat } }],
  };
}

function oneLine(text: string): string {
  return shorten(sanitiseLine(shorten(text, 10 * maxText).replace(/\s+/g, ' ')).trim(), maxText);
}
