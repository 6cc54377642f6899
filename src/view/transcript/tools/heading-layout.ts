import type { Piece } from '../../../ports/frame.ts';
import { displayWidth, fitEnd, fitStart, piecesWidth } from '../../text/display-width.ts';

/** Cells of the column with the kind of a call. */
export const verbWidth = 7;
const preferredTitle = 12;
const leastTitle = 6;

interface HeadingParts {
  readonly title: string;
  /** The changed file, if the title does not name it. */
  readonly path: readonly [] | readonly [Piece];
  /** At the right edge. The last one tells whether the call is open. */
  readonly figures: readonly Piece[];
}

/** Cuts the parts of a heading so that it takes one row of a window. */
export function layOutHeading(parts: HeadingParts, width = Number.POSITIVE_INFINITY): HeadingParts {
  const { title, path, figures } = parts;
  const room = width - verbWidth - 4;
  const wanted = Math.min(displayWidth(title), preferredTitle);
  const kept = fitFigures(figures, room - wanted - piecesWidth(path), room - leastTitle);
  const free = room - piecesWidth(kept);
  if (path.length === 0) return { title: fitText(title, Math.max(leastTitle, free)), path, figures: kept };
  // The file that is changed says more than the title.
  const hasTitle = title !== '' && free >= leastTitle + preferredTitle;
  const [[text, hl]] = path;
  const shown = hasTitle
    ? `  ${fitStart(text, free - wanted - 2)}`
    : fitStart(text, Math.max(leastTitle, free));
  return {
    title: hasTitle ? fitText(title, free - displayWidth(shown)) : '',
    path: [[shown, hl]],
    figures: kept,
  };
}

// The end of a path says more than its beginning. The beginning of an address names its host.
function fitText(text: string, cells: number): string {
  const isPath = text.includes('/') && !/\s|^\w+:\/\//.test(text);
  return (isPath ? fitStart : fitEnd)(text, cells);
}

// Muted figures go first. Coloured ones may leave the title less room than it wants, but not less than it needs.
function fitFigures(figures: readonly Piece[], wanted: number, most: number): readonly Piece[] {
  const kept = [...figures];
  while (kept.length > 1 && piecesWidth(kept) > wanted) {
    const at = kept.slice(0, -1).findIndex(([, hl]) => hl === 'AcpMuted');
    if (at === -1) break;
    kept.splice(at, 1);
  }
  while (kept.length > 0 && piecesWidth(kept) > most) kept.shift();
  return kept;
}
