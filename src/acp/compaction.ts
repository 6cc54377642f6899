import { lookUp } from '../base.ts';
import type { AgentEvent, CompactionPatch } from '../session/events.ts';
import type { CompactionStatus } from '../session/model.ts';
import { contentText } from './content.ts';
import { textOf } from './wire.ts';

type Wire = Record<string, unknown>;

const statuses: Readonly<Record<string, CompactionStatus>> = {
  in_progress: 'running',
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** Reads a `compaction_update`: what is absent stays, null takes back. */
export function compactionFrom(update: Wire): AgentEvent | undefined {
  const compactionId = textOf(update.compactionId);
  if (compactionId === undefined) return undefined;
  const word = textOf(update.status);
  const summary = summaryFrom(update.summary);
  const error = update.error === null ? '' : textOf(update.error);
  const patch: CompactionPatch = {
    compactionId,
    ...(word !== undefined && { status: lookUp(statuses, word) ?? { word } }),
    ...(summary !== undefined && { summary }),
    ...(error !== undefined && { error }),
  };
  return { kind: 'compaction', patch };
}

/** Reads a `compaction_summary_chunk`: one more piece of the summary. */
export function compactionChunkFrom(update: Wire): AgentEvent | undefined {
  const compactionId = textOf(update.compactionId);
  if (compactionId === undefined) return undefined;
  return { kind: 'compaction', patch: { compactionId, more: contentText(update.content) } };
}

function summaryFrom(summary: unknown): string | undefined {
  if (summary === null) return '';
  return Array.isArray(summary) ? summary.map(contentText).join('\n') : undefined;
}
