import { BoundedMap } from '../../base/bounded-map.ts';
import { isRecord, lookUp } from '../../base/record.ts';

/** Folders on the agent's machine, each with its local name. */
export type PathPairs = Readonly<Record<string, string>>;

type RenamePath = (path: string) => string;
/** Where a value has paths: the value itself, or these fields of an object or of each object in a list. */
type PathShape = 'path' | 'uri' | { readonly [key: string]: PathShape };

const folders: PathShape = { cwd: 'path', additionalDirectories: 'path' };
const block: PathShape = { uri: 'uri', resource: { uri: 'uri' } };
const tool = { content: { ...block, path: 'path', content: block }, locations: { path: 'path' } } as const;

/** The paths in the parameters of each method. Free text is not searched for paths. */
const pathsInParams: Readonly<Record<string, PathShape>> = {
  'session/new': folders,
  'session/load': folders,
  'session/resume': folders,
  'session/fork': folders,
  'session/list': folders,
  'session/prompt': { prompt: block, content: block },
  'session/update': { update: { ...tool, ...folders, plan: { uri: 'uri' } } },
  'session/request_permission': { toolCall: tool },
  'fs/read_text_file': { path: 'path' },
  'fs/write_text_file': { path: 'path' },
  'terminal/create': folders,
};

const pathsInResults: Readonly<Record<string, PathShape>> = { 'session/list': { sessions: folders } };

const maxPending = 1_000;

/** Translates paths between this machine and that of the agent, where folders have other names. */
export class PathMap {
  private readonly toLocal: RenamePath;
  private readonly toRemote: RenamePath;
  /** The pending requests whose results contain paths. */
  private readonly pending = new BoundedMap<unknown, PathShape>(maxPending);

  constructor(pairs: PathPairs) {
    const entries = Object.entries(pairs);
    this.toLocal = folderRenamer(entries);
    this.toRemote = folderRenamer(entries.map(([remote, local]) => [local, remote]));
  }

  inbound(message: unknown): readonly unknown[] {
    if (!isRecord(message)) return [message];
    if (typeof message.method === 'string') return [withPaths(message, this.toLocal)];
    const shape = this.pending.pop(message.id);
    return [shape ? renamePaths(message, { result: shape }, this.toLocal) : message];
  }

  outbound(message: unknown): unknown {
    if (!isRecord(message)) return message;
    const shape = lookUp(pathsInResults, message.method);
    if (shape && message.id !== undefined) this.pending.set(message.id, shape);
    return withPaths(message, this.toRemote);
  }
}

function withPaths(message: Readonly<Record<string, unknown>>, rename: RenamePath): unknown {
  const shape = lookUp(pathsInParams, message.method);
  return shape ? renamePaths(message, { params: shape }, rename) : message;
}

/** Renames the paths in a value; a value without such paths is returned as the same object. */
function renamePaths(value: unknown, shape: PathShape, rename: RenamePath): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => renamePaths(item, shape, rename));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value === 'string')
    return shape === 'path' ? rename(value) : renamePathInUri(value, shape, rename);
  if (typeof shape === 'string' || !isRecord(value)) return value;
  const changes = Object.entries(shape).flatMap(([key, inner]) => {
    const changed = Object.hasOwn(value, key) ? renamePaths(value[key], inner, rename) : undefined;
    return changed === undefined || changed === value[key] ? [] : [[key, changed]];
  });
  return changes.length === 0 ? value : { ...value, ...Object.fromEntries(changes) };
}

function renamePathInUri(text: string, shape: PathShape, rename: RenamePath): string {
  if (shape !== 'uri') return text;
  if (text.startsWith('/')) return rename(text);
  const [, scheme = '', encoded = '', rest = ''] = /^(file:\/\/)(\/[^?#]*)(.*)$/is.exec(text) ?? [];
  const path = scheme === '' ? undefined : tryDecodeUri(encoded);
  if (path === undefined) return text;
  const renamed = rename(path);
  return renamed === path ? text : `${scheme}${encodePath(renamed)}${rest}`;
}

function tryDecodeUri(text: string): string | undefined {
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

/** Replaces the longest matching folder of a path. */
export function folderRenamer(pairs: readonly (readonly [string, string])[]): RenamePath {
  const folders = pairs
    .map(([from, to]) => [withoutSlash(from), withoutSlash(to)] as const)
    .sort(([one], [other]) => other.length - one.length);
  return (path) => {
    const pair = folders.find(([from]) => isInFolder(path, from));
    if (!pair) return path;
    const [from, to] = pair;
    return `${to}${path.slice(from.length)}` || '/';
  };
}

function isInFolder(path: string, folder: string): boolean {
  if (path === '' || !path.startsWith(folder)) return false;
  const next = path[folder.length];
  return next === undefined || next === '/' || next === '\\';
}

function withoutSlash(folder: string): string {
  return folder.replace(/[/\\]+$/, '');
}
