// Characters that move the cursor, end a line, reorder text or have no width: control characters except tab and newline,
// line separators, direction marks, zero-width and filler characters, tags, and signs that choose between forms of a
// character that has only one.
const alwaysInvisible =
  '\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180e\\u200b\\u200e\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb';
const formSigns = '\\ufe00-\\ufe0f';
// Fast check: also joiners, and the first surrogate of characters beyond 16 bits. Most text has none of them.
const suspicious = new RegExp(
  `[${alwaysInvisible}${formSigns}\\u180b-\\u180d\\u180f\\u200c\\u200d\\ud834\\udb40]`,
);

// In these scripts a joiner between letters is part of the spelling.
const joiningScripts =
  'Arab Syrc Mong Nkoo Adlm Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt Java Bali'
    .split(' ')
    .map((script) => `\\p{Script_Extensions=${script}}`)
    .join('');
const emoji = '\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f';
// The flags of England, Scotland and Wales are encoded with tags.
const flags = ['gbeng', 'gbsct', 'gbwls'].map((name) =>
  [...name, '\u007f'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join(''),
);

const invisible = new RegExp(
  [
    `[${alwaysInvisible}]`,
    `(?<=\\u{1f3f4})(${flags.join('|')})`,
    `(?<![${joiningScripts}])\\u200c`,
    `(?<![${joiningScripts}${emoji}])\\u200d`,
    '(?<!\\p{Script=Han})[\\u{e0100}-\\u{e01ef}]',
    // `+ < = > | ~` are mathematical signs (Sm) too, but have one form only.
    `(?:(?<![\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\p{Sm}\\p{So}\\p{Script=Han}\\p{Script=Mymr}\\p{Script=Phag}])|(?<=[\\x00-\\x7f]))(?<![0-9#*](?=\\ufe0f\\u20e3))[${formSigns}]`,
    '(?<!\\p{Script=Mong})[\\u180b-\\u180d\\u180f]',
    '[\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e007f}]',
  ].join('|'),
  'gu',
);

/** Replaces every invisible character. `before` is the character in front of the text; a joiner may depend on it. */
export function replaceInvisible(
  text: string,
  replacement: (character: string) => string,
  before = '',
): string {
  if (!suspicious.test(text)) return text;
  const replace = (found: string, flag: string | undefined) => flag ?? replacement(found);
  return `${before}${text}`.replace(invisible, replace).slice(before.length);
}

/** A character that shows which invisible one stood there. */
export function visibleSubstitute(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}
