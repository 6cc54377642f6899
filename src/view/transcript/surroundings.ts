import type { Frame, Piece } from '../../ports/frame.ts';
import type { NamedKeys } from '../../ports/options.ts';
import { activityLine, makeWinbar, queueLines } from '../status.ts';
import { plainPieces } from '../text/plain-lines.ts';
import { introLines } from './intro.ts';
import type { ViewContext } from './view-context.ts';

/** How what stands around the entries looks. */
export interface SurroundingsLook {
  /** For screen readers: no virtual text, nothing that changes by itself, words instead of signs. */
  readonly isPlain: boolean;
  /** The keys that the activity line names. */
  readonly keys: NamedKeys;
}

type Part = 'winbar' | 'activity' | 'intro' | 'queue';

/** An empty transcript has neither an intro nor a queue. */
const initial: readonly (readonly [Part, string])[] = [
  ['intro', '[]'],
  ['queue', '[]'],
];

/** What stands around the entries of a transcript: winbar, activity line, intro and queue. Remembers what was sent. */
export class Surroundings {
  private readonly context: ViewContext;
  private sent = new Map(initial);

  constructor(context: ViewContext) {
    this.context = context;
  }

  /** The buffer has lost its content. */
  reset(): void {
    this.sent = new Map(initial);
  }

  /** The parts that are not as they were sent last; undefined if all are. */
  changes({ isPlain, keys }: SurroundingsLook): Pick<Frame, Part> | undefined {
    const { state, now, width } = this.context;
    const bar = makeWinbar(state, now);
    const winbar = this.ifChanged('winbar', isPlain ? { ...bar, right: plainPieces(bar.right) } : bar);
    const activity = this.ifChanged('activity', isPlain ? [] : this.activityLine(keys));
    const intro = this.ifChanged('intro', isPlain ? [] : introLines(state, this.context));
    const queue = this.ifChanged('queue', isPlain ? [] : queueLines(state, width));
    const hasChanges = winbar || activity || intro || queue;
    return hasChanges ? { winbar, activity, intro, queue } : undefined;
  }

  private activityLine(keys: NamedKeys): readonly Piece[] {
    const { state, now, width, diffs } = this.context;
    const canCompare = state.questions.some(({ tool }) => tool && diffs.of(tool).length > 0);
    return activityLine(state, now, keys, { width, canCompare });
  }

  private ifChanged<T>(part: Part, value: T): T | undefined {
    const text = JSON.stringify(value);
    if (this.sent.get(part) === text) return undefined;
    this.sent.set(part, text);
    return value;
  }
}
