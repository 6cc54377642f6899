import { type JsonObject, lookUp } from '../../base/record.ts';
import type { CompactionStatus } from '../../model/entries.ts';
import type { AgentEvent, CompactionPatch } from '../../model/session-events.ts';
import { contentText } from './content.ts';
import { asString } from './fields.ts';

const statuses: Readonly<Record<string, CompactionStatus>> = {
  in_progress: 'running',
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** Decodes a `compaction_update`. Absent fields do not change, null clears them. */
export function decodeCompaction(update: JsonObject): AgentEvent | undefined {
  const compactionId = asString(update.compactionId);
  if (compactionId === undefined) return undefined;
  const word = asString(update.status);
  const summary = decodeSummary(update.summary);
  const error = update.error === null ? '' : asString(update.error);
  const patch: CompactionPatch = {
    compactionId,
    ...(word !== undefined && { status: lookUp(statuses, word) ?? { word } }),
    ...(summary !== undefined && { summary }),
    ...(error !== undefined && { error }),
  };
  return { kind: 'compaction', patch };
}

/** Decodes a `compaction_summary_chunk`, which extends the summary. */
export function decodeCompactionChunk(update: JsonObject): AgentEvent | undefined {
  const compactionId = asString(update.compactionId);
  if (compactionId === undefined) return undefined;
  return { kind: 'compaction', patch: { compactionId, more: contentText(update.content) } };
}

function decodeSummary(summary: unknown): string | undefined {
  if (summary === null) return '';
  return Array.isArray(summary) ? summary.map(contentText).join('\n') : undefined;
}
