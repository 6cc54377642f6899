import { anything, oneOf, optional, type ParsedShape, text } from '../base/parse.ts';
import type { FormAction } from '../model/form-progress.ts';

export const formActionFields = {
  act: oneOf('type', 'choose', 'toggle', 'edit', 'skip', 'done', 'close', 'send', 'decline', 'cancel'),
  text: optional(text),
  value: anything,
  field: optional(text),
};

/** What the user did at a step of a form. An input that was closed has no text. */
export function formActionFrom({
  act,
  text: typed,
  value,
  field,
}: ParsedShape<typeof formActionFields>): FormAction {
  switch (act) {
    case 'type':
      return typed === undefined ? { kind: 'close' } : { kind: 'type', text: typed };
    case 'choose':
      return { kind: 'choose', value: typeof value === 'boolean' ? value : String(value) };
    case 'toggle':
      return { kind: 'toggle', value: String(value) };
    case 'edit':
      return { kind: 'edit', name: String(field) };
    default:
      return { kind: act };
  }
}
