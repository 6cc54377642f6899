import { once } from '../../base/once.ts';
import { queuedRecord, textPrompt } from '../../model/prompt.ts';
import { emptySession } from '../../model/session.ts';
import type { SessionEvent } from '../../model/session-events.ts';
import { encodeMessage } from '../../nvim/encode-message.ts';
import { reduce } from '../../session/reducer/reducer.ts';
import { TranscriptView } from '../../view/transcript/transcript.ts';

const prompt = queuedRecord(textPrompt('A prompt'));
const events: readonly SessionEvent[] = [
  { kind: 'prompt_queued', ...prompt },
  { kind: 'turn_started', ...prompt },
  { kind: 'chunk', role: 'agent', text: '## An answer\n\nwith **some** `markup`\n- and a list\n' },
];

/**
 * Draws a prompt and an answer that nobody sees, so that V8 has loaded and run that code when the first answer comes.
 * Returns what Neovim would get.
 */
export const warmUp = once(() => {
  const state = emptySession('agent', 0);
  const view = new TranscriptView(state, { chat: 0, cwd: '/', home: '/' });
  for (const event of events) view.markChanged(reduce(state, event, 0));
  return encodeMessage(['chat.draw', view.frame(0)]);
});
