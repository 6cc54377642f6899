import { AcpError, messageOf } from '../base/errors.ts';
import type { SessionState } from '../model/session.ts';
import type { SessionEvent } from '../model/session-events.ts';
import type { AgentLink } from '../ports/agent.ts';

interface RenamePorts {
  readonly state: Pick<SessionState, 'agent'>;
  apply(event: SessionEvent): void;
  session(): { readonly link: AgentLink; readonly sessionId: string } | undefined;
}

/**
 * Gives a session the title that the user wants: with `session/set_title` if the agent offers it, otherwise here only,
 * where it replaces the titles of the agent.
 */
export async function renameSession(title: string, { state, apply, session }: RenamePorts): Promise<void> {
  const open = session();
  const own: SessionEvent = { kind: 'title', title, isChosen: true };
  if (!open || !state.agent.capabilities?.title) return apply(own);
  try {
    const accepted = await open.link.agent.setTitle(open.sessionId, title);
    apply({ kind: 'title', title: accepted, isChosen: false });
  } catch (error) {
    apply(own);
    const message = `${state.agent.title} did not take the title, which only acp.nvim shows now: ${messageOf(error)}`;
    throw new AcpError('agent_error', message, { cause: error });
  }
}
