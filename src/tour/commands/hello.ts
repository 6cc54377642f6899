import { shorten } from '../../base/text.ts';
import type { TourTurn } from '../turn.ts';

const greeting =
  'Hello. I am the tour, a small agent that comes with acp.nvim. I run on this machine and need no key and no network.';
const next = 'Send `tour` for a tour, or `help` for all commands.';

/** Greets. Quotes a prompt that is not a command. */
export async function greet(turn: TourTurn): Promise<void> {
  const { text, command, attachments } = turn.prompt;
  await turn.sendMessage(greeting);
  if (command !== 'hello') await turn.sendMessage(echo(text));
  if (attachments.length > 0)
    await turn.sendMessage(`Attached: ${attachments.map(({ label }) => code(label)).join(', ')}.`);
  await turn.sendMessage(next);
}

function echo(text: string): string {
  if (text === '') return 'Your prompt was empty.';
  return `You wrote ${code(shorten(text.replace(/\s+/g, ' '), 80))}. I am no model and can't answer that.`;
}

function code(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}
