import { shorten } from '../base/text.ts';
import type { Entry } from '../model/entries.ts';
import { sanitise } from './sanitise.ts';

/** An entry that an outline shows. */
export interface TranscriptSymbol {
  readonly block: number;
  readonly kind: 'turn' | 'tool';
  readonly name: string;
  /** How many levels it is below the top. */
  readonly depth: 0 | 1;
}

const maxSymbols = 5_000;
const maxName = 120;

/**
 * The prompts and the tool calls below them; of a very long chat the last ones. `shownAt` tells at whose lines an entry
 * is found.
 */
export function transcriptSymbols(
  entries: readonly Entry[],
  shownAt: (entry: Entry) => number = ({ id }) => id,
): readonly TranscriptSymbol[] {
  const symbols: TranscriptSymbol[] = [];
  let hasTurn = false;
  for (const entry of entries) {
    if (entry.kind === 'message' && entry.role === 'user') {
      hasTurn = true;
      symbols.push({ block: entry.id, kind: 'turn', name: nameOf(entry.text.toString()), depth: 0 });
    } else if (entry.kind === 'tool' && !entry.isAskedOnly)
      symbols.push({
        block: shownAt(entry),
        kind: 'tool',
        name: nameOf(entry.title),
        depth: hasTurn ? 1 : 0,
      });
  }
  return symbols.slice(-maxSymbols);
}

function nameOf(text: string): string {
  const line = sanitise(text.slice(0, 1_000)).trim().split('\n')[0] ?? '';
  return shorten(line, maxName) || '…';
}
