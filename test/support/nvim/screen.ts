import type { Disposable } from '../../../src/base/disposable.ts';
import { Grid, type LineCell } from './grid.ts';
import { Highlights, type RgbAttributes, type Style } from './highlights.ts';

export interface Cell extends Style {
  /** Empty for the right half of a double-width character. */
  readonly text: string;
}

export type CursorShape = 'block' | 'horizontal' | 'vertical';

export interface Cursor {
  readonly row: number;
  readonly col: number;
  readonly shape: CursorShape;
  readonly isVisible: boolean;
}

/** One event of a `redraw` notification: its name and the arguments of each of its calls. */
export type RedrawEvent = readonly [name: string, ...calls: readonly (readonly unknown[])[]];

type Apply = (...args: never[]) => void;

/** The screen of a UI with `ext_linegrid`. */
export class Screen {
  /** The mode as `mode_change` names it: `normal`, `insert`, `cmdline_normal` … */
  mode = 'normal';
  /** The number of `flush` events. */
  flushes = 0;
  /** False while Neovim is in the middle of a redraw. */
  isUpToDate = false;

  private readonly grid = new Grid();
  private readonly highlights = new Highlights();
  private readonly listeners = new Set<() => void>();
  private position = { row: 0, col: 0 };
  private shapes: readonly CursorShape[] = [];
  private modeIndex = 0;
  private isBusy = false;

  private readonly events: Readonly<Record<string, Apply>> = {
    grid_resize: (_grid: number, width: number, height: number) => this.grid.resize(width, height),
    grid_clear: () => this.grid.clear(),
    grid_line: (_grid: number, row: number, col: number, cells: LineCell[]) =>
      this.grid.write(row, col, cells),
    grid_scroll: (
      _grid: number,
      ...[top, bottom, left, right, rows]: [number, number, number, number, number]
    ) => this.grid.scroll({ top, bottom, left, right }, rows),
    grid_cursor_goto: (_grid: number, row: number, col: number) => {
      this.position = { row, col };
    },
    default_colors_set: (fg: number, bg: number) => this.highlights.setDefaults(fg, bg),
    hl_attr_define: (id: number, rgb: RgbAttributes) => this.highlights.define(id, rgb),
    mode_info_set: (_enabled: boolean, modes: { cursor_shape?: CursorShape }[]) => {
      this.shapes = modes.map((mode) => mode.cursor_shape ?? 'block');
    },
    mode_change: (mode: string, index: number) => {
      this.mode = mode;
      this.modeIndex = index;
    },
    busy_start: () => {
      this.isBusy = true;
    },
    busy_stop: () => {
      this.isBusy = false;
    },
    flush: () => this.flush(),
  };

  /** Applies the arguments of one `redraw` notification. */
  redraw(batch: readonly RedrawEvent[]): void {
    this.isUpToDate = false;
    for (const [name, ...calls] of batch) {
      const apply = this.events[name];
      if (apply) for (const args of calls) apply(...(args as never[]));
    }
  }

  get width(): number {
    return this.grid.width;
  }

  get height(): number {
    return this.grid.height;
  }

  get cursor(): Cursor {
    const shape = this.shapes[this.modeIndex] ?? 'block';
    return { ...this.position, shape, isVisible: !this.isBusy };
  }

  /** The lines without trailing blanks. */
  lines(): string[] {
    return Array.from({ length: this.height }, (_, row) => this.grid.line(row).trimEnd());
  }

  text(): string {
    return this.lines().join('\n');
  }

  cell(row: number, col: number): Cell {
    const { text, hl } = this.grid.cell(row, col);
    return { text, ...this.highlights.style(hl) };
  }

  /** The look of an untouched cell. */
  get background(): Style {
    return this.highlights.style(0);
  }

  onFlush(listener: () => void): Disposable {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  private flush(): void {
    this.flushes++;
    this.isUpToDate = true;
    for (const listener of this.listeners) listener();
  }
}
