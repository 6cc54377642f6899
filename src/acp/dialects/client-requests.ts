import type { JsonObject } from '../../base/record.ts';
import { isRecord, lookUp } from '../../base/record.ts';
import { pathKeys, snakeKeys } from './keys.ts';
import type { AnswerRewrite, Peer } from './peer.ts';
import {
  applyRules,
  defined,
  documents,
  type RewriteRule,
  type RuleInfo,
  renameFields,
  withField,
  withMeta,
  without,
} from './rules.ts';

/** A file or terminal method that the agent calls. */
interface ClientMethod {
  readonly rules: readonly RewriteRule[];
  /** The rewrite of our answer, if this agent expects another shape. */
  answerRewriteFor?(peer: Peer): NamedAnswerRewrite | undefined;
}

interface NamedAnswerRewrite extends RuleInfo {
  readonly rewrite: AnswerRewrite;
}

const requestWithoutSession: RuleInfo = {
  name: 'E: fs, terminal without sessionId',
  implies: documents.overview,
};

const lineKeys = renameFields(
  { name: 'B: startLine, lineLimit', implies: documents.completeSpecification },
  { startLine: 'line', lineLimit: 'limit', start_line: 'line', line_limit: 'limit' },
);

const byteLimit = renameFields(
  { name: 'A: outputBytesLimit', implies: documents.reverseEngineered },
  { outputBytesLimit: 'outputByteLimit' },
);

const environmentMap: RewriteRule = {
  name: 'A,B: env map',
  applies: ({ env }) => isRecord(env) || (Array.isArray(env) && env.some(isAssignment)),
  rewrite: (params) => ({ ...params, env: environmentVariables(params.env) }),
};

const waitTimeout: RewriteRule = {
  name: 'B: wait_for_exit timeout',
  implies: documents.completeSpecification,
  applies: (params) => typeof params.timeout === 'number',
  rewrite: (params) => withMeta(without(params, 'timeout'), { 'acp.nvim/timeout': params.timeout }),
};

const nullResult: NamedAnswerRewrite = {
  name: 'A,B,C,E: write result null',
  rewrite: (answer) => (isRecord(answer.result) ? { ...answer, result: null } : answer),
};
const flatExitOmitted: NamedAnswerRewrite = {
  name: 'A: terminal/output flat',
  rewrite: flattenExitStatus(undefined),
};
const flatExitNull: NamedAnswerRewrite = {
  name: 'B: terminal/output flat',
  rewrite: flattenExitStatus(null),
};
const exitWithOutput: NamedAnswerRewrite = {
  name: 'B: wait_for_exit with output',
  rewrite: moveOutputFromMeta,
};

/** The rules of each file and terminal method. */
const clientMethods: Readonly<Record<string, ClientMethod>> = {
  'fs/read_text_file': { rules: [pathKeys, lineKeys] },
  'fs/write_text_file': {
    rules: [pathKeys],
    answerRewriteFor: (peer) =>
      peer.follows(documents.reverseEngineered, documents.completeSpecification, documents.overview)
        ? nullResult
        : undefined,
  },
  'fs/list_directory': { rules: [pathKeys] },
  'terminal/create': { rules: [byteLimit, environmentMap] },
  'terminal/run': { rules: [byteLimit, environmentMap] },
  'terminal/output': {
    rules: [],
    answerRewriteFor: (peer) =>
      peer.follows(documents.completeSpecification)
        ? flatExitNull
        : peer.follows(documents.reverseEngineered)
          ? flatExitOmitted
          : undefined,
  },
  'terminal/wait_for_exit': {
    rules: [waitTimeout],
    answerRewriteFor: (peer) => (peer.follows(documents.completeSpecification) ? exitWithOutput : undefined),
  },
  'terminal/kill': { rules: [] },
  'terminal/release': { rules: [] },
};

/** The canonical form of a file or terminal request. Registers the rewrite of its answer. */
export function canonicalClientRequest(message: JsonObject, peer: Peer): JsonObject {
  const method = lookUp(clientMethods, message.method);
  if (!method || !isRecord(message.params)) return message;
  const renamed = applyRules([snakeKeys, ...method.rules], message.params, peer);
  const params = peer.withSession(renamed, requestWithoutSession);
  const rewrite = method.answerRewriteFor?.(peer);
  if (!rewrite) return withField(message, 'params', params);
  peer.ruleApplied(rewrite);
  peer.answerRewrites.set(message.id, rewrite.rewrite);
  // This answer contains the output, which only the terminal service has.
  const wanted = rewrite === exitWithOutput ? withMeta(params, { 'acp.nvim/output': true }) : params;
  return withField(message, 'params', wanted);
}

function environmentVariables(env: unknown): readonly unknown[] {
  if (Array.isArray(env))
    return env.map((entry: unknown) => (isAssignment(entry) ? variableFromAssignment(entry) : entry));
  return Object.entries(env as JsonObject)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => ({ name, value: String(value) }));
}

function isAssignment(entry: unknown): entry is string {
  return typeof entry === 'string' && entry.indexOf('=') > 0;
}

function variableFromAssignment(entry: string): JsonObject {
  const end = entry.indexOf('=');
  return { name: entry.slice(0, end), value: entry.slice(end + 1) };
}

function flattenExitStatus(codeWhileRunning: null | undefined): AnswerRewrite {
  return (answer) => {
    if (!isRecord(answer.result)) return answer;
    const { exitStatus } = answer.result;
    const { exitCode, signal } = isRecord(exitStatus) ? exitStatus : {};
    const flat = defined({ exitCode: exitCode ?? codeWhileRunning, signal: signal ?? undefined });
    return { ...answer, result: { ...answer.result, ...flat } };
  };
}

// The terminal service puts the output into `_meta` if the request asks for it.
function moveOutputFromMeta(answer: JsonObject): JsonObject {
  if (!isRecord(answer.result) || !isRecord(answer.result._meta)) return answer;
  const { 'acp.nvim/output': output, ...meta } = answer.result._meta;
  const rest = Object.keys(meta).length === 0 ? undefined : meta;
  return { ...answer, result: defined({ ...answer.result, output, _meta: rest }) };
}
