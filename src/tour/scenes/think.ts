import type { Stage } from '../stage.ts';

const thought = [
  'This is what an agent writes while it makes up its mind.',
  'Most of the time you need not read it, so it takes one line in the chat.',
  'Opened, it tells how the answer came about.',
].join('\n\n');

export async function showThought(stage: Stage): Promise<void> {
  await stage.think(thought);
  await stage.say('I have thought about it. `za` or `<CR>` on the line with `▸` opens the thought.');
}
