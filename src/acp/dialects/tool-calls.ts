import { isAbsolute } from 'node:path';
import { isRecord, lookUp } from '../../base.ts';
import { textOf } from '../wire.ts';
import { snakeKeys } from './keys.ts';
import { locationFrom } from './locations.ts';
import type { Peer } from './peer.ts';
import {
  applyRules,
  mapSame,
  type Rule,
  type Wire,
  type Witness,
  withField,
  withMeta,
  without,
} from './rules.ts';
import { toolContentFrom } from './tool-content.ts';

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

/** Aliases of statuses. An unknown word is passed on, and the decoder ignores it. */
const statuses: Readonly<Record<string, string>> = {
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
  // The protocol has no word for it; the original one is kept beside this.
  canceled: 'failed',
  cancelled: 'failed',
};

/** Rules for a tool call as a whole. */
const toolRules: readonly Rule[] = [
  snakeKeys,
  {
    name: 'D,E: status words',
    applies: ({ status }) => statusFrom(status) !== undefined,
    rewrite: (tool) => {
      const known = { ...tool, status: statusFrom(tool.status) };
      return isCancelled(tool.status) ? withMeta(known, { 'acp.nvim/status': 'cancelled' }) : known;
    },
  },
  {
    name: 'B: location',
    applies: ({ location, locations }) => isPlace(location) && locations === undefined,
    rewrite: (tool) => ({ ...without(tool, 'location'), locations: [tool.location] }),
  },
  {
    name: 'any: content a plain string',
    applies: ({ content }) => typeof content === 'string',
    rewrite: (tool) => ({ ...tool, content: [tool.content] }),
  },
  {
    name: 'A: diff',
    applies: ({ diff }) => isRecord(diff) && namesPath(diff),
    rewrite: (tool) => withDiff(without(tool, 'diff'), tool.diff as Wire),
  },
];

/** The canonical form of a tool call, wherever it stands. */
export function toolCallFrom(tool: Wire, witness: Witness): Wire {
  const flat = applyRules(toolRules, tool, witness);
  const locations = mapSame(flat.locations, (location) => locationFrom(location, witness));
  const content = mapSame(flat.content, (item) => toolContentFrom(item, witness));
  return withField(withField(flat, 'locations', locations), 'content', content);
}

/** The canonical form of a `tool_call` or `tool_call_update`. */
export function toolUpdateFrom(update: Wire, sessionId: string, peer: Peer): Wire {
  const isRepeat = peer.knowsToolCall(sessionId, textOf(update.toolCallId) ?? '');
  const isOfD = peer.speaks('D') || statusFrom(update.status) !== undefined;
  const tool = toolCallFrom(update, peer);
  const toolCallId = textOf(tool.toolCallId);
  if (toolCallId !== undefined) peer.sawToolCall(sessionId, toolCallId);
  if (tool.sessionUpdate !== 'tool_call') return tool;
  if (!isRepeat) return applyRules([rawInputPath], tool, peer);
  if (!isOfD) return tool;
  peer.note({ name: 'D: repeated tool_call', tells: 'D' });
  return { ...tool, sessionUpdate: 'tool_call_update' };
}

export function statusFrom(word: unknown): string | undefined {
  return lookUp(statuses, word);
}

/** The kind of tool by its name. */
export function kindByName(name: unknown): string {
  return lookUp(kindsByName, textOf(name)?.toLowerCase().replace(/[_-]/g, '')) ?? 'other';
}

// Others that leave the kind out say more than this about the places they touch.
const rawInputPath: Rule = {
  name: 'D: rawInput file_path',
  applies: ({ kind, locations, rawInput }) =>
    kind === undefined && locations === undefined && isRecord(rawInput) && pathIn(rawInput) !== undefined,
  rewrite: (tool) => ({ ...tool, locations: [{ path: pathIn(tool.rawInput as Wire) }] }),
};

function pathIn({ file_path, path }: Wire): string | undefined {
  return [file_path, path].map(textOf).find((name) => name !== undefined && isAbsolute(name));
}

function isCancelled(word: unknown): boolean {
  return word === 'cancelled' || word === 'canceled';
}

function isPlace(location: unknown): boolean {
  return isRecord(location) || typeof location === 'string';
}

function namesPath({ path, file_path, filePath }: Wire): boolean {
  return typeof (path ?? file_path ?? filePath) === 'string';
}

function withDiff(tool: Wire, diff: Wire): Wire {
  const content = Array.isArray(tool.content) ? tool.content : [];
  const newText = diff.newText ?? diff.newContent ?? diff.new_text ?? '';
  const item = { ...without(diff, 'newContent', 'new_text'), type: 'diff', newText };
  return { ...tool, content: [...content, item] };
}
