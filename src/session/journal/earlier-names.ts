import { isRecord, type JsonObject } from '../../base/record.ts';

/** An event as it is written now. The journals of earlier versions have other names for two fields. */
export function withNewNames(event: JsonObject): JsonObject {
  if (event.kind === 'chunk') return renamed(event, 'isWhole', 'isCompleteMessage');
  if (isRecord(event.agent)) return { ...event, agent: renamed(event.agent, 'abilities', 'capabilities') };
  return event;
}

function renamed(record: JsonObject, earlier: string, now: string): JsonObject {
  if (!(earlier in record)) return record;
  const { [earlier]: value, ...rest } = record;
  return { [now]: value, ...rest };
}
