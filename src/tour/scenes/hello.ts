import { shorten } from '../../base.ts';
import type { Stage } from '../stage.ts';

const greeting =
  'Hello. I am the tour, a small agent that comes with acp.nvim. I run on this machine and need no key and no network.';
const next = 'Send `tour` to be shown around, or `help` for all the words I know.';

/** Greets, and tells those who say something else what was understood of it. */
export async function greet(stage: Stage): Promise<void> {
  const { text, word, attachments } = stage.prompt;
  await stage.say(greeting);
  if (word !== 'hello') await stage.say(echo(text));
  if (attachments.length > 0) await stage.say(`With it came ${attachments.map(code).join(', ')}.`);
  await stage.say(next);
}

function echo(text: string): string {
  if (text === '') return 'Your prompt had no words in it.';
  return `I read ${code(shorten(text.replace(/\s+/g, ' '), 80))}, but I only know a few words.`;
}

function code(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}
