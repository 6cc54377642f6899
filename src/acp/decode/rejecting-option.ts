import { isRecord, type JsonObject } from '../../base/record.ts';
import { asString } from './fields.ts';

/** The option to answer with when the user chose none: one that certainly rejects, once if possible. */
export function rejectingOption(options: unknown): string | undefined {
  const offered = (Array.isArray(options) ? options : []).filter(isRecord);
  const refusing = offered.filter(({ optionId }) =>
    offered.every((option) => option.optionId !== optionId || isExplicitRejection(option)),
  );
  const once = refusing.find(({ kind }) => kind === 'reject_once') ?? refusing[0];
  return asString(once?.optionId);
}

// An option of unknown kind is shown as a rejection, but may allow something.
function isExplicitRejection({ kind, _meta }: JsonObject): boolean {
  const isAssumed = isRecord(_meta) && _meta['acp.nvim/kind'] !== undefined;
  return !isAssumed && typeof kind === 'string' && isRejection(kind);
}

/** Whether a kind of option rejects what is asked. */
export function isRejection(kind: string): boolean {
  return kind.startsWith('reject');
}
