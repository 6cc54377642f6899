const piece = /'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\.)*)"|\\(?<escaped>.)|(?<plain>[^'"\\]+)/gsy;

/**
 * The value of a literal word, if bash, dash, ksh, zsh and fish agree about it. It is not known which shell runs a line of
 * an agent, and where they disagree a quoted text in one of them is a command in another.
 */
export function commonValue(word: string): string | undefined {
  // zsh: `=ls` is the path of ls, `}` ends a group anywhere. Old fish: `^file` is a redirection.
  if (/^[=^#]/.test(word) || word === '}') return undefined;
  let value = '';
  piece.lastIndex = 0;
  for (let at = 0; at < word.length; at = piece.lastIndex) {
    const groups = piece.exec(word)?.groups;
    const read = groups && pieceValue(groups, piece.lastIndex === word.length);
    if (read === undefined) return undefined;
    value += read;
  }
  return value;
}

function pieceValue(
  { single, double, escaped, plain }: Record<string, string | undefined>,
  isLast: boolean,
): string | undefined {
  if (single !== undefined) return singleQuoted(single);
  if (double !== undefined) return doubleQuoted(double);
  // fish: `\x2d` is a hyphen, `\n` a line break.
  if (escaped !== undefined) return /[A-Za-z0-9\n]/.test(escaped) ? undefined : escaped;
  return unquoted(plain ?? '', isLast);
}

// fish: a backslash before the quote escapes it, so that the text goes on.
function singleQuoted(text: string): string | undefined {
  const backslashes = /\\*$/.exec(text)![0].length;
  return backslashes % 2 === 1 ? undefined : text;
}

function doubleQuoted(text: string): string | undefined {
  const bare = text.replace(/\\./gs, '');
  // A dollar sign at the end of a pattern, such as `"foo$"` or `"a$|b"`, stands for itself.
  if (/`|\$(?![\s|)/]|$)/.test(bare)) return undefined;
  return text.replace(/\\([$`"\\\n])/g, (_, character: string) => (character === '\n' ? '' : character));
}

function unquoted(text: string, isLast: boolean): string | undefined {
  if (/[\s;&|<>()`]/.test(text)) return undefined;
  return /\$(?!$)/.test(text) || (text.endsWith('$') && !isLast) ? undefined : text;
}
