import type { Chat } from './chat.ts';
import type { Editor } from './ports/host.ts';
import { isBusy } from './session/model.ts';
import { namesOf, restartPicker } from './view/session-pickers.ts';

export interface Restart {
  readonly chat: number;
  /** The user knows that a chat works which is restarted too. */
  readonly isSure: boolean;
}

/** Restarts the agent of a chat, and with it the other chats that use the same program. */
export async function restartAgent(
  { chat: id, isSure }: Restart,
  chats: ReadonlyMap<number, Chat>,
  editor: Editor,
): Promise<void> {
  const { session } = chats.get(id)!;
  const others = [...chats.values()].filter(
    (other) => other.session !== session && other.session.sharesAgentWith(session),
  );
  const working = others.filter((other) => isBusy(other.session.state));
  const { title } = session.state.agent;
  if (working.length > 0 && !isSure) {
    return editor.tell('picker.open', {
      chat: id,
      ...restartPicker(
        id,
        title,
        working.map((other) => other.summary()),
      ),
    });
  }
  if (others.length > 0) {
    const names = namesOf(others.map((other) => other.summary()));
    editor.tell('user.notify', { message: `${title} is started again for ${names} too`, level: 'info' });
  }
  await session.restart(others.map((other) => other.session));
}
