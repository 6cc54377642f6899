import { decodeUpdate } from '../../../src/acp/decode/update.ts';
import type { SessionState } from '../../../src/model/session.ts';
import { aTurn } from '../builders.ts';
import { transcriptLines } from '../transcript.ts';

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

/** The state and the transcript of a session after these updates in its first turn. */
export function showUpdates(...updates: readonly unknown[]) {
  const state: SessionState = aTurn('go', ...updates.map(decodeUpdate));
  const show = (isOpen: boolean) =>
    transcriptLines(state, { cwd: '/home/me/shop', home: '/home/me' }, isOpen).slice(4);
  return {
    state,
    tool: state.tools.get('c1'),
    /** The lines below the prompt and the name of the agent. */
    lines: show(false),
    opened: show(true),
  };
}
