import type { QuestionEntry } from '../../model/entries.ts';
import { optionName } from '../../view/questions/choices.ts';

/** A waiting question as Lua gets it. The names of the fields are public. */
export interface QuestionData {
  /** Its id. */
  readonly question: number;
  readonly kind: 'permission' | 'conflict' | 'form' | 'page';
  readonly text: string;
  /** Empty for a form or a page. */
  readonly choices: readonly { readonly name: string; readonly kind: string }[];
  /** It changes when the question shows something else; an answer counts only for what was read. */
  readonly revision: number;
}

export function questionData({ question }: QuestionEntry, text: string, revision: number): QuestionData {
  const { id, options, elicitation, isOurs } = question;
  return {
    question: id,
    kind: elicitation?.kind ?? (isOurs ? 'conflict' : 'permission'),
    text,
    choices: elicitation ? [] : options.map((option) => ({ name: optionName(option), kind: option.kind })),
    revision,
  };
}
