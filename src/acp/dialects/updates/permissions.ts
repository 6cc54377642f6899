import type { JsonObject } from '../../../base/record.ts';
import { isRecord } from '../../../base/record.ts';
import { rpcCodes } from '../../../base/rpc-codes.ts';
import { asString } from '../../decode/fields.ts';
import { rejectingOption } from '../../decode/rejecting-option.ts';
import { snakeKeys } from '../keys.ts';
import type { AnswerRewrite, Peer } from '../peer.ts';
import {
  applyRules,
  defined,
  documents,
  mapSame,
  type RuleInfo,
  renameFields,
  withField,
  withMeta,
  without,
} from '../rules.ts';
import { canonicalOption } from './permission-options.ts';
import { canonicalToolCall, kindOfToolName } from './tool-calls.ts';

/** The shape of a permission request in one document, and of its answer. */
interface PermissionShape extends RuleInfo {
  applies(params: JsonObject): boolean;
  toolCall(params: JsonObject): JsonObject;
  /** The result for the chosen option, undefined if none was chosen. Absent: answer in canonical form. */
  readonly resultFor?: (optionId: string | undefined, options: unknown) => JsonObject | undefined;
}

const permissionWithoutSession = { name: 'E: permission without sessionId' };
const toolCallAlias = renameFields({ name: 'any: tool_call' }, { tool_call: 'toolCall' });

const defaultOptions = [
  { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

/** The first shape that applies is used. */
const permissionShapes: readonly PermissionShape[] = [
  {
    name: 'A: permissionId without options',
    implies: documents.reverseEngineered,
    applies: ({ permissionId, options }) => typeof permissionId === 'string' && !Array.isArray(options),
    toolCall: ({ toolCallId, permissionId, title, kind, content }) =>
      defined({ toolCallId: asString(toolCallId) ?? permissionId, title, kind, content }),
    resultFor: (optionId) =>
      optionId === undefined ? { decision: 'reject', cancelled: true } : { decision: decisionFor(optionId) },
  },
  {
    name: 'E: options with id',
    implies: documents.overview,
    applies: ({ options }) => everyOption(options, hasId),
    toolCall: ({ id, tool, title, description }) =>
      defined({
        toolCallId: asString(id),
        title: title ?? description,
        name: asString(tool),
        kind: asString(tool) && kindOfToolName(tool),
      }),
    resultFor: (optionId, options) => optionIdResult('optionId', optionId ?? rejectingOption(options)),
  },
  {
    name: 'D: message and label',
    implies: documents.adapterReference,
    applies: ({ options, message }) => typeof message === 'string' && everyOption(options, isLabelled),
    toolCall: ({ toolCallId, message }) => defined({ toolCallId: asString(toolCallId), title: message }),
  },
  {
    name: 'B: title, description and label',
    implies: documents.completeSpecification,
    applies: ({ options, title, description }) =>
      typeof (title ?? description) === 'string' && everyOption(options, isLabelled),
    toolCall: toolCallFromDescription,
    resultFor: (optionId, options) =>
      optionIdResult('selectedOptionId', optionId ?? rejectingOption(options)),
  },
  {
    name: 'any: permission without toolCall',
    applies: ({ options }) => Array.isArray(options),
    toolCall: toolCallFromDescription,
  },
];

/** The canonical form of a session/request_permission. Registers the rewrite of its answer. */
export function canonicalPermission(message: JsonObject, peer: Peer): JsonObject {
  if (!isRecord(message.params)) return message;
  const params = peer.withSession(
    applyRules([snakeKeys, toolCallAlias], message.params, peer),
    permissionWithoutSession,
  );
  const shape = isRecord(params.toolCall)
    ? undefined
    : permissionShapes.find((shape) => shape.applies(params));
  const canonical = shape ? canonicalParams(shape, params, message.id) : params;
  const asked = withToolCall(withOptions(canonical, peer), peer);
  if (shape) peer.ruleApplied(shape);
  if (shape?.resultFor) peer.answerRewrites.set(message.id, answerRewriteTo(shape.resultFor, asked.options));
  return withField(message, 'params', asked);
}

function canonicalParams(shape: PermissionShape, params: JsonObject, requestId: unknown): JsonObject {
  const { sessionId, _meta } = params;
  const named = { toolCallId: `perm-${String(requestId)}`, ...shape.toolCall(params) };
  // Without a toolCallId, the agent reports the call itself under another id.
  const isNamed = asString(params.toolCallId) !== undefined;
  const toolCall = isNamed ? named : withMeta(named, { 'acp.nvim/asked': true });
  const options = Array.isArray(params.options) ? params.options : defaultOptions;
  return defined({ sessionId, toolCall, options, _meta });
}

function withOptions(params: JsonObject, peer: Peer): JsonObject {
  return withField(
    params,
    'options',
    mapSame(params.options, (option) => canonicalOption(option, peer)),
  );
}

function withToolCall(params: JsonObject, peer: Peer): JsonObject {
  if (!isRecord(params.toolCall)) return params;
  const toolCall = canonicalToolCall(params.toolCall, peer);
  const { toolCallId } = toolCall;
  if (typeof toolCallId === 'string') peer.rememberToolCall(asString(params.sessionId) ?? '', toolCallId);
  return withField(params, 'toolCall', toolCall);
}

function answerRewriteTo(
  resultFor: NonNullable<PermissionShape['resultFor']>,
  options: unknown,
): AnswerRewrite {
  return (answer) => {
    if (!isRecord(answer.result)) return answer;
    const result = resultFor(chosenOptionId(answer.result.outcome), options);
    if (result) return { ...answer, result };
    const error = { code: rpcCodes.cancelled, message: 'Request cancelled' };
    return { ...without(answer, 'result'), error };
  };
}

function chosenOptionId(outcome: unknown): string | undefined {
  return isRecord(outcome) && outcome.outcome === 'selected' ? asString(outcome.optionId) : undefined;
}

function decisionFor(optionId: string): string {
  return defaultOptions.some((decision) => decision.optionId === optionId) ? optionId : 'reject';
}

function optionIdResult(key: string, optionId: string | undefined): JsonObject | undefined {
  return optionId === undefined ? undefined : { [key]: optionId };
}

function toolCallFromDescription({ toolCallId, title, description }: JsonObject): JsonObject {
  const content = typeof description === 'string' ? [description] : undefined;
  return defined({ toolCallId: asString(toolCallId), title, content });
}

function hasId({ id, optionId }: JsonObject): boolean {
  return id !== undefined && optionId === undefined;
}

function isLabelled({ label, name }: JsonObject): boolean {
  return name === undefined && typeof label === 'string';
}

// Options of mixed shapes belong to no document.
function everyOption(options: unknown, isOfShape: (option: JsonObject) => boolean): boolean {
  const offered = (Array.isArray(options) ? options : []).filter(isRecord);
  return offered.length > 0 && offered.every(isOfShape);
}
