import { shorten } from '../../base/text.ts';
import type { QuestionEntry } from '../../model/entries.ts';
import type { Picker, PickerItem } from '../../ports/dialogs.ts';
import { patchText } from '../frame.ts';
import { blank, type Line, makeLine } from '../line.ts';
import { type Choice, describedOption } from '../questions/choices.ts';
import { splitLongLines } from '../questions/split-lines.ts';
import {
  questionBody,
  questionHead,
  questionPrompt,
  questionRest,
  questionTitle,
} from '../transcript/question.ts';
import { questionWarnings } from '../transcript/question-warnings.ts';
import type { ViewContext } from '../transcript/view-context.ts';

/** A longer line does not fit on a small screen. */
const maxHeadColumns = 300;
/** Of a list, in characters. What is longer does not fit on any screen, so it opens in a float. */
const maxPrompt = 100_000;

/** A question of a chat as the user sees it now. */
export interface ShownQuestion {
  readonly chat: number;
  readonly entry: QuestionEntry;
  readonly context: ViewContext;
  /** It changes when the question shows something else. */
  readonly revision: number;
}

/** What a window of ours shows of a question above its choices. */
export function describeQuestion(
  entry: QuestionEntry,
  context: ViewContext,
): Pick<Picker, 'title' | 'body' | 'mustSee'> {
  const head = splitLongLines(questionHead(entry, context), maxHeadColumns);
  return {
    title: questionTitle(entry, context),
    body: patchText([...head, ...questionRest(entry, context)]),
    mustSee: head.length,
  };
}

/** The picker of a permission or conflict, with the choices as the chat numbers them. */
export function questionPicker(shown: ShownQuestion, choices: readonly Choice[]): Picker {
  const { entry, context } = shown;
  const items = choices.map((choice) => choiceItem(shown, choice));
  const preview = items.find(({ op }) => op === 'question.preview');
  return {
    ...describeQuestion(entry, context),
    prompt: shorten(questionPrompt(entry, context, warningTexts(entry, context)), maxPrompt),
    kind: 'acp.permission',
    items,
    ...(preview && { preview }),
    closed: { op: 'question.close', payload: nameOf(shown) },
    isQuestion: true,
  };
}

/** Whether a choice lets the agent do what it asked for. */
export function consents({ question }: QuestionEntry, choice: Choice): boolean {
  return choice.kind === 'option' && !question.options[choice.index]?.kind.startsWith('reject');
}

function warningTexts(entry: QuestionEntry, context: ViewContext): readonly string[] {
  return questionWarnings(entry, context).map((text) => `! ${text}`);
}

function choiceItem(shown: ShownQuestion, choice: Choice): PickerItem {
  const { label } = choice;
  switch (choice.kind) {
    case 'option': {
      const payload = { ...nameOf(shown), revision: shown.revision, option: choice.index };
      const isConsent = consents(shown.entry, choice);
      return { label, op: 'question.answer', payload, isLast: true, ...(isConsent && { consents: true }) };
    }
    case 'stop':
      return { label, op: 'turn.cancel', payload: { chat: shown.chat }, isLast: true };
    case 'merge':
    case 'preview':
      return { label, op: 'question.preview', payload: nameOf(shown) };
    case 'rule':
      return {
        label,
        op: 'rule.make',
        payload: { ...nameOf(shown), revision: shown.revision },
      };
    case 'all':
      return { label, op: 'question.list', payload: nameOf(shown) };
  }
}

export function nameOf({ chat, entry }: ShownQuestion) {
  return { chat, id: entry.question.id };
}

/** The picker that lists questions of one kind whole, and gives all of them one answer. */
export function questionListPicker(
  list: number,
  opener: ShownQuestion,
  all: readonly ShownQuestion[],
): Picker {
  const { entry, context } = opener;
  const items = entry.question.options.map((option, index) => ({
    label: `${describedOption(option)}: all ${all.length}`,
    op: 'questions.answer',
    payload: { list, option: index },
    isLast: true as const,
  }));
  return {
    prompt: `${questionTitle(entry, context)}: ${all.length} questions`,
    title: `${questionTitle(entry, context)} · ${all.length} questions`,
    body: patchText(splitLongLines(listLines(all))),
    kind: 'acp.permission',
    items,
    closed: { op: 'question.close', payload: nameOf(opener) },
    isQuestion: true,
    mustRead: true,
    listed: all.map(nameOf),
  };
}

/** The questions whole. Those with one line have no heading and no gap, so that more of them fit on the screen. */
export function listLines(all: readonly ShownQuestion[]): readonly Line[] {
  const isOneChat = all.every(({ chat }) => chat === all[0]!.chat);
  const bodies = all.map(({ entry, context }) => questionBody(entry, context));
  if (isOneChat && bodies.every(({ length }) => length === 1)) return bodies.flat();
  return all.flatMap(({ chat }, at) => [
    ...(at === 0 ? [] : [blank]),
    makeLine([`${at + 1} of ${all.length}`, 'AcpWaiting'], [isOneChat ? '' : ` · chat ${chat}`, 'AcpMuted']),
    ...bodies[at]!,
  ]);
}
