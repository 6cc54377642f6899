import { replaceUnseen } from '../session/unseen.ts';

/**
 * Makes agent text safe to draw: what can't be seen becomes visible, the rest stays as it is. `before` is the character
 * that the text follows.
 */
export function sanitise(text: string, before = ''): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  const unix = wellFormed.includes('\r') ? wellFormed.replaceAll('\r', '') : wellFormed;
  return replaceUnseen(unix, picture, before);
}

/** The same for what must fit on one line, such as a title. */
export function sanitiseLine(text: string): string {
  return sanitise(text).replace(/\s+/g, ' ').trim();
}

function picture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}
