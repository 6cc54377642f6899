import type { Picker } from '../../ports/dialogs.ts';
import { patchText } from '../frame.ts';
import { blank, type Line, makeLine } from '../line.ts';
import { splitLongLines } from '../questions/split-lines.ts';
import { questionBody, questionTitle } from '../transcript/question.ts';
import { listLines, nameOf, type ShownQuestion } from './question.ts';

interface ShownCandidate {
  readonly rules: readonly { readonly text: string }[];
  readonly note: string;
}

export interface ShownPlace {
  readonly place: string;
  readonly label: string;
}

/** The rules that would answer a question, from narrow to wide. */
export function candidatesPicker(
  draft: number,
  shown: ShownQuestion,
  candidates: readonly ShownCandidate[],
): Picker {
  const { entry, context } = shown;
  return {
    prompt: 'Which rule?',
    title: `Which rule? ${questionTitle(entry, context)}`,
    body: patchText(splitLongLines(questionBody(entry, context))),
    kind: 'acp.rule',
    items: candidates.map(({ rules, note }, candidate) => ({
      label: `${rules.map(({ text }) => text).join(' + ')}${note === '' ? '' : `  (${note})`}`,
      op: 'rule.choose',
      payload: { draft, candidate },
    })),
    closed: { op: 'question.close', payload: nameOf(shown) },
    isQuestion: true,
    mustRead: true,
  };
}

/** Where the rule can be saved. */
export function placesPicker(
  draft: number,
  shown: ShownQuestion,
  { rules, note }: ShownCandidate,
  places: readonly ShownPlace[],
): Picker {
  return {
    prompt: 'Save this rule?',
    title: 'Save this rule?',
    body: patchText(
      splitLongLines([
        ...rules.map(({ text }) => makeLine([`  ${text}`, ''])),
        ...(note === '' ? [] : [makeLine([`  ${note}`, 'AcpMuted'])]),
      ]),
    ),
    kind: 'acp.rule',
    items: [
      ...places.map(({ place, label }) => ({
        label: `Save ${label}`,
        op: 'rule.save',
        payload: { draft, place },
        isLast: true as const,
      })),
      { label: 'No', op: 'question.close', payload: nameOf(shown) },
    ],
    closed: { op: 'question.close', payload: nameOf(shown) },
    isQuestion: true,
    mustRead: true,
  };
}

/** The waiting questions that a new rule covers, whole. */
export function coveredPicker(
  list: number,
  covered: {
    readonly verdict: string;
    readonly rules: readonly string[];
    readonly all: readonly ShownQuestion[];
  },
): Picker {
  const { verdict, rules, all } = covered;
  const [first] = all;
  const count = all.length === 1 ? 'One waiting question is' : `${all.length} waiting questions are`;
  const closed = { op: 'question.close', payload: first ? nameOf(first) : {} };
  const head: readonly Line[] = [...rules.map((text) => makeLine([`  ${text}`, 'AcpMuted'])), blank];
  const word = verdict === 'allow' ? 'Allow' : 'Reject';
  return {
    prompt: `${count} covered by the rule`,
    title: `${count} covered by the rule`,
    body: patchText(splitLongLines([...head, ...listLines(all)])),
    kind: 'acp.rule',
    items: [
      {
        label: `${word} ${all.length === 1 ? 'it' : `these ${all.length}`} by the rule`,
        op: 'rule.include',
        payload: { list },
        isLast: true,
      },
      { label: 'Leave open', ...closed, isLast: true },
    ],
    closed,
    isQuestion: true,
    mustRead: true,
    listed: all.map(nameOf),
  };
}
