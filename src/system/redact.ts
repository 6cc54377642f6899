import { isRecord } from '../base/record.ts';
import { secretNamePattern, secretOptionPattern, secretPrefixPattern } from '../base/secret-names.ts';

const mask = '<secret>';

// `max_tokens: 4096` is a count.
const name = `${secretNamePattern()}(?<!token(?=s\\b))[\\w-]{0,40}`;
const textPatterns: readonly [RegExp, string][] = [
  // Tokens and keys with a well-known prefix.
  [new RegExp(`\\b${secretPrefixPattern}[-\\w]{10,}`, 'g'), mask],
  // name: "value", also inside of a JSON string, where quotes are escaped.
  [new RegExp(`(${name}\\\\{0,8}["']?\\s*[:=]\\s*)(\\\\{0,8}["'])(?:(?!\\2).){1,4000}`, 'gi'), `$1$2${mask}`],
  // Authorization: Scheme credentials
  [/(authorization\s*[:=]\s*)[^\s"',}]+(?: [^\s"',}]+)?/gi, `$1${mask}`],
  // NAME=value
  [new RegExp(`(${name}\\s*[:=]\\s*)[^\\s"',}]+`, 'gi'), `$1${mask}`],
  // --name value
  [new RegExp(`(\\s--?[\\w-]{0,40}${name}\\s+)[^\\s-]\\S*`, 'gi'), `$1${mask}`],
  [/(bearer\s+)[\w.~+/=-]+/gi, `$1${mask}`],
  [/(\bcookie["']?\s*[:=]\s*["']?)[^"'\r\n]+/gi, `$1${mask}`],
  // User and password in a URL, then secrets in its query.
  [/(\b[a-z][a-z\d+.-]{0,20}:\/\/)[^\s/?#"']{1,500}@/gi, `$1${mask}@`],
  [/([?&](?:key|auth|sig|signature|code)=)[^\s&#"']+/gi, `$1${mask}`],
];

/** Masks everything in a text that looks like a secret. */
export function redactText(text: string): string {
  return textPatterns.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text);
}

/** A command as one line with every secret masked. */
export function redactCommand(words: readonly string[]): string {
  return redactText(hideAfterFlags(words).join(' '));
}

/** Matches the words of a field's name if its value is a secret. */
const secretField = new RegExp(`^auth$|\\b(?:${secretNamePattern(' ?')}|cookie|bearer)s?\\b`);
/** Matches fields with a list of names and values, each of which may be a secret. */
const settingsField = /^(?:envs?|environment|(?:env(?:ironment)? )?var(?:iable)?s)$|\bheaders$/;
/** Ids are kept: a replay needs them. */
const idKey = /^id$|(?:Id|_id)$/;
const nameKey = /^(?:name|key|label|description)$/;
const secretFlag = new RegExp(
  `^--?(?:[\\w-]{0,80}${secretNamePattern()}[\\w-]{0,80}|(?:[\\w-]{0,80}[-_])?${secretOptionPattern})$`,
  'i',
);

type Visit = (value: unknown, key: string) => unknown;

/** A copy of a message with every secret masked. Strings stay strings and numbers stay numbers. */
export function redactMessage(message: unknown): unknown {
  if (!isRecord(message)) return Array.isArray(message) ? message.map(redactMessage) : message;
  const isLogin = message.method === 'authenticate';
  return mapFields(message, (value, key) => {
    if (isLogin && key === 'params') return cleanLogin(value);
    return key === 'result' && isFilledForm(value) ? cleanForm(value) : clean(value, key);
  });
}

// Form input is for the agent only.
function isFilledForm(result: unknown): result is Record<string, unknown> {
  return isRecord(result) && result.action === 'accept' && result.content !== undefined;
}

function cleanForm(result: Record<string, unknown>): unknown {
  return mapFields(result, (value, key) => (key === 'content' ? hide(value) : clean(value, key)));
}

function cleanLogin(params: unknown): unknown {
  if (!isRecord(params)) return hide(params);
  return mapFields(params, (value, key) => (key === 'methodId' ? value : hide(value)));
}

function clean(value: unknown, key: string): unknown {
  return key === 'mcpServers' ? cleanBy(value, '', cleanServer) : cleanBy(value, key, clean);
}

// The URL of an MCP server may contain a key in its query.
function cleanServer(value: unknown, key: string): unknown {
  const isAddress = key === 'url' && typeof value === 'string';
  return isAddress
    ? redactText(value).replace(/([?&][^=&#?]*=)[^&#]*/g, `$1${mask}`)
    : cleanBy(value, key, cleanServer);
}

function cleanBy(value: unknown, key: string, visit: Visit): unknown {
  const words = splitWords(key);
  if (settingsField.test(words)) return hideSettings(value);
  if (secretField.test(words)) return words.includes('token') ? hideTexts(value) : hide(value);
  if (typeof value === 'string') return idKey.test(key) ? value : redactText(value);
  if (Array.isArray(value)) return hideAfterFlags(value).map((item) => visit(item, ''));
  return isRecord(value) ? mapFields(value, visit) : value;
}

/** `X-Api-Key`, `apiKey` and `API_KEY` are the same two words. */
function splitWords(key: string): string {
  return key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[^a-zA-Z\d]+/g, ' ')
    .trim()
    .toLowerCase();
}

/** Keeps names and masks values in `{ name, value }`, in a map, and in lines such as `NAME=value` or `Name: value`. */
function hideSettings(value: unknown): unknown {
  if (typeof value === 'string') return hideValue(value);
  if (!Array.isArray(value)) return hide(value);
  const hideField: Visit = (field, key) => (nameKey.test(key) ? field : hide(field));
  return value.map((item) => (isRecord(item) ? mapFields(item, hideField) : hideSettings(item)));
}

function hideValue(line: string): string {
  const end = line.search(/[=:]/);
  return end < 0 ? mask : `${line.slice(0, end + 1)}${mask}`;
}

function hide(value: unknown): unknown {
  return typeof value === 'number' ? 0 : hideBy(value, hide);
}

// Numbers in fields named `token` are counts, not secrets.
function hideTexts(value: unknown): unknown {
  return hideBy(value, hideTexts);
}

function hideBy(value: unknown, visit: (value: unknown) => unknown): unknown {
  if (typeof value === 'string') return mask;
  if (Array.isArray(value)) return value.map(visit);
  return isRecord(value) ? mapFields(value, visit) : value;
}

function hideAfterFlags(words: readonly unknown[]): readonly unknown[] {
  const isText = (word: unknown): word is string => typeof word === 'string';
  const isMeant = (word: string, before: unknown) =>
    isText(before) && secretFlag.test(before) && !word.startsWith('-');
  return words.map((word, index) => (isText(word) && isMeant(word, words[index - 1]) ? mask : word));
}

function mapFields(fields: Readonly<Record<string, unknown>>, visit: Visit): unknown {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, visit(value, key)]));
}
