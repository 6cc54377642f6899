import { isRecord } from './base.ts';
import { redact } from './log.ts';

const mask = '<secret>';

/** Words in the name of a field whose text is a secret whatever it says. */
const secretWords =
  /^auth$|\b(?:api ?keys?|(?:private|access|secret|signing) ?keys?|tokens?|secrets?|passwords?|passwd|passphrase|authorization|credentials?|cookies?|bearer|jwt)\b/;
/** Fields that hold names with values, each of which may be a secret. */
const settingsWords = /^(?:env|environment|(?:http )?headers|(?:env )?var(?:iable)?s)$/;
/** How messages and things are told apart, which a replay needs. */
const idKey = /^id$|(?:Id|_id)$/;
const nameKey = /^(?:name|key|label|description)$/;
const secretFlag = /^--?[\w-]{0,80}(?:api-?key|token|secret|password|authorization|credential)[\w-]{0,80}$/i;

type Visit = (value: unknown, key: string) => unknown;

/** The same message with every secret masked. Its shape stays: a text is a text, a number a number. */
export function redactMessage(message: unknown): unknown {
  if (!isRecord(message)) return Array.isArray(message) ? message.map(redactMessage) : message;
  const isLogin = message.method === 'authenticate';
  return mapFields(message, (value, key) => {
    if (isLogin && key === 'params') return cleanLogin(value);
    return key === 'result' && isFilledForm(value) ? cleanForm(value) : clean(value, key);
  });
}

// What is filled into a form is for the agent alone.
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

// The address of a server may carry what opens it.
function cleanServer(value: unknown, key: string): unknown {
  const isAddress = key === 'url' && typeof value === 'string';
  return isAddress
    ? redact(value).replace(/([?&][^=&#?]*=)[^&#]*/g, `$1${mask}`)
    : cleanBy(value, key, cleanServer);
}

function cleanBy(value: unknown, key: string, visit: Visit): unknown {
  const words = wordsOf(key);
  if (settingsWords.test(words)) return hideSettings(value);
  if (secretWords.test(words)) return words.includes('token') ? hideTexts(value) : hide(value);
  if (typeof value === 'string') return idKey.test(key) ? value : redact(value);
  if (Array.isArray(value)) return hideAfterFlags(value).map((item) => visit(item, ''));
  return isRecord(value) ? mapFields(value, visit) : value;
}

/** `X-Api-Key`, `apiKey` and `API_KEY` are the same two words. */
function wordsOf(key: string): string {
  return key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[^a-zA-Z\d]+/g, ' ')
    .trim()
    .toLowerCase();
}

/** Names stay, values go: in `{ name, value }`, in a map, and in lines such as `NAME=value` or `Name: value`. */
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

// A number of tokens is a count.
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
