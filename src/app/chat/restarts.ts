import { isBusy } from '../../model/session.ts';
import type { Editor } from '../../ports/editor.ts';
import { joinTitles, restartPicker } from '../../view/pickers/sessions.ts';
import type { Chats } from '../chats.ts';

export interface Restart {
  readonly chat: number;
  /** The user has confirmed that other busy chats are restarted too. */
  readonly isSure: boolean;
}

/** Restarts the agent of a chat for all chats that use the same program. */
export async function restartAgent(
  { chat: id, isSure }: Restart,
  chats: Chats,
  editor: Editor,
): Promise<void> {
  const { session } = chats.get(id);
  const others = chats.all.filter(
    (other) => other.session !== session && other.session.sharesAgentWith(session),
  );
  const working = others.filter((other) => isBusy(other.session.state));
  const { title } = session.state.agent;
  if (working.length > 0 && !isSure) {
    return editor.send('picker.open', {
      chat: id,
      ...restartPicker(
        id,
        title,
        working.map((other) => other.summary()),
      ),
    });
  }
  if (others.length > 0) {
    const names = joinTitles(others.map((other) => other.summary()));
    editor.notify('info', `${title} is restarted for ${names} too`);
  }
  await session.restart(others.map((other) => other.session));
}
