import { shorten } from '../../base/text.ts';
import {
  type Choice,
  type Field,
  type FieldOf,
  type Form,
  findOnlyQuestion,
  findQuickField,
  isUnanswerable,
  looksLikeSecret,
  singleLineText,
} from '../../model/form.ts';
import type { FormProgress } from '../../model/form-progress.ts';
import type { Input, Picker, PickerItem } from '../../ports/dialogs.ts';
import { sanitiseLine } from '../sanitise.ts';
import { current } from '../signs.ts';
import { parsePageAddress } from '../web-page.ts';
import { fieldLabel, shownAnswer, shownExpectation } from './form.ts';

const maxQuestion = 200;
const maxProblem = 500;

export type Dialog =
  | { readonly op: 'picker.open'; readonly payload: Picker }
  | { readonly op: 'input.open'; readonly payload: Input };

/** A form that the user is filling in. */
interface OpenForm {
  readonly chat: number;
  readonly id: number;
  readonly agent: string;
  /** The agent's name and what the form asks, on one line. */
  readonly prompt: string;
  /** The agent's message. */
  readonly message: string;
  readonly form: Form;
  readonly progress: FormProgress;
}

/** The dialog for the current step of a form. */
export function formDialog(open: OpenForm): Dialog {
  const { form, progress } = open;
  const { step } = progress;
  const field = step.kind === 'field' ? form.fields.find(({ name }) => name === step.name) : undefined;
  switch (field?.kind) {
    case 'text':
    case 'number':
    case 'integer':
      return { op: 'input.open', payload: fieldInput(open, field) };
    case 'switch':
      return pickerDialog(open, fieldPrompt(open, field), [
        ...switchItems(open, field),
        ...otherItems(open, field),
      ]);
    case 'choice':
      return pickerDialog(open, fieldPrompt(open, field), [
        ...choiceItems(open, field),
        ...otherItems(open, field),
      ]);
    case 'choices':
      return pickerDialog(open, fieldPrompt(open, field), [...listItems(open, field), ...quickItems(open)]);
    default:
      return pickerDialog(open, open.prompt, reviewItems(open));
  }
}

/** The dialog for a web page that the agent asks the user to open. */
export function pageDialog(chat: number, id: number, prompt: string, url: string): Dialog {
  const choices: readonly [string, string][] = [
    ['Decline', 'decline'],
    ['Cancel', 'cancel'],
  ];
  const ways: readonly [string, string][] = [
    ['Open in the browser', 'open'],
    ['Copy the address and open it yourself', 'copy'],
  ];
  const { host, canOpen } = parsePageAddress(url);
  const items = [...(canOpen ? ways : []), ...choices].map(([label, choice]) => ({
    label,
    op: 'page.visit',
    payload: { chat, id, choice },
    ...((choice === 'open' || choice === 'copy') && { consents: true as const }),
  }));
  const closed = { op: 'page.visit', payload: { chat, id, choice: 'close' } };
  const heading = host === '' ? prompt : `${prompt} (${sanitiseLine(host)})`;
  return {
    op: 'picker.open',
    payload: { prompt: heading, kind: 'acp.page', items, closed, isQuestion: true },
  };
}

function pickerDialog(open: OpenForm, prompt: string, items: readonly PickerItem[]): Dialog {
  const closed = { op: 'form.fill', payload: actionPayload(open, { act: 'close' }) };
  return { op: 'picker.open', payload: { prompt, kind: 'acp.form', items, closed, isQuestion: true } };
}

function fieldInput(open: OpenForm, field: Field): Input {
  const { drafts, answers } = open.progress;
  const known = drafts.get(field.name) ?? answers.get(field.name);
  return {
    prompt: `${fieldPrompt(open, field)} (${shorten(shownExpectation(field), maxQuestion)}): `,
    default: known === undefined ? '' : singleLineText(known),
    op: 'form.fill',
    payload: actionPayload(open, { act: 'type' }),
    isQuestion: true,
    isSecret: looksLikeSecret(field),
  };
}

function fieldPrompt(open: OpenForm, field: Field): string {
  const { step } = open.progress;
  const problem = step.kind === 'field' && step.problem ? [shorten(step.problem, maxProblem)] : [];
  const heading = findOnlyQuestion(open.form) === field ? open.prompt : numberedPrompt(open, field);
  return sanitiseLine([...problem, heading].join(' '));
}

function numberedPrompt({ agent, message, form }: OpenForm, field: Field): string {
  const number = `${form.fields.indexOf(field) + 1}/${form.fields.length}`;
  const heading = `${agent} ${number} · ${shorten(field.title, maxQuestion)}`;
  const question = shorten(field.description ?? message, maxQuestion);
  return question === '' || question === field.title ? heading : `${heading} — ${question}`;
}

function switchItems(open: OpenForm, { name }: Field): readonly PickerItem[] {
  const answer = open.progress.answers.get(name);
  return [true, false].map((value) =>
    item(open, markedLabel(value ? 'Yes' : 'No', answer === value), { act: 'choose', value }),
  );
}

function choiceItems(open: OpenForm, { name, choices }: FieldOf<'choice'>): readonly PickerItem[] {
  const answer = open.progress.answers.get(name);
  return choices.map((choice) =>
    item(open, markedLabel(choiceText(choice), answer === choice.value), {
      act: 'choose',
      value: choice.value,
    }),
  );
}

function listItems(open: OpenForm, { name, choices }: FieldOf<'choices'>): readonly PickerItem[] {
  const { drafts, answers } = open.progress;
  const chosen = drafts.get(name) ?? answers.get(name);
  const marked = new Set<unknown>(Array.isArray(chosen) ? chosen : []);
  const toggles = choices.map((choice) => {
    const box = marked.has(choice.value) ? '[x]' : '[ ]';
    return item(open, `${box} ${choiceText(choice)}`, { act: 'toggle', value: choice.value });
  });
  return [...toggles, item(open, 'Done', { act: 'done' })];
}

function otherItems(open: OpenForm, { isRequired }: Field): readonly PickerItem[] {
  if (findQuickField(open.form)) return quickItems(open);
  return isRequired ? [] : [item(open, markedLabel('Skip this field', false), { act: 'skip' })];
}

// The other items of a quick form: add a remark, send only the remark, or decline.
function quickItems(open: OpenForm): readonly PickerItem[] {
  const quick = findQuickField(open.form);
  if (!quick) return [];
  const remark = open.form.fields.find((field) => field !== quick);
  const remarkText = remark && shownAnswer(remark, open.progress);
  const isEnough = remarkText !== undefined && !quick.isRequired;
  return [
    ...(isEnough
      ? [item(open, markedLabel(`Send "${shorten(remarkText, maxQuestion)}" alone`, false), { act: 'send' })]
      : []),
    ...(remark
      ? [item(open, markedLabel(remarkLabel(remark, remarkText), false), { act: 'edit', field: remark.name })]
      : []),
    item(open, markedLabel('Decline', false), { act: 'decline' }),
  ];
}

function remarkLabel(remark: Field, text: string | undefined): string {
  const label = text === undefined ? sanitiseLine(remark.title) : `${fieldLabel(remark)} ${text}`;
  return `${shorten(label, maxQuestion)} …`;
}

function reviewItems(open: OpenForm): readonly PickerItem[] {
  const { form, progress } = open;
  const ends = [item(open, 'Decline', { act: 'decline' }), item(open, 'Cancel', { act: 'cancel' })];
  if (isUnanswerable(form)) return ends;
  const fields = form.fields.filter(({ kind }) => kind !== 'unknown');
  const edits = fields.map((field) => {
    const answer = shownAnswer(field, progress) ?? (field.isRequired ? '(required)' : '(skipped)');
    return item(open, `${fieldLabel(field)} ${answer}`, { act: 'edit', field: field.name });
  });
  return [item(open, 'Send', { act: 'send' }), ...edits, ...ends];
}

function item(open: OpenForm, label: string, act: object): PickerItem {
  return { label, op: 'form.fill', payload: actionPayload(open, act) };
}

function actionPayload({ chat, id, progress }: OpenForm, act: object): object {
  return { chat, id, turn: progress.revision, ...act };
}

function choiceText({ title, description }: Choice): string {
  return sanitiseLine([title, description].filter(Boolean).join(' — '));
}

function markedLabel(label: string, isCurrent: boolean): string {
  return `${isCurrent ? current : ' '} ${label}`;
}
