import { isRecord, lookUp } from '../../base.ts';
import { snakeKeys } from './keys.ts';
import type { Peer, Pending } from './peer.ts';
import { applyRules, type Rule, type Wire, without } from './rules.ts';
import { updatesFrom } from './variants.ts';

const stopReasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  complete: 'end_turn',
  completed: 'end_turn',
  done: 'end_turn',
  canceled: 'cancelled',
  interrupted: 'cancelled',
  aborted: 'cancelled',
  length: 'max_tokens',
};

/** Rules for the result of session/prompt. */
const resultRules: readonly Rule[] = [
  snakeKeys,
  {
    name: 'D,E: no stopReason',
    applies: ({ stopReason }) => stopReason === undefined || stopReason === null,
    rewrite: (result) => ({ ...result, stopReason: 'end_turn' }),
  },
  {
    name: 'any: stopReason words',
    applies: ({ stopReason }) => lookUp(stopReasons, stopReason) !== undefined,
    rewrite: (result) => ({ ...result, stopReason: lookUp(stopReasons, result.stopReason) }),
  },
];

/** The answer to a session/prompt, after the updates that stand for what else it says. */
export function promptAnswerFrom(answer: Wire, prompt: Pending, peer: Peer): readonly Wire[] {
  const result = applyRules(resultRules, isRecord(answer.result) ? answer.result : {}, peer);
  if (result.stopReason === 'tool_error') return toolError(answer, result, prompt, peer);
  if (result.content === undefined) return [result === answer.result ? answer : { ...answer, result }];
  peer.note({ name: 'D: content in the prompt result' });
  const said = prompt.hasSpoken ? [] : saidIn(result.content, prompt, peer);
  return [...said, { ...answer, result: without(result, 'content') }];
}

/** Source E: this notification ends the turn; the response may or may not follow. */
export function turnEndFrom(message: Wire, peer: Peer): Wire {
  const noted = { name: 'E: session/end_turn', tells: 'E' } as const;
  peer.note(noted);
  const params = peer.withSession(isRecord(message.params) ? message.params : {}, noted);
  return { ...message, method: '_acp.nvim/end_turn', params };
}

function toolError(answer: Wire, result: Wire, prompt: Pending, peer: Peer): readonly Wire[] {
  peer.note({ name: 'A: stopReason tool_error' });
  const notice = {
    sessionUpdate: 'notice',
    severity: 'error',
    title: 'The turn ended because a tool failed.',
  };
  return [updateMessage(notice, prompt), { ...answer, result: { ...result, stopReason: 'end_turn' } }];
}

function saidIn(content: unknown, prompt: Pending, peer: Peer): readonly Wire[] {
  const chunk = { sessionUpdate: 'agent_message_chunk', content, messageId: peer.newMessageId() };
  return updatesFrom(chunk, prompt.sessionId ?? '', peer).map((update) => updateMessage(update, prompt));
}

function updateMessage(update: Wire, { sessionId }: Pending): Wire {
  return { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } };
}
