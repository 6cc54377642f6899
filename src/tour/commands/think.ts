import type { TourTurn } from '../turn.ts';

const thoughtText = [
  'This is a thought: an agent writes it while it works on an answer.',
  'You rarely need it, so it takes one line in the chat.',
  'Open it to see how the agent came to its answer.',
].join('\n\n');

export async function showThought(turn: TourTurn): Promise<void> {
  await turn.sendThought(thoughtText);
  await turn.sendMessage('The line with `▸` is a thought. `za` or `<CR>` on it opens it.');
}
