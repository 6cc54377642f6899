import fs from 'node:fs';
import path from 'node:path';
import { isRecord, lookUp } from '../base.ts';
import { messageOf } from '../errors.ts';
import { expandHome } from '../programs.ts';
import { listOf, textOf } from './wire.ts';

export interface Pair {
  readonly name: string;
  readonly value: string;
}

/** One MCP server the user wants their agents to have. */
export type McpConfig =
  | {
      readonly kind: 'stdio';
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: readonly Pair[];
    }
  | {
      readonly kind: 'http' | 'sse';
      readonly name: string;
      readonly url: string;
      readonly headers: readonly Pair[];
    };

/** Something of the configuration that an agent does not get, and why. */
export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}

export interface McpReading {
  readonly servers: readonly McpConfig[];
  readonly leftOut: readonly LeftOut[];
}

export interface McpPlace {
  readonly cwd: string;
  /** What `${NAME}` in a file stands for. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Wanted {
  readonly name: string | undefined;
  readonly value: unknown;
  readonly isFromFile: boolean;
}

const kinds: Readonly<Record<string, McpConfig['kind']>> = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  remote: 'http',
  'streamable-http': 'http',
  streamable_http: 'http',
  streamableHttp: 'http',
  sse: 'sse',
};

/** The keys under which other tools keep their servers. */
const wrappers = ['mcpServers', 'servers', 'mcp'];

/**
 * Reads servers in every shape there is: by name, in a list, alone, as `mcpServers` of another tool, or a file with
 * any of these. A later source wins over an earlier one, and `false` takes a server away.
 */
export function readMcpServers(sources: readonly unknown[], place: McpPlace): McpReading {
  const servers = new Map<string, McpConfig>();
  const leftOut: LeftOut[] = [];
  const leave = (name: string, reason: string) => leftOut.push({ name, reason });
  for (const { name, value, isFromFile } of sources.flatMap((source) => wantedIn(source, place, leave))) {
    if (name !== undefined) servers.delete(name);
    if (isOff(value)) continue;
    const server = serverFrom(name, value);
    const whole = typeof server === 'string' || !isFromFile ? server : withVariables(server, place.env);
    if (typeof whole === 'string') leave(name ?? nameOf(value), whole);
    else servers.set(whole.name, whole);
  }
  return { servers: [...servers.values()], leftOut };
}

type Leave = (name: string, reason: string) => void;

function wantedIn(source: unknown, place: McpPlace, leave: Leave, isFromFile = false): readonly Wanted[] {
  if (typeof source === 'string' && !isFromFile) return wantedInFile(source, place, leave);
  if (Array.isArray(source)) {
    return source.flatMap((item: unknown) =>
      typeof item === 'string' && !isFromFile
        ? wantedInFile(item, place, leave)
        : [{ name: isRecord(item) ? textOf(item.name) : undefined, value: item, isFromFile }],
    );
  }
  if (!isRecord(source)) return [];
  if (isServer(source)) return [{ name: textOf(source.name), value: source, isFromFile }];
  const wrapped = wrappers.map((key) => source[key]).find((inner) => isWrapped(inner));
  if (wrapped !== undefined) return wantedIn(wrapped, place, leave, isFromFile);
  return Object.entries(source).map(([name, value]) => ({ name, value, isFromFile }));
}

function wantedInFile(name: string, place: McpPlace, leave: Leave): readonly Wanted[] {
  try {
    const text = fs.readFileSync(path.resolve(place.cwd, expandHome(name)), 'utf8');
    return wantedIn(JSON.parse(text), place, leave, true);
  } catch (error) {
    // A parser quotes what it stumbles over, which may be a key.
    leave(name, error instanceof SyntaxError ? 'the file is not JSON' : messageOf(error));
    return [];
  }
}

function isServer(value: Record<string, unknown>): boolean {
  return [value.command, value.url, value.httpUrl].some(
    (field) => typeof field === 'string' || Array.isArray(field),
  );
}

function isWrapped(value: unknown): boolean {
  return Array.isArray(value) || (isRecord(value) && !isServer(value));
}

function isOff(value: unknown): boolean {
  return value === false || (isRecord(value) && (value.disabled === true || value.enabled === false));
}

/** The server, or what is wrong with it. */
function serverFrom(key: string | undefined, value: unknown): McpConfig | string {
  if (!isRecord(value)) return 'it must be a table with a command or a url';
  const type = value.type ?? value.transport;
  const url = textOf(value.url) ?? textOf(value.httpUrl);
  const kind = type === undefined ? (url === undefined ? 'stdio' : 'http') : lookUp(kinds, type);
  if (kind === undefined) return `its type ${JSON.stringify(type)} is not known`;
  const name = key ?? nameOf(value);
  if (kind === 'stdio') {
    const [command, ...first] = wordsOf(value.command);
    if (command === undefined || command === '') return 'it has no command';
    const args = [...first, ...wordsOf(value.args)];
    return { kind, name, command, args, env: [...pairsOf(value.environment), ...pairsOf(value.env)] };
  }
  if (url === undefined) return 'it has no url';
  return URL.canParse(url) || url.includes('${')
    ? { kind, name, url, headers: pairsOf(value.headers) }
    : 'its url is none';
}

function nameOf(value: unknown): string {
  if (!isRecord(value)) return 'a server';
  const name = textOf(value.name);
  if (name !== undefined) return name;
  const [command] = wordsOf(value.command);
  if (command !== undefined) return path.parse(command.replaceAll('\\', '/')).name;
  const url = textOf(value.url) ?? textOf(value.httpUrl);
  return url !== undefined && URL.canParse(url) ? new URL(url).hostname : 'a server';
}

function wordsOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : listOf(value, wordOf);
}

function wordOf(value: unknown): string | undefined {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined;
}

/** Variables or headers: a map, a list of names and values, or a list of `NAME=value`. */
function pairsOf(value: unknown): readonly Pair[] {
  const items = isRecord(value) ? Object.entries(value) : value;
  return listOf(items, (item) => {
    if (Array.isArray(item)) return pair(item[0], item[1]);
    if (isRecord(item)) return pair(item.name, item.value);
    const line = textOf(item) ?? '';
    const end = line.indexOf('=');
    return end > 0 ? pair(line.slice(0, end), line.slice(end + 1)) : undefined;
  });
}

function pair(name: unknown, value: unknown): Pair | undefined {
  const word = wordOf(value);
  return typeof name === 'string' && name !== '' && word !== undefined ? { name, value: word } : undefined;
}

/** Puts in what `${NAME}`, `${env:NAME}` and `${NAME:-default}` stand for in the files of other tools. */
function withVariables(server: McpConfig, env: McpPlace['env']): McpConfig | string {
  const missing = new Set<string>();
  const fill = (text: string) =>
    text.replace(/\$\{(?:env:)?(\w+)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
      const value = env[name] ?? fallback;
      if (value === undefined) missing.add(name);
      return value ?? '';
    });
  const fillPairs = (pairs: readonly Pair[]) =>
    pairs.map(({ name, value }) => ({ name, value: fill(value) }));
  const filled: McpConfig =
    server.kind === 'stdio'
      ? { ...server, command: fill(server.command), args: server.args.map(fill), env: fillPairs(server.env) }
      : { ...server, url: fill(server.url), headers: fillPairs(server.headers) };
  return missing.size === 0 ? filled : `the variable ${[...missing].join(', ')} is not set`;
}
