import { shorten } from '../base.ts';
import {
  asksForSecret,
  type Choice,
  type Field,
  type FieldOf,
  type Form,
  inputTextOf,
  isHopeless,
  quickFieldOf,
} from '../session/form.ts';
import type { Walk } from '../session/form-walk.ts';
import { labelOf, shownAnswer, shownExpectation } from './elicitation.ts';
import { pageAt } from './page.ts';
import type { Picker, PickerItem } from './pickers.ts';
import { sanitiseLine } from './sanitise.ts';

const maxQuestion = 200;

/** A line to be typed. It comes back with its operation, as `text`; without one when the user closed it. */
export interface Input {
  readonly prompt: string;
  readonly default: string;
  readonly op: string;
  readonly payload: object;
  readonly isQuestion: true;
  /** Nothing of it may be remembered. */
  readonly isSecret: boolean;
}

export type Asking =
  | { readonly op: 'picker.open'; readonly payload: Picker }
  | { readonly op: 'input.open'; readonly payload: Input };

/** A form on somebody's way through it. */
export interface FormOnWay {
  readonly chat: number;
  readonly id: number;
  readonly agent: string;
  /** Who asks for what. */
  readonly prompt: string;
  /** What it asks for, as the agent says it. */
  readonly message: string;
  readonly form: Form;
  readonly walk: Walk;
}

/** What the user is asked at the place where they are. */
export function formStep(way: FormOnWay): Asking {
  const { form, walk } = way;
  const { place } = walk;
  const field = place.kind === 'field' ? form.fields.find(({ name }) => name === place.name) : undefined;
  switch (field?.kind) {
    case 'text':
    case 'number':
    case 'integer':
      return { op: 'input.open', payload: inputOf(way, field) };
    case 'switch':
      return picker(way, headingOf(way, field), [...switchItems(way, field), ...otherItems(way, field)]);
    case 'choice':
      return picker(way, headingOf(way, field), [...choiceItems(way, field), ...otherItems(way, field)]);
    case 'choices':
      return picker(way, headingOf(way, field), [...listItems(way, field), ...quickItems(way)]);
    default:
      return picker(way, way.prompt, reviewItems(way));
  }
}

/** What the user may do about a page that an agent wants them to see. */
export function pageStep(chat: number, id: number, prompt: string, url: string): Asking {
  const choices: readonly [string, string][] = [
    ['Decline', 'decline'],
    ['Cancel', 'cancel'],
  ];
  const ways: readonly [string, string][] = [
    ['Open in the browser', 'open'],
    ['Copy the address and open it yourself', 'copy'],
  ];
  const { host, canOpen } = pageAt(url);
  const items = [...(canOpen ? ways : []), ...choices].map(([label, choice]) => ({
    label,
    op: 'page.take',
    payload: { chat, id, choice },
  }));
  const closed = { op: 'page.take', payload: { chat, id, choice: 'close' } };
  const heading = host === '' ? prompt : `${prompt} (${sanitiseLine(host)})`;
  return {
    op: 'picker.open',
    payload: { prompt: heading, kind: 'acp.page', items, closed, isQuestion: true },
  };
}

function picker(way: FormOnWay, prompt: string, items: readonly PickerItem[]): Asking {
  const closed = { op: 'form.take', payload: payloadOf(way, { act: 'close' }) };
  return { op: 'picker.open', payload: { prompt, kind: 'acp.form', items, closed, isQuestion: true } };
}

function inputOf(way: FormOnWay, field: Field): Input {
  const { drafts, answers } = way.walk;
  const known = drafts.get(field.name) ?? answers.get(field.name);
  return {
    prompt: `${headingOf(way, field)} (${shownExpectation(field)}): `,
    default: known === undefined ? '' : inputTextOf(known),
    op: 'form.take',
    payload: payloadOf(way, { act: 'type' }),
    isQuestion: true,
    isSecret: asksForSecret(field),
  };
}

// Who asks what, what was wrong, and which of the fields it is.
function headingOf({ agent, prompt, message, form, walk: { place } }: FormOnWay, field: Field): string {
  const problem = place.kind === 'field' ? place.problem : undefined;
  const number = `${form.fields.indexOf(field) + 1}/${form.fields.length}`;
  const question = shorten(field.description ?? message, maxQuestion);
  const isQuick = quickFieldOf(form) === field;
  const isNews = question !== '' && question !== field.title && !(isQuick && message.includes(question));
  const heading = isQuick ? prompt : `${agent} ${number} · ${field.title}`;
  const parts = [problem, isNews ? `${heading} — ${question}` : heading];
  return sanitiseLine(parts.filter((part) => part !== undefined).join(' '));
}

function switchItems(way: FormOnWay, { name }: Field): readonly PickerItem[] {
  const answer = way.walk.answers.get(name);
  return [true, false].map((value) =>
    item(way, marked(value ? 'Yes' : 'No', answer === value), { act: 'choose', value }),
  );
}

function choiceItems(way: FormOnWay, { name, choices }: FieldOf<'choice'>): readonly PickerItem[] {
  const answer = way.walk.answers.get(name);
  return choices.map((choice) =>
    item(way, marked(wordingOf(choice), answer === choice.value), { act: 'choose', value: choice.value }),
  );
}

function listItems(way: FormOnWay, { name, choices }: FieldOf<'choices'>): readonly PickerItem[] {
  const { drafts, answers } = way.walk;
  const chosen = drafts.get(name) ?? answers.get(name);
  const isChosen = (value: string) => Array.isArray(chosen) && chosen.includes(value);
  const toggles = choices.map((choice) => {
    const box = isChosen(choice.value) ? '[x]' : '[ ]';
    return item(way, `${box} ${wordingOf(choice)}`, { act: 'toggle', value: choice.value });
  });
  return [...toggles, item(way, 'Done', { act: 'done' })];
}

function otherItems(way: FormOnWay, { isRequired }: Field): readonly PickerItem[] {
  if (quickFieldOf(way.form)) return quickItems(way);
  return isRequired ? [] : [item(way, marked('Leave it out', false), { act: 'skip' })];
}

// What else can be done where a choice is sent at once: a remark goes with it, or alone.
function quickItems(way: FormOnWay): readonly PickerItem[] {
  const quick = quickFieldOf(way.form);
  if (!quick) return [];
  const remark = way.form.fields.find((field) => field !== quick);
  const said = remark && shownAnswer(remark, way.walk);
  const isEnough = said !== undefined && !quick.isRequired;
  return [
    ...(isEnough
      ? [item(way, marked(`Send "${shorten(said, maxQuestion)}" alone`, false), { act: 'send' })]
      : []),
    ...(remark
      ? [item(way, marked(remarkLabel(remark, said), false), { act: 'edit', field: remark.name })]
      : []),
    item(way, marked('Decline', false), { act: 'decline' }),
  ];
}

function remarkLabel(remark: Field, said: string | undefined): string {
  const text = said === undefined ? sanitiseLine(remark.title) : `${labelOf(remark)} ${said}`;
  return `${shorten(text, maxQuestion)} …`;
}

function reviewItems(way: FormOnWay): readonly PickerItem[] {
  const { form, walk } = way;
  const ends = [item(way, 'Decline', { act: 'decline' }), item(way, 'Cancel', { act: 'cancel' })];
  if (isHopeless(form)) return ends;
  const fields = form.fields.filter(({ kind }) => kind !== 'unknown');
  const edits = fields.map((field) => {
    const answer = shownAnswer(field, walk) ?? (field.isRequired ? '(needed)' : '(left out)');
    return item(way, `${labelOf(field)} ${answer}`, { act: 'edit', field: field.name });
  });
  return [item(way, 'Send', { act: 'send' }), ...edits, ...ends];
}

function item(way: FormOnWay, label: string, act: object): PickerItem {
  return { label, op: 'form.take', payload: payloadOf(way, act) };
}

function payloadOf({ chat, id, walk }: FormOnWay, act: object): object {
  return { chat, id, turn: walk.turn, ...act };
}

function wordingOf({ title, description }: Choice): string {
  return sanitiseLine([title, description].filter(Boolean).join(' — '));
}

function marked(label: string, isCurrent: boolean): string {
  return `${isCurrent ? '●' : ' '} ${label}`;
}
