import type { TourTurn } from '../../turn.ts';

/** Waits until the user sends something into the turn. */
export async function showSteering(turn: TourTurn): Promise<void> {
  await turn.sendExplanation(
    'I work until you send something into this turn: write it below, then `:AcpSteer`. A prompt that begins with `refuse` is not taken; it waits in the queue.',
  );
  const tool = await turn.startToolCall({ kind: 'other', title: 'wait for your prompt' });
  await tool.begin();
  const text = await turn.nextInjected();
  await tool.finish();
  await turn.sendMessage(`You sent this while I worked: ${text}`);
}
