import { asRecord, asString, mapList } from '../decode/fields.ts';

/** The texts for the next prompt that Claude sends with `session_info_update`; undefined if it sends none. */
export function decodeSuggestions(update: unknown): readonly string[] | undefined {
  const { sessionUpdate, _meta } = asRecord(update);
  const { suggestions } = asRecord(asRecord(_meta).promptSuggestions);
  if (sessionUpdate !== 'session_info_update' || !Array.isArray(suggestions)) return undefined;
  return mapList(suggestions, (each) => asString(asRecord(each).text) || undefined);
}

/** The text for the next prompt that Qwen Code sends as a notification. */
export function decodeQwenSuggestion(params: unknown): readonly string[] {
  const text = asString(asRecord(params).suggestion) ?? '';
  return text === '' ? [] : [text];
}
