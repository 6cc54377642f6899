import path from 'node:path';
import { badParam } from '../../base/parse.ts';
import { isRecord, type JsonObject } from '../../base/record.ts';
import { cutLabel } from '../../base/text.ts';

// Two ways to read untyped fields: `as…` and `map…` leave out what is invalid, `…Param` reject it with an error.

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A name, a title or a description. */
export function asLabel(value: unknown): string | undefined {
  return typeof value === 'string' ? cutLabel(value) : undefined;
}

export function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** The session id as a string; some agents use numbers. */
export function sessionIdOf({ sessionId }: JsonObject): string | undefined {
  return typeof sessionId === 'number' ? String(sessionId) : asString(sessionId);
}

/** Decodes the items of a list and leaves out those that decode to undefined. Other values count as an empty list. */
export function mapList<T>(value: unknown, decode: (item: unknown) => T | undefined): readonly T[] {
  if (!Array.isArray(value)) return [];
  return value.map(decode).filter((item) => item !== undefined);
}

export function stringParam(params: JsonObject, key: string): string {
  const value = params[key];
  if (typeof value !== 'string') throw badParam(key, 'a string', value);
  return value;
}

export function optionalStringParam(params: JsonObject, key: string): string | undefined {
  return params[key] === undefined || params[key] === null ? undefined : stringParam(params, key);
}

export function pathParam(params: JsonObject, key: string): string {
  const value = stringParam(params, key);
  if (!path.isAbsolute(value)) throw badParam(key, 'an absolute path', value);
  return value;
}

/** An optional integer that is not negative. */
export function countParam(params: JsonObject, key: string): number | undefined {
  const value = params[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw badParam(key, 'a whole number from 0', value);
}

export function stringListParam(params: JsonObject, key: string): readonly string[] {
  const value = params[key] ?? [];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw badParam(key, 'a list of strings', value);
}

/** Environment variables, which the protocol writes as a list of `{ name, value }`. */
export function envParam(params: JsonObject, key: string): Readonly<Record<string, string>> {
  const value = params[key] ?? [];
  if (!Array.isArray(value) || !value.every(isVariable)) {
    throw badParam(key, 'a list of { name, value }', value);
  }
  return Object.fromEntries(value.map(({ name, value: text }) => [name, text]));
}

function isVariable(item: unknown): item is { name: string; value: string } {
  return isRecord(item) && typeof item.name === 'string' && typeof item.value === 'string';
}
