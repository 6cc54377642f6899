/** Names of fields, variables, options and headers whose value is a secret. A blank stands for a separator, or none. */
const secretNames = [
  'api key',
  '(?:private|access|secret|signing) key',
  'token',
  'secret',
  'password',
  'passwd',
  'passphrase',
  'passcode',
  'credential',
  'authorization',
  'jwt',
];

/** The source of a regular expression for any of the names; `separator` is one for what may stand between two words. */
export function secretNamePattern(separator = '[-_. ]?'): string {
  return `(?:${secretNames.map((name) => name.replaceAll(' ', separator)).join('|')})`;
}
