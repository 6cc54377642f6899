import { isAbsolute } from 'node:path';
import type { JsonObject } from '../../../base/record.ts';
import { isRecord, lookUp } from '../../../base/record.ts';
import { asString } from '../../decode/fields.ts';
import { snakeKeys } from '../keys.ts';
import type { Peer } from '../peer.ts';
import {
  applyRules,
  documents,
  mapSame,
  type RewriteRule,
  type RuleObserver,
  withField,
  withMeta,
  without,
} from '../rules.ts';
import { canonicalLocation } from './locations.ts';
import { canonicalToolContent } from './tool-content.ts';

const kindsByName: Readonly<Record<string, string>> = {
  read: 'read',
  write: 'edit',
  edit: 'edit',
  bash: 'execute',
  shell: 'execute',
  run: 'execute',
  grep: 'search',
  glob: 'search',
  search: 'search',
  webfetch: 'fetch',
  fetch: 'fetch',
};

/** Aliases of statuses. Unknown statuses are not changed; the decoder ignores them. */
const statusAliases: Readonly<Record<string, string>> = {
  running: 'in_progress',
  'in-progress': 'in_progress',
  inProgress: 'in_progress',
  started: 'in_progress',
  executing: 'in_progress',
  success: 'completed',
  succeeded: 'completed',
  done: 'completed',
  complete: 'completed',
  ok: 'completed',
  error: 'failed',
  errored: 'failed',
  // ACP has no cancelled status; the original one is kept in `_meta`.
  canceled: 'failed',
  cancelled: 'failed',
};

/** Rules for a tool call as a whole. */
const toolRules: readonly RewriteRule[] = [
  snakeKeys,
  {
    name: 'D,E: status words',
    applies: ({ status }) => statusForAlias(status) !== undefined,
    rewrite: (tool) => {
      const known = { ...tool, status: statusForAlias(tool.status) };
      return isCancelled(tool.status) ? withMeta(known, { 'acp.nvim/status': 'cancelled' }) : known;
    },
  },
  {
    name: 'B: location',
    applies: ({ location, locations }) => isLocation(location) && locations === undefined,
    rewrite: (tool) => ({ ...without(tool, 'location'), locations: [tool.location] }),
  },
  {
    name: 'any: content a plain string',
    applies: ({ content }) => typeof content === 'string',
    rewrite: (tool) => ({ ...tool, content: [tool.content] }),
  },
  {
    name: 'A: diff',
    applies: ({ diff }) => isRecord(diff) && hasPath(diff),
    rewrite: (tool) => withDiff(without(tool, 'diff'), tool.diff as JsonObject),
  },
];

/** The canonical form of a tool call in an update or a permission request. */
export function canonicalToolCall(tool: JsonObject, observer: RuleObserver): JsonObject {
  const flat = applyRules(toolRules, tool, observer);
  const locations = mapSame(flat.locations, (location) => canonicalLocation(location, observer));
  const content = mapSame(flat.content, (item) => canonicalToolContent(item, observer));
  return withField(withField(flat, 'locations', locations), 'content', content);
}

/** The canonical form of a `tool_call` or `tool_call_update`. */
export function canonicalToolUpdate(update: JsonObject, sessionId: string, peer: Peer): JsonObject {
  const isRepeat = peer.hasToolCall(sessionId, asString(update.toolCallId) ?? '');
  const usesStatusAliases =
    peer.follows(documents.adapterReference) || statusForAlias(update.status) !== undefined;
  const tool = canonicalToolCall(update, peer);
  const toolCallId = asString(tool.toolCallId);
  if (toolCallId !== undefined) peer.rememberToolCall(sessionId, toolCallId);
  if (tool.sessionUpdate !== 'tool_call') return tool;
  if (!isRepeat) return applyRules([rawInputPath], tool, peer);
  if (!usesStatusAliases) return tool;
  peer.ruleApplied({ name: 'D: repeated tool_call', implies: documents.adapterReference });
  return { ...tool, sessionUpdate: 'tool_call_update' };
}

export function statusForAlias(word: unknown): string | undefined {
  return lookUp(statusAliases, word);
}

/** The kind of tool by its name. */
export function kindOfToolName(name: unknown): string {
  return lookUp(kindsByName, asString(name)?.toLowerCase().replace(/[_-]/g, '')) ?? 'other';
}

// Only for agents that send neither kind nor locations.
const rawInputPath: RewriteRule = {
  name: 'D: rawInput file_path',
  applies: ({ kind, locations, rawInput }) =>
    kind === undefined &&
    locations === undefined &&
    isRecord(rawInput) &&
    absolutePathIn(rawInput) !== undefined,
  rewrite: (tool) => ({ ...tool, locations: [{ path: absolutePathIn(tool.rawInput as JsonObject) }] }),
};

function absolutePathIn({ file_path, path }: JsonObject): string | undefined {
  return [file_path, path].map(asString).find((name) => name !== undefined && isAbsolute(name));
}

function isCancelled(word: unknown): boolean {
  return word === 'cancelled' || word === 'canceled';
}

function isLocation(location: unknown): boolean {
  return isRecord(location) || typeof location === 'string';
}

function hasPath({ path, file_path, filePath }: JsonObject): boolean {
  return typeof (path ?? file_path ?? filePath) === 'string';
}

function withDiff(tool: JsonObject, diff: JsonObject): JsonObject {
  const content = Array.isArray(tool.content) ? tool.content : [];
  const newText = diff.newText ?? diff.newContent ?? diff.new_text ?? '';
  const item = { ...without(diff, 'newContent', 'new_text'), type: 'diff', newText };
  return { ...tool, content: [...content, item] };
}
