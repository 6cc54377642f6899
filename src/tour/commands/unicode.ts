import type { TourTurn } from '../turn.ts';

const scripts = [
  'Emoji: \u{1f642} \u{1f469}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466} \u{1f1e8}\u{1f1ed}',
  'Chinese, Japanese, Korean: 漢字 かな カナ 한국어',
  'Full width: ｗｉｄｅ',
  'Combining: e\u0301 a\u0308 n\u0303 \u0e01\u0e47',
  'Right to left: שלום مرحبا',
  'Zero width: a\u200bb',
  'A tab:\there',
];

const tricks = [
  'A bell \u0007, a backspace \u0008, a null \u0000, a delete \u007f.',
  'A colour: \u001b[31mnot red\u001b[0m. A cleared screen: \u001b[2J. A window title: \u001b]0;mine\u0007.',
  'A second kind of escape: \u009b31m.',
  'A turned direction: \u202egnp.exe\u202c.',
  'A hidden line end: here\u2028there.',
  'A carriage return: hidden\rshown.',
  'Half a character: \ud83d.',
];

/** Sends characters that are hard to draw, then control characters that must not reach the terminal. */
export async function sendUnicode(turn: TourTurn): Promise<void> {
  await turn.sendMessage(asList(scripts));
  await turn.sendExplanation('The next lines contain control characters. You see them, but they do nothing.');
  await turn.sendMessage(asList(tricks));
  const tool = await turn.startToolCall({
    kind: 'execute',
    title: 'echo \u001b[2J\u0008harmless\nsecond line',
  });
  await tool.finish();
}

function asList(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}
