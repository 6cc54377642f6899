import type { QuestionEntry } from '../../model/entries.ts';

/** Whether one answer may be given to both: the same kind of tool call, and the same options in the same order. */
export function areAlike(one: QuestionEntry, other: QuestionEntry): boolean {
  return one === other || (kindOf(one) !== undefined && kindOf(one) === kindOf(other));
}

// Forms and pages have no options. The options of conflicts allow or reject nothing, and each conflict is about its own lines.
function kindOf({ question: { elicitation, options }, tool }: QuestionEntry): string | undefined {
  if (elicitation || !tool || options.some(({ kind }) => kind === 'other')) return undefined;
  return JSON.stringify([tool.toolKind, options.map(({ kind, name }) => [kind, name])]);
}
