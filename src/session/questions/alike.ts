import type { QuestionEntry } from '../../model/entries.ts';

type Options = QuestionEntry['question']['options'];

/** The options of a question do not change, so their part of the key is made once. */
const optionKeys = new WeakMap<Options, string>();

/**
 * A text that is the same for questions that may get one answer: the same kind of tool call, and the same options in the
 * same order. Undefined: the question is like no other. Forms and pages have no options. The options of conflicts allow
 * or reject nothing, and each conflict is about its own lines.
 */
export function kindKey({ question: { elicitation, options }, tool }: QuestionEntry): string | undefined {
  if (elicitation || !tool || options.some(({ kind }) => kind === 'other')) return undefined;
  const known = optionKeys.get(options);
  const key = known ?? JSON.stringify(options.map(({ kind, name }) => [kind, name]));
  if (known === undefined) optionKeys.set(options, key);
  return `${tool.toolKind} ${key}`;
}
