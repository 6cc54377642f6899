import { shorten } from '../../base/text.ts';
import type { Picker } from '../../ports/dialogs.ts';
import { sanitiseLine } from '../sanitise.ts';
import { sessionTitle, timeAgo } from './sessions.ts';

/** A line of an earlier or open conversation that was searched for. */
interface FoundLine {
  readonly agent: string;
  readonly sessionId: string;
  readonly title: string | undefined;
  readonly firstPrompt?: string | undefined;
  readonly at: number;
  readonly line: string;
}

const maxLine = 70;
/** So much of the line is shown before the text that was searched for. */
const leadLength = 20;

export function searchPicker(query: string, found: readonly FoundLine[], now: number): Picker {
  return {
    prompt: `Conversations with "${sanitiseLine(query)}"`,
    kind: 'acp.search',
    items: found.map((match, index) => ({
      label: [
        excerpt(match.line, query),
        sessionTitle({ ...match, open: undefined }),
        sanitiseLine(match.agent),
        timeAgo(match.at, now),
      ].join(' · '),
      op: 'search.open',
      payload: { index },
    })),
  };
}

function excerpt(line: string, query: string): string {
  const at = line.toLowerCase().indexOf(query.toLowerCase());
  const start = at <= leadLength ? 0 : at - leadLength;
  const part = sanitiseLine(line.slice(start, start + 10 * maxLine)).trim();
  return shorten(start === 0 ? part : `…${part}`, maxLine);
}
