import { isRecord, lookUp } from '../base.ts';
import { BoundedMap } from './dialects/bounded-map.ts';

/** Folders on the agent's machine, each with its name on ours. */
export type PathPairs = Readonly<Record<string, string>>;

type Rename = (path: string) => string;
/** Where the paths stand in a value: it is one, or an object (or a list of such) has some under these keys. */
type Shape = 'path' | 'uri' | { readonly [key: string]: Shape };

const folders: Shape = { cwd: 'path', additionalDirectories: 'path' };
const block: Shape = { uri: 'uri', resource: { uri: 'uri' } };
const tool = { content: { ...block, path: 'path', content: block }, locations: { path: 'path' } } as const;

/** What has paths in it, by method. Free text is left alone: nobody knows what is a path there. */
const params: Readonly<Record<string, Shape>> = {
  'session/new': folders,
  'session/load': folders,
  'session/resume': folders,
  'session/fork': folders,
  'session/list': folders,
  'session/prompt': { prompt: block },
  'session/update': { update: { ...tool, ...folders, plan: { uri: 'uri' } } },
  'session/request_permission': { toolCall: tool },
  'fs/read_text_file': { path: 'path' },
  'fs/write_text_file': { path: 'path' },
  'terminal/create': folders,
};

const results: Readonly<Record<string, Shape>> = { 'session/list': { sessions: folders } };

const maxPending = 1_000;

/** Stands between an agent that runs where folders have other names, and us. */
export class PathMap {
  private readonly toLocal: Rename;
  private readonly toRemote: Rename;
  /** Requests of ours whose answers have paths in them. */
  private readonly pending = new BoundedMap<unknown, Shape>(maxPending);

  constructor(pairs: PathPairs) {
    const entries = Object.entries(pairs);
    this.toLocal = renaming(entries);
    this.toRemote = renaming(entries.map(([remote, local]) => [local, remote]));
  }

  inbound(message: unknown): readonly unknown[] {
    if (!isRecord(message)) return [message];
    if (typeof message.method === 'string') return [withPaths(message, this.toLocal)];
    const shape = this.pending.take(message.id);
    return [shape ? renameIn(message, { result: shape }, this.toLocal) : message];
  }

  outbound(message: unknown): unknown {
    if (!isRecord(message)) return message;
    const shape = lookUp(results, message.method);
    if (shape && message.id !== undefined) this.pending.set(message.id, shape);
    return withPaths(message, this.toRemote);
  }
}

function withPaths(message: Readonly<Record<string, unknown>>, rename: Rename): unknown {
  const shape = lookUp(params, message.method);
  return shape ? renameIn(message, { params: shape }, rename) : message;
}

/** The same value with other names for its folders; what has none in it comes back as the very same object. */
export function renameIn(value: unknown, shape: Shape, rename: Rename): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => renameIn(item, shape, rename));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value === 'string') return shape === 'path' ? rename(value) : renameUri(value, shape, rename);
  if (typeof shape === 'string' || !isRecord(value)) return value;
  const changes = Object.entries(shape).flatMap(([key, inner]) => {
    const changed = Object.hasOwn(value, key) ? renameIn(value[key], inner, rename) : undefined;
    return changed === undefined || changed === value[key] ? [] : [[key, changed]];
  });
  return changes.length === 0 ? value : { ...value, ...Object.fromEntries(changes) };
}

function renameUri(text: string, shape: Shape, rename: Rename): string {
  if (shape !== 'uri') return text;
  if (text.startsWith('/')) return rename(text);
  const [, scheme = '', encoded = '', rest = ''] = /^(file:\/\/)(\/[^?#]*)(.*)$/is.exec(text) ?? [];
  const path = scheme === '' ? undefined : decoded(encoded);
  if (path === undefined) return text;
  const renamed = rename(path);
  return renamed === path ? text : `${scheme}${encodePath(renamed)}${rest}`;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function encodePath(path: string): string {
  const encoded = path.split(/[/\\]/).map(encodeURIComponent).join('/');
  return encoded.startsWith('/') ? encoded : `/${encoded.replace(/^([a-z])%3A/i, '$1:')}`;
}

/** Puts another folder in place of the longest one that a path is in. */
export function renaming(pairs: readonly (readonly [string, string])[]): Rename {
  const folders = pairs
    .map(([from, to]) => [withoutSlash(from), withoutSlash(to)] as const)
    .sort(([one], [other]) => other.length - one.length);
  return (path) => {
    const pair = folders.find(([from]) => isIn(path, from));
    if (!pair) return path;
    const [from, to] = pair;
    return `${to}${path.slice(from.length)}` || '/';
  };
}

function isIn(path: string, folder: string): boolean {
  if (path === '' || !path.startsWith(folder)) return false;
  const next = path[folder.length];
  return next === undefined || next === '/' || next === '\\';
}

function withoutSlash(folder: string): string {
  return folder.replace(/[/\\]+$/, '');
}
