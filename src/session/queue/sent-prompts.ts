import { messageOf } from '../../base/errors.ts';
import type { Log } from '../../ports/log.ts';
import { parseRecord, readJournalLines } from '../journal/reader.ts';

const kinds = ['"turn_started"', '"prompt_sent"', '"prompt_injected"', '"queue_changed"'];

/** The ids of the prompts that the agent got, or was about to get, and that do not wait again. */
export function sentPrompts(journal: string, log: Log): ReadonlySet<string> {
  const sent = new Set<string>();
  let unsent: string | undefined;
  try {
    for (const { bytes } of readJournalLines(journal)) {
      if (!kinds.some((kind) => bytes.includes(kind))) continue;
      const record = parseRecord(bytes);
      if (!record) continue;
      const { event } = record;
      if (event.kind === 'queue_changed') for (const { id = '' } of event.prompts) sent.delete(id);
      else if (event.kind === 'turn_started' && event.isUnsent) unsent = event.id;
      else if (event.kind === 'prompt_sent' && unsent !== undefined) sent.add(unsent);
      else if (event.kind === 'turn_started' || event.kind === 'prompt_injected') sent.add(event.id ?? '');
    }
  } catch (error) {
    log.warn(`could not read which prompts were sent (${journal}): ${messageOf(error)}`);
  }
  return sent;
}
