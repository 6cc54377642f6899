import { isRecord, lookUp } from '../base.ts';

/** Says whether a value that was read from a file is what it should be. */
export type Check = (value: unknown) => boolean;

/** A check for each field; TypeScript wants one for every field there is. */
export type Fields<T> = { readonly [K in keyof Required<T>]: Check };

export const anything: Check = () => true;
export const isText: Check = (value) => typeof value === 'string';
export const isFlag: Check = (value) => typeof value === 'boolean';
export const isNumber: Check = (value) => Number.isFinite(value);
export const isCount: Check = (value) => Number.isSafeInteger(value);
/** A time that a `Date` can hold. */
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

/** One of some words, all of which are named. */
export function oneOf<T extends string>(words: Readonly<Record<T, true>>): Check {
  return (value) => lookUp(words, value) === true;
}

export function shape<T>(fields: Fields<T>): Check {
  const checks = Object.entries<Check>(fields);
  return (value) => isRecord(value) && checks.every(([key, check]) => check(value[key]));
}

/** An object whose `kind` says which fields it has. */
export function variants<T extends { readonly kind: string }>(
  table: {
    readonly [K in T['kind']]: Check;
  },
): Check {
  return (value) => isRecord(value) && lookUp<Check>(table, value.kind)?.(value) === true;
}
