import known from '../../lua/acp/secret_names.json' with { type: 'json' };

/**
 * The source of a regular expression for names of fields, variables, options and headers whose value is a secret;
 * `separator` is one for what may stand between two words.
 */
export function secretNamePattern(separator = '[-_. ]?'): string {
  return `(?:${known.names.map((name) => name.replaceAll(' ', separator)).join('|')})`;
}

/** The source of a regular expression for what the keys of well-known services begin with. */
export const secretPrefixPattern = `(?:${known.prefixes.join('|')})`;

/** The source of a regular expression for further names of options whose value is a secret. */
export const secretOptionPattern = `(?:${known.optionNames.join('|')})`;
