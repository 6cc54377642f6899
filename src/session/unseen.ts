// What moves the cursor, ends a line, reorders what is read, or takes no room at all: controls but tab and newline, line
// separators, marks of direction, zero-width and filling characters, and tags.
const alwaysUnseen =
  '\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b\\u200e\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb';
// Joiners too, and the first halves of those beyond 16 bits: most text has none of these and needs no closer look.
const suspicious = new RegExp(`[${alwaysUnseen}\\u200c\\u200d\\ud834\\udb40]`);

// In these scripts a joiner between letters changes what is read.
const joiningScripts =
  'Arab Syrc Mong Nkoo Adlm Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt Java Bali'
    .split(' ')
    .map((script) => `\\p{Script_Extensions=${script}}`)
    .join('');
const emoji = '\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f';
// The flags of England, Scotland and Wales are spelt with tags.
const flags = ['gbeng', 'gbsct', 'gbwls'].map((name) =>
  [...name, '\u007f'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join(''),
);

const unseen = new RegExp(
  [
    `[${alwaysUnseen}]`,
    `(?<=\\u{1f3f4})(${flags.join('|')})`,
    `(?<![${joiningScripts}])\\u200c`,
    `(?<![${joiningScripts}${emoji}])\\u200d`,
    '(?<!\\p{Script=Han})[\\u{e0100}-\\u{e01ef}]',
    '[\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e007f}]',
  ].join('|'),
  'gu',
);

/**
 * Replaces every character that a reader would not see as what it is. `before` is the character that the text follows:
 * joiners are judged by it.
 */
export function replaceUnseen(text: string, replacement: (character: string) => string, before = ''): string {
  if (!suspicious.test(text)) return text;
  const replace = (found: string, flag: string | undefined) => flag ?? replacement(found);
  return `${before}${text}`.replace(unseen, replace).slice(before.length);
}
