import type { Screen } from '../../test/support/nvim/screen.ts';
import { drawCursor, drawPicture, drawRow } from './draw.ts';

/** How long something stood on the screen, in milliseconds from the start. */
interface Shown {
  readonly drawing: string;
  readonly from: number;
  to: number;
}

/** Records what a screen shows, as an animated SVG picture. Only rows that change are drawn again. */
export class Recording {
  private readonly screen: Screen;
  private readonly frames: { at: number; rows: string[] }[] = [];

  constructor(screen: Screen) {
    this.screen = screen;
  }

  /** Adds what the screen shows at a time. */
  add(at: number): void {
    const { screen } = this;
    const rows = Array.from({ length: screen.height }, (_, row) => drawRow(screen, row));
    this.frames.push({ at, rows: [...rows, drawCursor(screen)] });
  }

  /** `restMs`: how long the last frame stands before the animation begins again. */
  draw(restMs: number): string {
    const end = (this.frames.at(-1)?.at ?? 0) + restMs;
    const shown = (this.frames[0]?.rows ?? []).flatMap((_, row) => this.timesOf(row, end));
    const drawings = shown.filter(({ drawing }) => drawing !== '').map((each) => animate(each, end));
    return drawPicture(this.screen, drawings);
  }

  private timesOf(row: number, end: number): readonly Shown[] {
    const times: Shown[] = [];
    for (const { at, rows } of this.frames) {
      const last = times.at(-1);
      if (last?.drawing === rows[row]) continue;
      if (last) last.to = at;
      times.push({ drawing: rows[row]!, from: at, to: end });
    }
    return times;
  }
}

function animate({ drawing, from, to }: Shown, end: number): string {
  if (from === 0 && to === end) return drawing;
  const changes = [
    ...(from > 0 ? [{ at: 0, value: 'hidden' }] : []),
    { at: from, value: 'visible' },
    ...(to < end ? [{ at: to, value: 'hidden' }] : []),
  ];
  const values = changes.map(({ value }) => value).join(';');
  const times = changes.map(({ at }) => (at / end).toFixed(4)).join(';');
  const timing = `calcMode="discrete" dur="${end}ms" repeatCount="indefinite"`;
  return `<g visibility="hidden">${drawing}<animate attributeName="visibility" ${timing} values="${values}" keyTimes="${times}"/></g>`;
}
