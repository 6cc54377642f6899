import { countOf } from '../../base/text.ts';
import type { Picker } from '../../ports/dialogs.ts';
import type { CodeBlock } from '../code/code-block.ts';
import type { CodeChange } from '../code/code-changes.ts';
import { sanitise, sanitiseLine } from '../sanitise.ts';

/** The ways to put a code block into a file. */
export function codePicker(
  chat: number,
  offer: { readonly id: number; readonly name: string; readonly changes: readonly CodeChange[] },
  { lines }: CodeBlock,
): Picker {
  const count = countOf(lines.length, 'line');
  const text = lines.join('\n');
  const warning = sanitise(text) === text ? '' : ' (with invisible characters)';
  return {
    prompt: `Put ${count}${warning} into ${sanitiseLine(offer.name)}`,
    kind: 'acp.code',
    items: offer.changes.map(({ label }, choice) => ({
      label,
      op: 'code.put',
      payload: { chat, offer: offer.id, choice },
      isLast: true as const,
    })),
    isGuarded: true,
  };
}
