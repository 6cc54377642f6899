import { AcpError } from './errors.ts';
import { isRecord } from './record.ts';
import { shorten } from './text.ts';

const maxShown = 80;

/** Reads a value that came from Neovim, or throws an error that names its field. */
export type Parse<T> = (value: unknown, field: string) => T;

type Parsed<P> = P extends Parse<infer T> ? T : never;

type Shape = Readonly<Record<string, Parse<unknown>>>;

/** Fields that may be undefined become optional. */
export type ParsedShape<S extends Shape> = {
  readonly [K in keyof S as undefined extends Parsed<S[K]> ? never : K]: Parsed<S[K]>;
} & { readonly [K in keyof S as undefined extends Parsed<S[K]> ? K : never]?: Parsed<S[K]> };

export const anything: Parse<unknown> = (value) => value;

export const text: Parse<string> = (value, field) => {
  if (typeof value !== 'string') throw badParam(field, 'a string', value);
  return value;
};

export const number: Parse<number> = (value, field) => {
  if (typeof value !== 'number') throw badParam(field, 'a number', value);
  return value;
};

export const boolean: Parse<boolean> = (value, field) => {
  if (typeof value !== 'boolean') throw badParam(field, 'a boolean', value);
  return value;
};

/** True only if it is there and true. */
export const flag: Parse<boolean> = (value) => value === true;

export const nothing: Parse<undefined> = () => undefined;

/** Lua leaves out what is nil, and msgpack has a null. */
export function optional<T>(parse: Parse<T>): Parse<T | undefined> {
  return (value, field) => (value === undefined || value === null ? undefined : parse(value, field));
}

export function oneOf<const T extends string | number>(...values: readonly T[]): Parse<T> {
  return (value, field) => {
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw badParam(field, `one of ${values.join(', ')}`, value);
    return found;
  };
}

/** A table whose `kind` says which fields it has. */
export function variants<V extends Readonly<Record<string, Parse<unknown>>>>(
  table: V,
): Parse<Parsed<V[keyof V]>> {
  const kind = shape({ kind: oneOf(...Object.keys(table)) });
  return (value, field) => table[kind(value, field).kind]!(value, field) as Parsed<V[keyof V]>;
}

export function either<A, B>(one: Parse<A>, other: Parse<B>): Parse<A | B> {
  return (value, field) => {
    try {
      return one(value, field);
    } catch {
      return other(value, field);
    }
  };
}

/** Absent is empty. */
export function listOf<T>(parse: Parse<T>): Parse<readonly T[]> {
  return (value, field) => {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value.map((item, index) => parse(item, `${field}[${index}]`));
    // An empty Lua table may arrive as a map.
    if (isRecord(value) && Object.keys(value).length === 0) return [];
    throw badParam(field, 'a list', value);
  };
}

/** Values by name. Absent is empty. */
export function mapOf<T>(parse: Parse<T>): Parse<Readonly<Record<string, T>>> {
  return (value, field) =>
    Object.fromEntries(
      Object.entries(recordFrom(value, field)).map(([key, item]) => [key, parse(item, join(field, key))]),
    );
}

/** A table with these fields; others are left out, and so are optional ones that are absent. */
export function shape<S extends Shape>(fields: S): Parse<ParsedShape<S>> {
  const entries = Object.entries(fields);
  return (value, field) => {
    const record = recordFrom(value, field);
    const parsed: Record<string, unknown> = {};
    for (const [key, parse] of entries) {
      const item = parse(record[key], join(field, key));
      if (item !== undefined) parsed[key] = item;
    }
    return parsed as ParsedShape<S>;
  };
}

// An empty Lua table arrives as an empty list.
function recordFrom(value: unknown, field: string): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {};
  if (isRecord(value)) return value;
  if (Array.isArray(value) && value.length === 0) return {};
  throw badParam(field, 'a table', value);
}

function join(field: string, key: string): string {
  return field.endsWith(' ') || field === '' ? `${field}${key}` : `${field}.${key}`;
}

/** The error for a parameter of the wrong type or value. */
export function badParam(key: string, expected: string, found: unknown): AcpError {
  return new AcpError('bad_params', `${key} must be ${expected}, ${describe(found)}`);
}

function describe(found: unknown): string {
  if (found === undefined) return 'but is missing';
  return isRecord(found) ? 'not an object' : `not ${shorten(JSON.stringify(found), maxShown)}`;
}
