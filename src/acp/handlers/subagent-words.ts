import { isRecord } from '../../base/record.ts';
import type { AgentEvent } from '../../model/session-events.ts';
import { decodeParent } from '../decode/update.ts';

/** Each chunk reports the text again, so it is short. */
const maxText = 4_000;

/**
 * Some agents send what a subagent says as messages of their own session, with the id of the call that started the
 * subagent. These words are content of that call, and no message of the agent.
 */
export class SubagentWords {
  /** By session and call: all calls that may start a subagent. */
  private readonly said = new Map<string, string>();

  /** The event for an update: that of the call, if a subagent said something. */
  assign(sessionId: string, update: unknown, event: AgentEvent): AgentEvent {
    if (event.kind === 'tool' && event.patch.toolKind === 'think') {
      const call = `${sessionId}/${event.patch.toolCallId}`;
      this.said.set(call, this.said.get(call) ?? '');
    }
    const parent = isRecord(update) && event.kind === 'chunk' ? decodeParent(update) : undefined;
    const before = this.said.get(`${sessionId}/${parent}`);
    if (event.kind !== 'chunk' || parent === undefined || before === undefined) return event;
    // A subagent's user is its agent.
    if (event.role === 'user') return { kind: 'nothing' };
    const text = (before + event.text).slice(-maxText);
    this.said.set(`${sessionId}/${parent}`, text);
    return { kind: 'tool', patch: { toolCallId: parent, content: [{ kind: 'text', text }] } };
  }
}
