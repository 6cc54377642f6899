import { isRecord } from '../../base.ts';
import { rpcCodes } from '../rpc-errors.ts';
import { textOf } from '../wire.ts';
import { snakeKeys } from './keys.ts';
import type { Peer, Reply } from './peer.ts';
import { optionFrom, refusalAmong } from './permission-options.ts';
import {
  applyRules,
  defined,
  mapSame,
  type Named,
  renaming,
  type Wire,
  withField,
  withMeta,
  without,
} from './rules.ts';
import { kindByName, toolCallFrom } from './tool-calls.ts';

/** How one source asks for a permission, and how it wants to be answered. */
interface Question extends Named {
  applies(params: Wire): boolean;
  toolCall(params: Wire): Wire;
  /** The result in its words for the chosen option, or for none; the canonical one without this. */
  readonly result?: (optionId: string | undefined, options: unknown) => Wire | undefined;
}

const noSession = { name: 'E: permission without sessionId' };
const toolCallKey = renaming({ name: 'any: tool_call' }, { tool_call: 'toolCall' });

const decisions = [
  { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

/** The first rule that applies wins. */
const questions: readonly Question[] = [
  {
    name: 'A: permissionId without options',
    tells: 'A',
    applies: ({ permissionId, options }) => typeof permissionId === 'string' && !Array.isArray(options),
    toolCall: ({ toolCallId, permissionId, title, kind, content }) =>
      defined({ toolCallId: textOf(toolCallId) ?? permissionId, title, kind, content }),
    result: (optionId) =>
      optionId === undefined ? { decision: 'reject', cancelled: true } : { decision: decisionFor(optionId) },
  },
  {
    name: 'E: options with id',
    tells: 'E',
    applies: ({ options }) => areOptions(options, hasId),
    toolCall: ({ id, tool, title, description }) =>
      defined({
        toolCallId: textOf(id),
        title: title ?? description,
        name: textOf(tool),
        kind: textOf(tool) && kindByName(tool),
      }),
    result: (optionId, options) => optionNamed('optionId', optionId ?? refusalAmong(options)),
  },
  {
    name: 'D: message and label',
    tells: 'D',
    applies: ({ options, message }) => typeof message === 'string' && areOptions(options, isLabelled),
    toolCall: ({ toolCallId, message }) => defined({ toolCallId: textOf(toolCallId), title: message }),
  },
  {
    name: 'B: title, description and label',
    tells: 'B',
    applies: ({ options, title, description }) =>
      typeof (title ?? description) === 'string' && areOptions(options, isLabelled),
    toolCall: describedTool,
    result: (optionId, options) => optionNamed('selectedOptionId', optionId ?? refusalAmong(options)),
  },
  {
    name: 'any: permission without toolCall',
    applies: ({ options }) => Array.isArray(options),
    toolCall: describedTool,
  },
];

/** The canonical form of a session/request_permission; remembers how it has to be answered. */
export function permissionFrom(message: Wire, peer: Peer): Wire {
  if (!isRecord(message.params)) return message;
  const params = peer.withSession(applyRules([snakeKeys, toolCallKey], message.params, peer), noSession);
  const question = isRecord(params.toolCall) ? undefined : questions.find((one) => one.applies(params));
  const canonical = question ? canonicalFrom(question, params, message.id) : params;
  const asked = withTool(withOptions(canonical, peer), peer);
  if (question) peer.note(question);
  if (question?.result) peer.replies.set(message.id, replyIn(question.result, asked.options));
  return withField(message, 'params', asked);
}

function canonicalFrom(question: Question, params: Wire, requestId: unknown): Wire {
  const { sessionId, _meta } = params;
  const named = { toolCallId: `perm-${String(requestId)}`, ...question.toolCall(params) };
  // Such a call is only what the question is about; the agent reports what it does under other ids.
  const isNamed = textOf(params.toolCallId) !== undefined;
  const toolCall = isNamed ? named : withMeta(named, { 'acp.nvim/asked': true });
  const options = Array.isArray(params.options) ? params.options : decisions;
  return defined({ sessionId, toolCall, options, _meta });
}

function withOptions(params: Wire, peer: Peer): Wire {
  return withField(
    params,
    'options',
    mapSame(params.options, (option) => optionFrom(option, peer)),
  );
}

function withTool(params: Wire, peer: Peer): Wire {
  if (!isRecord(params.toolCall)) return params;
  const toolCall = toolCallFrom(params.toolCall, peer);
  const { toolCallId } = toolCall;
  if (typeof toolCallId === 'string') peer.sawToolCall(textOf(params.sessionId) ?? '', toolCallId);
  return withField(params, 'toolCall', toolCall);
}

function replyIn(resultFor: NonNullable<Question['result']>, options: unknown): Reply {
  return (answer) => {
    if (!isRecord(answer.result)) return answer;
    const result = resultFor(chosenIn(answer.result.outcome), options);
    if (result) return { ...answer, result };
    const error = { code: rpcCodes.cancelled, message: 'Request cancelled' };
    return { ...without(answer, 'result'), error };
  };
}

function chosenIn(outcome: unknown): string | undefined {
  return isRecord(outcome) && outcome.outcome === 'selected' ? textOf(outcome.optionId) : undefined;
}

function decisionFor(optionId: string): string {
  return decisions.some((decision) => decision.optionId === optionId) ? optionId : 'reject';
}

function optionNamed(key: string, optionId: string | undefined): Wire | undefined {
  return optionId === undefined ? undefined : { [key]: optionId };
}

function describedTool({ toolCallId, title, description }: Wire): Wire {
  const content = typeof description === 'string' ? [description] : undefined;
  return defined({ toolCallId: textOf(toolCallId), title, content });
}

function hasId({ id, optionId }: Wire): boolean {
  return id !== undefined && optionId === undefined;
}

function isLabelled({ label, name }: Wire): boolean {
  return name === undefined && typeof label === 'string';
}

// Where they are of two sorts, nobody knows whose question it is.
function areOptions(options: unknown, isSuch: (option: Wire) => boolean): boolean {
  const offered = (Array.isArray(options) ? options : []).filter(isRecord);
  return offered.length > 0 && offered.every(isSuch);
}
