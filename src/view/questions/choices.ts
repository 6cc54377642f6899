import { shorten } from '../../base/text.ts';
import type { QuestionEntry, QuestionOption } from '../../model/entries.ts';
import { type Line, makeLine } from '../line.ts';
import { sanitiseLine } from '../sanitise.ts';
import { unsaidMeaning } from './option-names.ts';

const maxOption = 200;
const indent = '  ';
const gap = '   ';

/** What the user can choose in a question. Its number is its position, in the chat and in every dialog. */
export type Choice =
  | { readonly kind: 'option'; readonly label: string; readonly index: number }
  | { readonly kind: 'stop'; readonly label: string }
  /** Opens a conflict line by line. */
  | { readonly kind: 'merge'; readonly label: string }
  /** Makes a rule that answers this question and others. */
  | { readonly kind: 'rule'; readonly label: string }
  /** Shows the change; the question stays open. */
  | { readonly kind: 'preview'; readonly label: string }
  /** Lists all open questions like this one. */
  | { readonly kind: 'all'; readonly label: string };

export function optionName({ id, name }: QuestionOption): string {
  return shorten(sanitiseLine(name) || sanitiseLine(id), maxOption) || '(unnamed)';
}

/** The name of an option, with what it does if the name does not say it. */
export function describedOption(option: QuestionOption): string {
  const meaning = unsaidMeaning(option);
  return meaning === '' ? optionName(option) : `${optionName(option)} (${meaning})`;
}

/** What the user can choose in a question besides the options of the agent. */
export interface QuestionOffers {
  /** How many open questions of all chats are of the same kind, this one included. */
  readonly alike?: number;
  /** A rule can answer it. */
  readonly canMakeRule?: boolean;
  /** It is an open conflict, which can be merged line by line. */
  readonly canMerge?: boolean;
  /** It is about a change that can be shown side by side. */
  readonly canPreview?: boolean;
}

/** Each new question changes the number in all others, so large numbers are not shown: they would be drawn all the time. */
const maxShownCount = 50;

export function shownCount(alike: number): string {
  return alike > maxShownCount ? `${maxShownCount}+` : String(alike);
}

/** The agent's options in its order, then ours. */
export function questionChoices(
  { question: { options, isOurs } }: QuestionEntry,
  { alike = 1, canMakeRule = false, canMerge = false, canPreview = false }: QuestionOffers = {},
): readonly Choice[] {
  const choices: Choice[] = options.map((option, index) => ({
    kind: 'option',
    label: isOurs ? optionName(option) : describedOption(option),
    index,
  }));
  // Without an option to reject, the user can only stop the turn.
  if (options.every(({ kind }) => kind.startsWith('allow')))
    choices.push({ kind: 'stop', label: 'Stop the turn' });
  if (canMerge) choices.push({ kind: 'merge', label: 'Choose line by line, in a split' });
  if (canMakeRule) choices.push({ kind: 'rule', label: 'Make a rule …' });
  if (canPreview) choices.push({ kind: 'preview', label: 'See the change first' });
  // The last one, because it comes and goes while the question is open, and the others keep their numbers.
  if (alike > 1) choices.push({ kind: 'all', label: `All ${shownCount(alike)} like this …` });
  return choices;
}

/** The numbered choices, side by side as far as they fit into `width` cells; one per line if that is not known. */
export function choiceLines(choices: readonly Choice[], width = 0): readonly Line[] {
  const rows: Choice[][] = [];
  let used = 0;
  for (const [at, choice] of choices.entries()) {
    const size = cells(numbered(choice, at));
    const row = rows.at(-1);
    if (row && used + gap.length + size <= width) {
      row.push(choice);
      used += gap.length + size;
    } else {
      rows.push([choice]);
      used = indent.length + size;
    }
  }
  return rows.map((row) => rowLine(row, choices));
}

function rowLine(row: readonly Choice[], choices: readonly Choice[]): Line {
  return makeLine(
    ...row.flatMap((choice, at) => [
      [`${at === 0 ? indent : gap}${choices.indexOf(choice) + 1} `, 'AcpMuted'] as const,
      [choice.label, 'AcpOption'] as const,
    ]),
  );
}

function numbered({ label }: Choice, at: number): string {
  return `${at + 1} ${label}`;
}

// Most characters from here on may take two cells.
const firstWide = 0x1100;

function cells(text: string): number {
  return [...text].reduce((sum, character) => sum + (character.codePointAt(0)! < firstWide ? 1 : 2), 0);
}
