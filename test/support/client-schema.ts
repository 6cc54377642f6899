import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { once } from '../../src/base.ts';
import type { WireMessage } from './piped-connection.ts';

interface Schema {
  readonly $defs: Readonly<Record<string, { readonly 'x-method'?: string; readonly 'x-side'?: string }>>;
}

// Compiling takes a while, and most files need it not.
const loadSchema = once(() => {
  const entry = createRequire(import.meta.url).resolve('@agentclientprotocol/sdk');
  const file = path.resolve(path.dirname(entry), '../../../schema/v1/schema.json');
  const schema = JSON.parse(readFileSync(file, 'utf8')) as Schema;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  return { schema, ajv: ajv.addSchema(schema, 'acp') };
});

/**
 * What the official schema says against the messages a client sent. `asked` are the messages of the agent: a result is
 * held against what its request wants.
 */
export function complaintsAboutClient(
  sent: readonly WireMessage[],
  asked: readonly WireMessage[],
): readonly string[] {
  const methods = new Map(asked.filter(({ method }) => method).map(({ id, method }) => [id, method ?? '']));
  return sent.flatMap((message) =>
    complaintsAbout(message, methods).map((text) => `${text} in ${JSON.stringify(message)}`),
  );
}

function complaintsAbout(message: WireMessage, methods: ReadonlyMap<unknown, string>): readonly string[] {
  const { id, method, params, result, error } = message;
  if ((message as { jsonrpc?: unknown }).jsonrpc !== '2.0') return ['jsonrpc must be "2.0"'];
  if (method !== undefined && id !== undefined) return check(method, 'Request', ['agent'], params);
  if (method !== undefined) return check(method, 'Notification', ['agent', 'protocol'], params);
  const answered = methods.get(id);
  if (answered === undefined) return [`answer to ${JSON.stringify(id)}, which nobody asked`];
  if ((result === undefined) === (error === undefined)) return ['an answer has a result or an error'];
  return error ? validate('Error', error) : check(answered, 'Response', ['client'], result);
}

function check(method: string, suffix: string, sides: readonly string[], value: unknown): readonly string[] {
  // The schema says nothing about methods beyond the protocol.
  if (method.startsWith('_')) return [];
  const { $defs } = loadSchema().schema;
  const names = Object.keys($defs).filter((name) => {
    const { 'x-method': known, 'x-side': side = '' } = $defs[name]!;
    return known === method && sides.includes(side) && name.endsWith(suffix);
  });
  return names.length === 0 ? [`no ${suffix} ${method}`] : names.flatMap((name) => validate(name, value));
}

function validate(name: string, value: unknown): readonly string[] {
  const isValid = loadSchema().ajv.getSchema(`acp#/$defs/${name}`);
  if (!isValid) throw new Error(`the schema has no ${name}`);
  if (isValid(value)) return [];
  return (isValid.errors ?? []).map(({ instancePath, message }) => `${name}${instancePath}: ${message}`);
}
