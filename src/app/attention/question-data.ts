import type { QuestionEntry } from '../../model/entries.ts';
import { optionName } from '../../view/questions/choices.ts';

/** A waiting question as Lua gets it. The names of the fields are public. */
export interface QuestionData {
  /** Its id. */
  readonly question: number;
  readonly kind: 'permission' | 'conflict' | 'form' | 'page';
  /** The kind of the tool call, such as `read`; absent if the question is about none. */
  readonly tool_kind: string | undefined;
  /** For the user; most of it was written by the agent. */
  readonly text: string;
  /** Empty for a form or a page. */
  readonly choices: readonly { readonly name: string; readonly kind: string }[];
  /** It changes when the question shows something else; an answer counts only for what was read. */
  readonly revision: number;
}

export function questionData(
  { question, tool }: QuestionEntry,
  text: string,
  revision: number,
): QuestionData {
  const { id, options, elicitation, isOurs } = question;
  return {
    question: id,
    kind: elicitation?.kind ?? (isOurs ? 'conflict' : 'permission'),
    tool_kind: elicitation || isOurs ? undefined : tool?.toolKind,
    text,
    choices: elicitation ? [] : options.map((option) => ({ name: optionName(option), kind: option.kind })),
    revision,
  };
}
