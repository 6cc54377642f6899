import type { CodeRange, Frame, MarkedLines, Marks, Patch, PatchText } from '../../../src/ports/frame.ts';

/** A highlight as [from, to, group], or virtual text at the right edge. */
type Mark = readonly unknown[];

interface Row {
  text: string;
  marks: readonly Mark[];
}

interface DrawnBlock {
  readonly id: number;
  rows: Row[];
  readonly code: CodeRange[];
}

/** A buffer as render.lua makes it of frames, reduced to lines, their marks and their blocks. */
export class Canvas {
  private blocks: DrawnBlock[] = [];

  draw(frame: Frame | undefined): void {
    for (const patch of frame?.patches ?? []) this.apply(patch);
    if (frame && frame.blocks !== this.blocks.length) {
      throw new Error(`the frame counts ${frame.blocks} blocks, the buffer has ${this.blocks.length}`);
    }
  }

  get lines(): readonly string[] {
    return this.blocks.flatMap(({ rows }) => rows.map(({ text }) => text));
  }

  /** The whole content, to be compared. */
  get picture(): unknown {
    return this.blocks.map(({ id, rows, code }) => ({
      id,
      rows: rows.map(({ text, marks }) => [text, marks.map((mark) => JSON.stringify(mark)).sort()]),
      code,
    }));
  }

  block(id: number): DrawnBlock {
    const block = this.blocks.find((candidate) => candidate.id === id);
    if (!block) throw new Error(`there is no block ${id}`);
    return block;
  }

  private apply(patch: Patch): void {
    switch (patch.op) {
      case 'reset':
        this.blocks = [];
        break;
      case 'new':
        this.blocks.splice(this.placeOf(patch.below), 0, {
          id: patch.id,
          rows: rowsOf(patch.lines),
          code: [],
        });
        this.mark(patch.id, patch);
        break;
      case 'set':
        this.set(patch);
        break;
      case 'add':
        this.add(patch);
        break;
      case 'code':
        if (patch.isAll) this.block(patch.id).code.length = 0;
        for (const range of patch.ranges) this.addCode(patch.id, range);
        break;
    }
  }

  // A block that is closed was begun before, or is complete at once.
  private addCode(id: number, range: CodeRange): void {
    const { code } = this.block(id);
    if (code.at(-1)?.from === range.from) code.pop();
    code.push(range);
  }

  private placeOf(below: number | undefined): number {
    return below === undefined ? this.blocks.length : this.blocks.indexOf(this.block(below)) + 1;
  }

  private set(patch: Extract<Patch, { op: 'set' }>): void {
    const { id, at, count, lines } = patch;
    const { rows } = this.block(id);
    if (at + count > rows.length) throw new Error(`block ${id} has no lines ${at} to ${at + count}`);
    rows.splice(at, count, ...rowsOf(lines));
    this.mark(id, patch);
  }

  // As nvim_buf_set_text: the first line is inserted at a byte of a line, and the rest of that line follows the last.
  private add(patch: Extract<Patch, { op: 'add' }>): void {
    const { id, at, column, text, marks, isRemarked } = patch;
    const { rows } = this.block(id);
    const row = rows[at];
    const bytes = Buffer.from(row?.text ?? '');
    if (!row || column > bytes.length) throw new Error(`block ${id} has no place ${at}:${column}`);
    const added = rowsOf(text.split('\n'));
    const rest = bytes.subarray(column).toString();
    row.text = bytes.subarray(0, column).toString() + added[0]?.text;
    rows.splice(at + 1, 0, ...added.slice(1));
    rows[at + added.length - 1]!.text += rest;
    if (isRemarked) row.marks = [];
    this.mark(id, { marks: flatMarks(marks), right: [] });
  }

  private mark(id: number, { marks, right }: Pick<PatchText, 'marks' | 'right'>): void {
    for (let index = 0; index < marks.length; index += 4) {
      const [line, from, to, hl] = marks.slice(index, index + 4);
      const row = this.row(id, Number(line));
      checkColumns([Number(from), Number(to)], row.text);
      row.marks = [...row.marks, [from, to, hl]];
    }
    for (const [line, pieces] of right) {
      const row = this.row(id, line);
      row.marks = [...row.marks, pieces];
    }
  }

  private row(id: number, line: number): Row {
    const row = this.block(id).rows[line];
    if (!row) throw new Error(`block ${id} has no line ${line} to mark`);
    return row;
  }
}

/** The flat list of marks that are given as text. */
export function flatMarks(marks: MarkedLines): Marks {
  return [...marks.matchAll(/\n(\d+):([^\n]*)/g)].flatMap(([, line, list = '']) =>
    [...list.matchAll(/(\d+),(\d+),([^;]*);/g)].flatMap(([, from, to, group = '']) => [
      Number(line),
      Number(from),
      Number(to),
      group,
    ]),
  );
}

function rowsOf(lines: readonly string[]): Row[] {
  // Neovim rejects lines that contain a newline.
  for (const line of lines)
    if (line.includes('\n')) throw new Error(`a newline in the line ${JSON.stringify(line)}`);
  return lines.map((text) => ({ text, marks: [] }));
}

// Neovim rejects marks beyond the end of the line. Marks inside a character are errors too.
function checkColumns(columns: readonly number[], text: string): void {
  const bytes = Buffer.from(text);
  for (const column of columns) {
    const isInside = ((bytes[column] ?? 0) & 0xc0) === 0x80;
    if (column > bytes.length || isInside) {
      throw new Error(`a mark at byte ${column} of ${JSON.stringify(text)}`);
    }
  }
}
