import { wait } from '../../timing.ts';
import type { TourTurn } from '../../turn.ts';

const defaultSeconds = 10;
const secondMs = 1_000;

/** Works for some seconds, so that the user can queue prompts. */
export async function showQueue(turn: TourTurn, rest: string): Promise<void> {
  const seconds = Number.parseInt(rest, 10) || defaultSeconds;
  await turn.sendExplanation(
    `I work for ${seconds} seconds. What you send meanwhile waits below this text. \`:AcpQueue\` opens it: move, change or remove its lines and write with \`:w\`; \`<CR>\` there sends a prompt at once. \`<C-c>\` stops me and pauses the queue.`,
  );
  const tool = await turn.startToolCall({ kind: 'other', title: `count to ${seconds}` });
  await tool.begin();
  for (let second = 0; second < seconds; second += 1) await wait(secondMs, turn.signal);
  await tool.finish();
  await turn.sendMessage('Done. The next prompt of the queue follows.');
}
