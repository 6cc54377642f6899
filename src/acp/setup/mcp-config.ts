import path from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { absolutePath } from '../../base/paths.ts';
import { isRecord, lookUp } from '../../base/record.ts';
import { readRegularFile } from '../../system/files/regular-file.ts';
import { asString, mapList } from '../decode/fields.ts';

interface NameValue {
  readonly name: string;
  readonly value: string;
}

/** A configured MCP server. */
export type McpConfig =
  | {
      readonly kind: 'stdio';
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: readonly NameValue[];
    }
  | {
      readonly kind: 'http' | 'sse';
      readonly name: string;
      readonly url: string;
      readonly headers: readonly NameValue[];
    };

/** A configured server or folder that the agent is not given. */
export interface Omission {
  readonly name: string;
  readonly reason: string;
}

interface ConfiguredServers {
  readonly servers: readonly McpConfig[];
  readonly omissions: readonly Omission[];
}

interface McpContext {
  readonly cwd: string;
  /** Values for `${NAME}` in files. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Candidate {
  readonly name: string | undefined;
  readonly value: unknown;
  readonly isFromFile: boolean;
}

const kindsByName: Readonly<Record<string, McpConfig['kind']>> = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  remote: 'http',
  'streamable-http': 'http',
  streamable_http: 'http',
  streamableHttp: 'http',
  sse: 'sse',
};

/** The keys that hold the servers in the files of other tools. */
const wrapperKeys = ['mcpServers', 'servers', 'mcp'];

/**
 * Reads servers in every supported form: by name, in a list, a single one, as `mcpServers` of another tool, or a file
 * with any of these. Later sources override earlier ones; `false` removes a server.
 */
export function readMcpServers(sources: readonly unknown[], context: McpContext): ConfiguredServers {
  const servers = new Map<string, McpConfig>();
  const omissions: Omission[] = [];
  const omit = (name: string, reason: string) => omissions.push({ name, reason });
  for (const { name, value, isFromFile } of sources.flatMap((source) =>
    candidatesIn(source, context, omit),
  )) {
    if (name !== undefined) servers.delete(name);
    if (isOff(value)) continue;
    const server = parseServer(name, value);
    const expanded =
      typeof server === 'string' || !isFromFile ? server : expandVariables(server, context.env);
    if (typeof expanded === 'string') omit(name ?? inferName(value), expanded);
    else servers.set(expanded.name, expanded);
  }
  return { servers: [...servers.values()], omissions };
}

type AddOmission = (name: string, reason: string) => void;

function candidatesIn(
  source: unknown,
  context: McpContext,
  omit: AddOmission,
  isFromFile = false,
): readonly Candidate[] {
  if (typeof source === 'string' && !isFromFile) return candidatesInFile(source, context, omit);
  if (Array.isArray(source)) {
    return source.flatMap((item: unknown) =>
      typeof item === 'string' && !isFromFile
        ? candidatesInFile(item, context, omit)
        : [{ name: isRecord(item) ? asString(item.name) : undefined, value: item, isFromFile }],
    );
  }
  if (!isRecord(source)) return [];
  if (isServer(source)) return [{ name: asString(source.name), value: source, isFromFile }];
  const wrapped = wrapperKeys.map((key) => source[key]).find((inner) => holdsServers(inner));
  if (wrapped !== undefined) return candidatesIn(wrapped, context, omit, isFromFile);
  return Object.entries(source).map(([name, value]) => ({ name, value, isFromFile }));
}

function candidatesInFile(name: string, context: McpContext, omit: AddOmission): readonly Candidate[] {
  try {
    const text = readRegularFile(absolutePath(name, context.cwd));
    return candidatesIn(JSON.parse(text), context, omit, true);
  } catch (error) {
    // The message of a SyntaxError quotes the file, which may contain keys.
    omit(name, error instanceof SyntaxError ? 'the file is not valid JSON' : messageOf(error));
    return [];
  }
}

function isServer(value: Record<string, unknown>): boolean {
  return [value.command, value.url, value.httpUrl].some(
    (field) => typeof field === 'string' || Array.isArray(field),
  );
}

function holdsServers(value: unknown): boolean {
  return Array.isArray(value) || (isRecord(value) && !isServer(value));
}

function isOff(value: unknown): boolean {
  return value === false || (isRecord(value) && (value.disabled === true || value.enabled === false));
}

/** Returns the server, or the reason why it is invalid. */
function parseServer(key: string | undefined, value: unknown): McpConfig | string {
  if (!isRecord(value)) return 'it must be a table with a command or a url';
  const type = value.type ?? value.transport;
  const url = asString(value.url) ?? asString(value.httpUrl);
  const kind = type === undefined ? (url === undefined ? 'stdio' : 'http') : lookUp(kindsByName, type);
  if (kind === undefined) return `unknown type ${JSON.stringify(type)}`;
  const name = key ?? inferName(value);
  if (kind === 'stdio') {
    const [command, ...first] = asWords(value.command);
    if (command === undefined || command === '') return 'it has no command';
    const args = [...first, ...asWords(value.args)];
    return { kind, name, command, args, env: [...asPairs(value.environment), ...asPairs(value.env)] };
  }
  if (url === undefined) return 'it has no url';
  return URL.canParse(url) || url.includes('${')
    ? { kind, name, url, headers: asPairs(value.headers) }
    : 'its url is not a valid URL';
}

function inferName(value: unknown): string {
  if (!isRecord(value)) return 'a server';
  const name = asString(value.name);
  if (name !== undefined) return name;
  const [command] = asWords(value.command);
  if (command !== undefined) return path.parse(command.replaceAll('\\', '/')).name;
  const url = asString(value.url) ?? asString(value.httpUrl);
  return url !== undefined && URL.canParse(url) ? new URL(url).hostname : 'a server';
}

function asWords(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : mapList(value, asWord);
}

function asWord(value: unknown): string | undefined {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

/** Variables or headers: a map, a list of `{ name, value }`, or a list of `NAME=value`. */
function asPairs(value: unknown): readonly NameValue[] {
  const items = isRecord(value) ? Object.entries(value) : value;
  return mapList(items, (item) => {
    if (Array.isArray(item)) return asPair(item[0], item[1]);
    if (isRecord(item)) return asPair(item.name, item.value);
    const line = asString(item) ?? '';
    const end = line.indexOf('=');
    return end > 0 ? asPair(line.slice(0, end), line.slice(end + 1)) : undefined;
  });
}

function asPair(name: unknown, value: unknown): NameValue | undefined {
  const word = asWord(value);
  return typeof name === 'string' && name !== '' && word !== undefined ? { name, value: word } : undefined;
}

/** Expands `${NAME}`, `${env:NAME}` and `${NAME:-default}`, as the files of other tools use them. */
function expandVariables(server: McpConfig, env: McpContext['env']): McpConfig | string {
  const missing = new Set<string>();
  const fill = (text: string) =>
    text.replace(/\$\{(?:env:)?(\w+)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
      const value = env[name] ?? fallback;
      if (value === undefined) missing.add(name);
      return value ?? '';
    });
  const fillPairs = (pairs: readonly NameValue[]) =>
    pairs.map(({ name, value }) => ({ name, value: fill(value) }));
  const filled: McpConfig =
    server.kind === 'stdio'
      ? { ...server, command: fill(server.command), args: server.args.map(fill), env: fillPairs(server.env) }
      : { ...server, url: fill(server.url), headers: fillPairs(server.headers) };
  return missing.size === 0 ? filled : `the variable ${[...missing].join(', ')} is not set`;
}
