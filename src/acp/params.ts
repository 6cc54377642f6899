import path from 'node:path';
import { isRecord } from '../base.ts';
import { AcpError } from '../errors.ts';

type Params = Record<string, unknown>;

/** The fields of a request, each of the kind it has to be; an error names the one that is not. */
export function textParam(params: Params, key: string): string {
  const value = params[key];
  if (typeof value !== 'string') throw badParam(key, 'a string', value);
  return value;
}

export function optionalTextParam(params: Params, key: string): string | undefined {
  return params[key] === undefined || params[key] === null ? undefined : textParam(params, key);
}

export function pathParam(params: Params, key: string): string {
  const value = textParam(params, key);
  if (!path.isAbsolute(value)) throw badParam(key, 'an absolute path', value);
  return value;
}

/** A whole number that is not negative, or nothing. */
export function countParam(params: Params, key: string): number | undefined {
  const value = params[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw badParam(key, 'a whole number from 0', value);
}

export function textsParam(params: Params, key: string): readonly string[] {
  const value = params[key] ?? [];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw badParam(key, 'a list of strings', value);
}

/** Variables as the protocol writes them: a list of names and values. */
export function variablesParam(params: Params, key: string): Readonly<Record<string, string>> {
  const value = params[key] ?? [];
  if (!Array.isArray(value) || !value.every(isVariable)) {
    throw badParam(key, 'a list of { name, value }', value);
  }
  return Object.fromEntries(value.map(({ name, value: text }) => [name, text]));
}

function isVariable(item: unknown): item is { name: string; value: string } {
  return isRecord(item) && typeof item.name === 'string' && typeof item.value === 'string';
}

export function badParam(key: string, expected: string, found: unknown): AcpError {
  const shown = found === undefined ? 'absent' : typeof found;
  return new AcpError('bad_params', `${key} must be ${expected}; it is ${shown}`);
}
