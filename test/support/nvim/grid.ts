/** One cell: the right half of a double-width character is an empty text. */
export interface GridCell {
  readonly text: string;
  readonly hl: number;
}

/** A cell of `grid_line`: its text, then a highlight id if it changes, then how often the cell repeats. */
export type LineCell = readonly [text: string, hl?: number, repeat?: number];

export interface Region {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

const blank: GridCell = { text: ' ', hl: 0 };

/** The cells of one grid, changed as `:help ui-linegrid` says. */
export class Grid {
  width = 0;
  height = 0;
  private rows: GridCell[][] = [];

  resize(width: number, height: number): void {
    const old = this.rows;
    this.width = width;
    this.height = height;
    this.rows = Array.from({ length: height }, (_, row) =>
      Array.from({ length: width }, (_, col) => old[row]?.[col] ?? blank),
    );
  }

  clear(): void {
    for (const row of this.rows) row.fill(blank);
  }

  write(row: number, start: number, cells: readonly LineCell[]): void {
    let col = start;
    let current = 0;
    for (const [text, hl = current, repeat = 1] of cells) {
      current = hl;
      this.rows[row]?.fill({ text, hl }, col, col + repeat);
      col += repeat;
    }
  }

  /** Moves a region up by `count` rows, or down if it is negative. Uncovered rows keep their text. */
  scroll({ top, bottom, left, right }: Region, count: number): void {
    const old = this.rows.map((row) => row.slice(left, right));
    for (let row = top; row < bottom; row++) {
      const source = row + count;
      if (source < top || source >= bottom) continue;
      this.rows[row]?.splice(left, right - left, ...(old[source] ?? []));
    }
  }

  cell(row: number, col: number): GridCell {
    return this.rows[row]?.[col] ?? blank;
  }

  line(row: number): string {
    return (this.rows[row] ?? []).map((cell) => cell.text).join('');
  }
}
