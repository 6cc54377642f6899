import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';

type Definitions = Readonly<Record<string, { readonly 'x-method'?: string; readonly 'x-side'?: string }>>;

const entry = createRequire(import.meta.url).resolve('@agentclientprotocol/sdk');
const file = path.resolve(path.dirname(entry), '../../../schema/v1/schema.json');
const schema = JSON.parse(readFileSync(file, 'utf8')) as { readonly $defs: Definitions };
const ajv = new Ajv2020({ strict: false, validateFormats: false, discriminator: false }).addSchema(
  schema,
  'acp',
);

/** What the official schema says against the params of a request or notification of an agent. */
export function complaintsAboutCall(method: string, params: unknown): readonly string[] {
  // The schema lets every mode pass that it does not know, so a faulty form would pass as one of those.
  const mode = method === 'elicitation/create' ? (params as { mode?: unknown }).mode : undefined;
  const names = [...namesOf(method, /(Request|Notification)$/, ['client', 'protocol'])];
  if (mode === 'form') names.push('ElicitationFormMode');
  if (mode === 'url') names.push('ElicitationUrlMode');
  if (names.length === 0) return [`${method} is no method of a client`];
  return names.flatMap((name) => complaints(name, params).map((text) => `${method}${text}`));
}

/** The same for the result an agent answers a request with. */
export function complaintsAboutResult(method: string, result: unknown): readonly string[] {
  const names = namesOf(method, /Response$/, ['agent']);
  return names.flatMap((name) => complaints(name, result).map((text) => `${method} result${text}`));
}

function namesOf(method: string, kind: RegExp, sides: readonly string[]): readonly string[] {
  return Object.entries(schema.$defs)
    .filter(
      ([name, facts]) =>
        kind.test(name) && facts['x-method'] === method && sides.includes(facts['x-side'] ?? ''),
    )
    .map(([name]) => name);
}

function complaints(name: string, value: unknown): readonly string[] {
  const validate = ajv.getSchema(`acp#/$defs/${name}`);
  if (!validate) throw new Error(`the schema has no ${name}`);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}
