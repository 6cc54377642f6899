import { isRecord, lookUp } from '../../base.ts';
import { pathKeys, snakeKeys } from './keys.ts';
import type { Peer, Reply } from './peer.ts';
import {
  applyRules,
  defined,
  type Named,
  type Rule,
  renaming,
  type Wire,
  withField,
  withMeta,
  without,
} from './rules.ts';

/** A method of the file system or the terminals. */
interface Service {
  readonly rules: readonly Rule[];
  /** How to answer this agent, when it wants no canonical answer. */
  replyFor?(peer: Peer): NamedReply | undefined;
}

interface NamedReply extends Named {
  readonly reply: Reply;
}

const noSession = { name: 'E: fs, terminal without sessionId', tells: 'E' } as const;

const lineKeys = renaming(
  { name: 'B: startLine, lineLimit', tells: 'B' },
  { startLine: 'line', lineLimit: 'limit', start_line: 'line', line_limit: 'limit' },
);

const byteLimit = renaming(
  { name: 'A: outputBytesLimit', tells: 'A' },
  { outputBytesLimit: 'outputByteLimit' },
);

const environment: Rule = {
  name: 'A,B: env map',
  applies: ({ env }) => isRecord(env) || (Array.isArray(env) && env.some(isAssignment)),
  rewrite: (params) => ({ ...params, env: variablesFrom(params.env) }),
};

const timeout: Rule = {
  name: 'B: wait_for_exit timeout',
  tells: 'B',
  applies: (params) => typeof params.timeout === 'number',
  rewrite: (params) => withMeta(without(params, 'timeout'), { 'acp.nvim/timeout': params.timeout }),
};

const nullResult: NamedReply = {
  name: 'A,B,C,E: write result null',
  reply: (answer) => (isRecord(answer.result) ? { ...answer, result: null } : answer),
};
const flatOfA: NamedReply = { name: 'A: terminal/output flat', reply: flatExit(undefined) };
const flatOfB: NamedReply = { name: 'B: terminal/output flat', reply: flatExit(null) };
const outputOfB: NamedReply = { name: 'B: wait_for_exit with output', reply: withOutput };

/** Rules for requests about files and terminals. */
const services: Readonly<Record<string, Service>> = {
  'fs/read_text_file': { rules: [pathKeys, lineKeys] },
  'fs/write_text_file': {
    rules: [pathKeys],
    replyFor: (peer) => (peer.speaks('A', 'B', 'E') ? nullResult : undefined),
  },
  'fs/list_directory': { rules: [pathKeys] },
  'terminal/create': { rules: [byteLimit, environment] },
  'terminal/run': { rules: [byteLimit, environment] },
  'terminal/output': {
    rules: [],
    replyFor: (peer) => (peer.speaks('B') ? flatOfB : peer.speaks('A') ? flatOfA : undefined),
  },
  'terminal/wait_for_exit': {
    rules: [timeout],
    replyFor: (peer) => (peer.speaks('B') ? outputOfB : undefined),
  },
  'terminal/kill': { rules: [] },
  'terminal/release': { rules: [] },
};

/** The canonical form of a request to the file system or the terminals; remembers how it has to be answered. */
export function serviceFrom(message: Wire, peer: Peer): Wire {
  const service = lookUp(services, message.method);
  if (!service || !isRecord(message.params)) return message;
  const renamed = applyRules([snakeKeys, ...service.rules], message.params, peer);
  const params = peer.withSession(renamed, noSession);
  const dialect = service.replyFor?.(peer);
  if (!dialect) return withField(message, 'params', params);
  peer.note(dialect);
  peer.replies.set(message.id, dialect.reply);
  // Only the service has the output that this answer wants.
  const wanted = dialect === outputOfB ? withMeta(params, { 'acp.nvim/output': true }) : params;
  return withField(message, 'params', wanted);
}

function variablesFrom(env: unknown): readonly unknown[] {
  if (Array.isArray(env)) return env.map((entry: unknown) => (isAssignment(entry) ? assigned(entry) : entry));
  return Object.entries(env as Wire)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => ({ name, value: String(value) }));
}

function isAssignment(entry: unknown): entry is string {
  return typeof entry === 'string' && entry.indexOf('=') > 0;
}

function assigned(entry: string): Wire {
  const end = entry.indexOf('=');
  return { name: entry.slice(0, end), value: entry.slice(end + 1) };
}

function flatExit(codeWhileRunning: null | undefined): Reply {
  return (answer) => {
    if (!isRecord(answer.result)) return answer;
    const { exitStatus } = answer.result;
    const { exitCode, signal } = isRecord(exitStatus) ? exitStatus : {};
    const flat = defined({ exitCode: exitCode ?? codeWhileRunning, signal: signal ?? undefined });
    return { ...answer, result: { ...answer.result, ...flat } };
  };
}

// The service leaves the output in `_meta` when it was asked to.
function withOutput(answer: Wire): Wire {
  if (!isRecord(answer.result) || !isRecord(answer.result._meta)) return answer;
  const { 'acp.nvim/output': output, ...meta } = answer.result._meta;
  const rest = Object.keys(meta).length === 0 ? undefined : meta;
  return { ...answer, result: defined({ ...answer.result, output, _meta: rest }) };
}
