import { isRecord, lookUp } from '../../base/record.ts';

/** Whether a value from a file has the expected type. */
export type Check = (value: unknown) => boolean;

/** One check per field. TypeScript reports missing fields. */
type FieldChecks<T> = { readonly [K in keyof Required<T>]: Check };

export const anything: Check = () => true;
export const isNothing: Check = (value) => value === undefined;
export const isString: Check = (value) => typeof value === 'string';
export const isBoolean: Check = (value) => typeof value === 'boolean';
export const isNumber: Check = (value) => Number.isFinite(value);
export const isCount: Check = (value) => Number.isSafeInteger(value);
export const isTime: Check = (value) => isNumber(value) && Math.abs(value as number) <= 8.64e15;

export function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

export function either(...checks: readonly Check[]): Check {
  return (value) => checks.some((check) => check(value));
}

export function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

/** One of the keys of `words`. */
export function oneOf<T extends string>(words: Readonly<Record<T, true>>): Check {
  return (value) => lookUp(words, value) === true;
}

export function shape<T>(fields: FieldChecks<T>): Check {
  const checks = Object.entries<Check>(fields);
  return (value) => isRecord(value) && checks.every(([key, check]) => check(value[key]));
}

/** A union that is discriminated by `kind`. */
export function variants<T extends { readonly kind: string }>(
  table: {
    readonly [K in T['kind']]: Check;
  },
): Check {
  return (value) => isRecord(value) && lookUp<Check>(table, value.kind)?.(value) === true;
}
