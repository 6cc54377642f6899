import { assertNever } from '../base/errors.ts';
import { describeExpectation, type Field, type FieldOf, type FormValue, type TextFormat } from './form.ts';
import { matchesPattern } from './safe-regex.ts';

export type FieldValidation =
  | { readonly ok: true; readonly value: FormValue }
  | { readonly ok: false; readonly problem: string };

/** Validates the input for a field: its value, or a message that says what is expected. */
export function validateField(field: Field, given: unknown): FieldValidation {
  const value = readValue(field, given);
  if (value !== undefined) return { ok: true, value };
  return { ok: false, problem: `"${field.title}" must be ${describeExpectation(field)}.` };
}

export function requiredMessage({ title }: Field): string {
  return `"${title}" is required.`;
}

function readValue(field: Field, given: unknown): FormValue | undefined {
  switch (field.kind) {
    case 'text':
      return typeof given === 'string' && isValidText(field, given) ? given : undefined;
    case 'number':
    case 'integer':
      return readNumber(field, given);
    case 'switch':
      return typeof given === 'boolean' ? given : undefined;
    case 'choice':
      return typeof given === 'string' && isOfferedChoice(field, given) ? given : undefined;
    case 'choices':
      return Array.isArray(given) ? readChoices(field, given) : undefined;
    case 'unknown':
      return undefined;
    default:
      return assertNever(field);
  }
}

function isValidText({ minLength = 0, maxLength, pattern, format }: FieldOf<'text'>, text: string): boolean {
  const length = [...text].length;
  if (length < minLength || (maxLength !== undefined && length > maxLength)) return false;
  if (format !== undefined && !formats[format](text)) return false;
  return pattern === undefined || matchesPattern(pattern, text);
}

const formats: Readonly<Record<TextFormat, (text: string) => boolean>> = {
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => /^[a-z][a-z\d+.-]*:\S+$/i.test(text) && URL.canParse(text),
  date: isDate,
  'date-time': isDateTime,
};

// `Date` accepts 30 February and makes it 1 March.
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

function readNumber({ kind, minimum, maximum }: FieldOf<'number' | 'integer'>, given: unknown) {
  const text = typeof given === 'number' ? String(given) : given;
  if (typeof text !== 'string' || !decimal.test(text.trim())) return undefined;
  const value = Number(text);
  const isRightKind = kind === 'number' ? Number.isFinite(value) : Number.isSafeInteger(value);
  const isWithin = value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity);
  // JSON has no negative zero.
  return isRightKind && isWithin ? value + 0 : undefined;
}

function isOfferedChoice({ choices }: FieldOf<'choice'>, value: unknown): boolean {
  return choices.some((choice) => choice.value === value);
}

function readChoices(field: FieldOf<'choices'>, given: readonly unknown[]): readonly string[] | undefined {
  const { minItems = 0, maxItems = Infinity } = field;
  const offered = new Set<unknown>(field.choices.map(({ value }) => value));
  if (!given.every((value) => offered.has(value))) return undefined;
  const wanted = new Set(given);
  const chosen = field.choices.map(({ value }) => value).filter((value) => wanted.has(value));
  return chosen.length >= minItems && chosen.length <= maxItems ? chosen : undefined;
}
