import { eventFrom } from '../../../../src/acp/normalise.ts';
import type { SessionState } from '../../../../src/session/model.ts';
import { aTurn } from '../../../support/builders.ts';
import { linesOf } from '../../../support/stage.ts';

type Wire = Readonly<Record<string, unknown>>;

export const call = (fields: Wire = {}) => ({ sessionUpdate: 'tool_call', toolCallId: 'c1', ...fields });
export const more = (fields: Wire = {}) => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: 'c1',
  ...fields,
});
export const text = (words: string) => ({ type: 'content', content: { type: 'text', text: words } });
export const chunk = (words: string, fields: Wire = {}) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text: words },
  ...fields,
});

/** A session whose agent has sent these updates in its first turn, and what the chat shows of them. */
export function told(...updates: readonly unknown[]) {
  const state: SessionState = aTurn('go', ...updates.map(eventFrom));
  const show = (isOpen: boolean) =>
    linesOf(state, { cwd: '/home/me/shop', home: '/home/me' }, isOpen).slice(4);
  return {
    state,
    tool: state.tools.get('c1'),
    /** What stands below the prompt and the name of the agent. */
    lines: show(false),
    opened: show(true),
  };
}
