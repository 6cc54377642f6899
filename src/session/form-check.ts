import { assertNever } from '../base.ts';
import { expectationOf, type Field, type FieldOf, type FormValue, type TextFormat } from './form.ts';
import { matches } from './pattern.ts';

export type Checked =
  | { readonly ok: true; readonly value: FormValue }
  | { readonly ok: false; readonly problem: string };

/** Reads what was typed or chosen for a field: its value, or a sentence that says what is expected. */
export function check(field: Field, given: unknown): Checked {
  const value = readValue(field, given);
  if (value !== undefined) return { ok: true, value };
  return { ok: false, problem: `"${field.title}" must be ${expectationOf(field)}.` };
}

/** What is said when a field that has to be filled in is not. */
export function missing({ title }: Field): string {
  return `"${title}" is needed.`;
}

function readValue(field: Field, given: unknown): FormValue | undefined {
  switch (field.kind) {
    case 'text':
      return typeof given === 'string' && isText(field, given) ? given : undefined;
    case 'number':
    case 'integer':
      return numberOf(field, given);
    case 'switch':
      return typeof given === 'boolean' ? given : undefined;
    case 'choice':
      return typeof given === 'string' && isOffered(field, given) ? given : undefined;
    case 'choices':
      return Array.isArray(given) ? chosenOf(field, given) : undefined;
    case 'unknown':
      return undefined;
    default:
      return assertNever(field);
  }
}

function isText({ minLength = 0, maxLength, pattern, format }: FieldOf<'text'>, text: string): boolean {
  const length = [...text].length;
  if (length < minLength || (maxLength !== undefined && length > maxLength)) return false;
  if (format !== undefined && !formats[format](text)) return false;
  return pattern === undefined || matches(pattern, text);
}

const formats: Readonly<Record<TextFormat, (text: string) => boolean>> = {
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => /^[a-z][a-z\d+.-]*:\S+$/i.test(text) && URL.canParse(text),
  date: isDate,
  'date-time': isDateTime,
};

// Date would make the first of March of the thirtieth of February.
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [, date = '', time = ''] =
    /^([\d-]+)T(\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))$/i.exec(text) ?? [];
  return isDate(date) && !Number.isNaN(Date.parse(`${date}T${time.toUpperCase()}`));
}

const decimal = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

function numberOf({ kind, minimum, maximum }: FieldOf<'number' | 'integer'>, given: unknown) {
  const text = typeof given === 'number' ? String(given) : given;
  if (typeof text !== 'string' || !decimal.test(text.trim())) return undefined;
  const value = Number(text);
  const isWhole = kind === 'number' ? Number.isFinite(value) : Number.isSafeInteger(value);
  const isWithin = value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity);
  // JSON has no negative zero.
  return isWhole && isWithin ? value + 0 : undefined;
}

function isOffered({ choices }: FieldOf<'choice' | 'choices'>, value: unknown): boolean {
  return choices.some((choice) => choice.value === value);
}

function chosenOf(field: FieldOf<'choices'>, given: readonly unknown[]): readonly string[] | undefined {
  const { minItems = 0, maxItems = Infinity } = field;
  if (!given.every((value) => isOffered(field, value))) return undefined;
  const chosen = field.choices.map(({ value }) => value).filter((value) => given.includes(value));
  return chosen.length >= minItems && chosen.length <= maxItems ? chosen : undefined;
}
