import type { Picker } from '../../ports/dialogs.ts';
import { patchText } from '../frame.ts';
import { makeLine } from '../line.ts';
import { commandLines, joinLines } from '../sanitise.ts';
import { splitLongLines } from './split-lines.ts';

/** The texts of a picker that asks for consent to a command: on one line, and whole for a window of ours. */
export function consentText(
  title: string,
  command: string,
  separator = ': ',
): Pick<Picker, 'prompt' | 'title' | 'body' | 'mustSee'> {
  const lines = commandLines(command);
  const body = splitLongLines(lines.map((line) => makeLine([`  ${line}`, ''])));
  return {
    prompt: `${title}${separator}${joinLines(lines)}`,
    title,
    body: patchText(body),
    mustSee: body.length,
  };
}
