import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { once } from '../../src/base/once.ts';
import type { WireMessage } from './agents/piped-connection.ts';

interface Schema {
  readonly $defs: Readonly<Record<string, { readonly 'x-method'?: string; readonly 'x-side'?: string }>>;
}

type Side = 'agent' | 'client' | 'protocol';
type Suffix = 'Request' | 'Notification' | 'Response';

// Compiled when first needed and without optimising: compiling takes longer than all checks together.
const loadSchema = once(() => {
  const entry = createRequire(import.meta.url).resolve('@agentclientprotocol/sdk');
  const file = path.resolve(path.dirname(entry), '../../../schema/v1/schema.json');
  const schema = JSON.parse(readFileSync(file, 'utf8')) as Schema;
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
  });
  return { schema, ajv: ajv.addSchema(schema, 'acp') };
});

/** How the params of an agent's request or notification violate the official schema. */
export function violationsOfCall(method: string, params: unknown): readonly string[] {
  // The schema accepts unknown modes, so it would accept an invalid form as one of those.
  const mode = method === 'elicitation/create' ? (params as { mode?: unknown }).mode : undefined;
  const names = definitionsFor(method, ['Request', 'Notification'], ['client', 'protocol']);
  if (names.length === 0) return [`${method} is not a client method`];
  const modes = mode === 'form' ? ['ElicitationFormMode'] : mode === 'url' ? ['ElicitationUrlMode'] : [];
  return [...names, ...modes].flatMap((name) => validate(name, params));
}

/** How the result of an agent's response violates the official schema. */
export function violationsOfResult(method: string, result: unknown): readonly string[] {
  return definitionsFor(method, ['Response'], ['agent']).flatMap((name) => validate(name, result));
}

/**
 * How the messages of a client violate the official schema. `received` are the messages of the agent: a response is
 * checked against the method of its request.
 */
export function violationsOfClient(
  sent: readonly WireMessage[],
  received: readonly WireMessage[],
): readonly string[] {
  const methods = new Map(
    received.filter(({ method }) => method).map(({ id, method }) => [id, method ?? '']),
  );
  return sent.flatMap((message) =>
    violationsOfMessage(message, methods).map((text) => `${text} in ${JSON.stringify(message)}`),
  );
}

function violationsOfMessage(message: WireMessage, methods: ReadonlyMap<unknown, string>): readonly string[] {
  const { id, method, params, result, error } = message;
  if ((message as { jsonrpc?: unknown }).jsonrpc !== '2.0') return ['jsonrpc must be "2.0"'];
  if (method !== undefined && id !== undefined) return check(method, 'Request', ['agent'], params);
  if (method !== undefined) return check(method, 'Notification', ['agent', 'protocol'], params);
  const answered = methods.get(id);
  if (answered === undefined) return [`response to unknown request ${JSON.stringify(id)}`];
  if ((result === undefined) === (error === undefined)) return ['a response has a result or an error'];
  return error ? validate('Error', error) : check(answered, 'Response', ['client'], result);
}

function check(method: string, suffix: Suffix, sides: readonly Side[], value: unknown): readonly string[] {
  // Extension methods are not in the schema.
  if (method.startsWith('_')) return [];
  const names = definitionsFor(method, [suffix], sides);
  return names.length === 0 ? [`no ${suffix} ${method}`] : names.flatMap((name) => validate(name, value));
}

function definitionsFor(
  method: string,
  suffixes: readonly Suffix[],
  sides: readonly Side[],
): readonly string[] {
  return Object.entries(loadSchema().schema.$defs)
    .filter(([, facts]) => facts['x-method'] === method && sides.includes(facts['x-side'] as Side))
    .map(([name]) => name)
    .filter((name) => suffixes.some((suffix) => name.endsWith(suffix)));
}

function validate(name: string, value: unknown): readonly string[] {
  const isValid = loadSchema().ajv.getSchema(`acp#/$defs/${name}`);
  if (!isValid) throw new Error(`the schema has no ${name}`);
  if (isValid(value)) return [];
  return (isValid.errors ?? []).map(({ instancePath, message }) => `${name}${instancePath}: ${message}`);
}
