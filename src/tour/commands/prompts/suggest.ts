import type { TourTurn } from '../../turn.ts';

/** Suggests the next prompt. */
export async function suggestPrompt(turn: TourTurn, rest: string): Promise<void> {
  const text = rest || 'hello again';
  await turn.sendMessage('The empty prompt shows what I suggest as the next one. `<Tab>` takes it.');
  await turn.sendUpdate({
    sessionUpdate: 'session_info_update',
    _meta: { promptSuggestions: { suggestions: [{ text }] } },
  });
}
