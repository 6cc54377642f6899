// Everything an agent could use to move the cursor, reorder what is read or end a line unseen: C0 and C1 controls but
// tab and newline, line separators, and the characters that override the direction of text.
const dangerous = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
const allDangerous = new RegExp(dangerous, 'g');

/** Makes agent text safe to draw: what can't be seen becomes visible, the rest stays as it is. */
export function sanitise(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  const unix = wellFormed.includes('\r') ? wellFormed.replaceAll('\r', '') : wellFormed;
  return dangerous.test(unix) ? unix.replace(allDangerous, picture) : unix;
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
