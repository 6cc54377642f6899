import { replaceInvisible } from '../base/invisible-characters.ts';
import { secretNamePattern } from '../base/secret-names.ts';
import { countOf, shorten } from '../base/text.ts';

export interface Form {
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly fields: readonly Field[];
}

export type Field = FieldBase &
  (TextControl | NumberControl | SwitchControl | ChoiceControl | ChoicesControl | NoControl);
export type FieldOf<K extends Field['kind']> = Extract<Field, { readonly kind: K }>;

interface FieldBase {
  readonly name: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
}

interface TextControl {
  readonly kind: 'text';
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly pattern: string | undefined;
  readonly format: TextFormat | undefined;
  readonly preset: string | undefined;
}

export type TextFormat = 'email' | 'uri' | 'date' | 'date-time';

interface NumberControl {
  readonly kind: 'number' | 'integer';
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly preset: number | undefined;
}

interface SwitchControl {
  readonly kind: 'switch';
  readonly preset: boolean | undefined;
}

interface ChoiceControl {
  readonly kind: 'choice';
  readonly choices: readonly Choice[];
  readonly preset: string | undefined;
}

interface ChoicesControl {
  readonly kind: 'choices';
  readonly choices: readonly Choice[];
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly preset: readonly string[] | undefined;
}

/** A field of an unsupported type, which can't be filled in. */
interface NoControl {
  readonly kind: 'unknown';
  readonly type: string;
}

export interface Choice {
  readonly value: string;
  readonly title: string;
  readonly description: string | undefined;
}

export type FormValue = string | number | boolean | readonly string[];
export type FormAnswers = ReadonlyMap<string, FormValue>;

/** An elicitation of the agent: a form to fill in, or a web page to open. */
export type Elicitation =
  | { readonly kind: 'form'; readonly message: string; readonly form: Form }
  | { readonly kind: 'page'; readonly message: string; readonly url: string; readonly pageId: string };

/** The user's answer to an elicitation. Only an accepted form has answers. */
export type ElicitationOutcome =
  | { readonly action: 'accept'; readonly answers?: FormAnswers }
  | { readonly action: 'decline' }
  | { readonly action: 'cancel' };

export function describeExpectation(field: Field): string {
  switch (field.kind) {
    case 'text':
      return [`${textKinds[field.format ?? 'any']}${describePattern(field)}`, describeLength(field)]
        .filter(Boolean)
        .join(', ');
    case 'number':
    case 'integer':
      return [field.kind === 'integer' ? 'a whole number' : 'a number', describeRange(field)]
        .filter(Boolean)
        .join(' ');
    case 'switch':
      return 'yes or no';
    case 'choice':
      return `one of ${field.choices.map(({ title }) => title).join(', ')}`;
    case 'choices':
      return `${describeItemCount(field)} of ${field.choices.map(({ title }) => title).join(', ')}`;
    case 'unknown':
      return `a value of an unsupported type (${field.type})`;
  }
}

/** An answer as text, with the titles of its choices. */
export function answerText(field: Field, value: FormValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (field.kind !== 'choice' && field.kind !== 'choices') return String(value);
  const title = (one: string) => field.choices.find((choice) => choice.value === one)?.title ?? one;
  return (typeof value === 'string' ? [value] : (value as readonly string[])).map(title).join(', ');
}

/** A value for a one-line input. Line breaks and invisible characters become spaces. */
export function singleLineText(value: FormValue): string {
  return replaceInvisible(String(value).toWellFormed(), () => ' ').replace(/[\t\r\n]/g, ' ');
}

/** The only choice of a form that has at most one other field, an optional text. Choosing sends the form immediately. */
export function findQuickField(form: Form): Field | undefined {
  const [selects, others] = [form.fields.filter(isSelect), form.fields.filter((field) => !isSelect(field))];
  const isAlone = selects.length === 1 && others.length <= 1;
  return isAlone && others.every(({ kind, isRequired }) => kind === 'text' && !isRequired)
    ? selects[0]
    : undefined;
}

function isSelect({ kind }: Field): boolean {
  return kind === 'choice' || kind === 'choices' || kind === 'switch';
}

/** The field that asks what the whole form asks. */
export function findOnlyQuestion(form: Form): Field | undefined {
  return findQuickField(form) ?? (form.fields.length === 1 ? form.fields[0] : undefined);
}

const maxSummary = 300;

/** The answers on one line, with secrets masked, for the transcript and the journal: behind what the form asks. */
export function summariseAnswers(form: Form, answers: FormAnswers): string {
  const only = findOnlyQuestion(form);
  const given = form.fields.flatMap((field) => {
    const value = answers.get(field.name);
    if (value === undefined) return [];
    const words = maskedAnswerText(field, value);
    return [field === only ? words : `${labelOf(field)} ${words}`];
  });
  return shorten(given.join(', '), maxSummary);
}

function labelOf({ title }: Field): string {
  return /[?:!.]$/.test(title) ? title : `${title}:`;
}

/** An answer as text; secrets are masked. */
function maskedAnswerText(field: Field, value: FormValue): string {
  return looksLikeSecret(field) ? '••••' : singleLineText(answerText(field, value));
}

/** A required field has an unsupported type, so the form can only be declined or cancelled. */
export function isUnanswerable({ fields }: Form): boolean {
  return fields.some(({ kind, isRequired }) => kind === 'unknown' && isRequired);
}

const secretName = new RegExp(secretNamePattern(), 'i');

/** Agents must not ask for secrets in forms, but some do. */
export function looksLikeSecret({ kind, name, title }: Field): boolean {
  return kind === 'text' && (secretName.test(name) || secretName.test(title));
}

const textKinds: Readonly<Record<TextFormat | 'any', string>> = {
  any: 'text',
  email: 'an email address such as name@example.com',
  uri: 'an address such as https://example.com',
  date: 'a date such as 2026-01-31',
  'date-time': 'a date and time such as 2026-01-31T14:30:00Z',
};

function describeLength({ minLength = 0, maxLength }: FieldOf<'text'>): string {
  if (minLength > 0 && minLength === maxLength) return countOf(minLength, 'character');
  if (minLength > 0 && maxLength !== undefined) return `${minLength} to ${countOf(maxLength, 'character')}`;
  if (minLength > 0) return `at least ${countOf(minLength, 'character')}`;
  return maxLength === undefined ? '' : `at most ${countOf(maxLength, 'character')}`;
}

function describePattern({ pattern }: FieldOf<'text'>): string {
  return pattern === undefined ? '' : ` that matches ${pattern}`;
}

function describeRange({ minimum, maximum }: FieldOf<'number' | 'integer'>): string {
  if (minimum !== undefined && maximum !== undefined) return `from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `of at least ${minimum}`;
  return maximum === undefined ? '' : `of at most ${maximum}`;
}

function describeItemCount({ minItems = 0, maxItems }: FieldOf<'choices'>): string {
  if (minItems > 0 && minItems === maxItems) return `${minItems}`;
  if (minItems > 0 && maxItems !== undefined) return `${minItems} to ${maxItems}`;
  if (minItems > 0) return `at least ${minItems}`;
  return maxItems === undefined ? 'any' : `at most ${maxItems}`;
}
