import type { PlanEntry } from '../../model/entries.ts';
import type { SessionState } from '../../model/session.ts';
import type { Frame } from '../../ports/frame.ts';
import { SingleBlock } from '../block.ts';
import { blank, type Line, makeLine } from '../line.ts';
import { plainLine, withoutMarkdown } from '../text/plain-lines.ts';
import { planLines } from './entries.ts';

const nothing: readonly Line[] = [makeLine(['There is no plan yet.', 'AcpMuted'])];

/** The plan in its own buffer: the one of the last turn that had a plan. */
export class PlanView {
  private readonly state: SessionState;
  private readonly chat: number;
  /** Whether it has words instead of signs. */
  private readonly isPlain: () => boolean;
  private readonly block = new SingleBlock(() => this.render());

  constructor(state: SessionState, chat: number, isPlain: () => boolean = () => false) {
    this.state = state;
    this.chat = chat;
    this.isPlain = isPlain;
  }

  readonly isDirty = false;

  reset(): void {
    this.block.reset();
  }

  frame(): Frame | undefined {
    const patches = this.block.draw();
    return patches.length === 0 ? undefined : { chat: this.chat, part: 'plan', patches, blocks: 1 };
  }

  private render(): readonly Line[] {
    const lines = planViewLines(this.state);
    return this.isPlain() ? lines.map((line) => plainLine(withoutMarkdown(line))) : lines;
  }
}

/** All plans of the last turn that had any. */
export function planViewLines({ entries }: SessionState): readonly Line[] {
  const last = entries.findLastIndex(({ kind }) => kind === 'plan');
  if (last === -1) return nothing;
  const start = entries.findLastIndex(
    (entry, index) => index < last && entry.kind === 'message' && entry.role === 'user',
  );
  const plans = entries
    .slice(start + 1, last + 1)
    .filter((entry): entry is PlanEntry => entry.kind === 'plan');
  // A plan that the agent removed has no lines.
  const drawn = plans.map(planLines).filter((lines) => lines.length > 0);
  if (drawn.length === 0) return nothing;
  return drawn.flatMap((lines, index) => [...(index > 0 ? [blank] : []), ...lines]);
}
