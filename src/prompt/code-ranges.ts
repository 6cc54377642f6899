interface Range {
  readonly start: number;
  readonly end: number;
}

const fence = /^ {0,3}(`{3,}|~{3,})/;

/** Fenced code blocks and code spans of a markdown text, in order. An open fence reaches to the end of the text. */
export function codeRanges(text: string): readonly Range[] {
  if (!text.includes('`') && !text.includes('~~~')) return [];
  const ranges: Range[] = [];
  let open: { readonly start: number; readonly fence: string } | undefined;
  let start = 0;
  for (const line of text.split('\n')) {
    const end = start + line.length;
    const mark = fence.exec(line)?.[1];
    if (open) {
      if (mark && closes(mark, open.fence, line)) {
        ranges.push({ start: open.start, end });
        open = undefined;
      }
    } else if (mark) open = { start, fence: mark };
    else ranges.push(...codeSpans(line, start));
    start = end + 1;
  }
  if (open) ranges.push({ start: open.start, end: text.length });
  return ranges;
}

function closes(mark: string, fence: string, line: string): boolean {
  return mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark;
}

/** A run of backticks is closed by the next run of the same length in its line. */
function codeSpans(line: string, offset: number): readonly Range[] {
  const runs = [...line.matchAll(/`+/g)].map(({ 0: run, index }) => ({ index, length: run.length }));
  const nextOfLength = new Map<number, number>();
  const closer = runs.map(() => -1);
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const { length } = runs[at]!;
    closer[at] = nextOfLength.get(length) ?? -1;
    nextOfLength.set(length, at);
  }
  const spans: Range[] = [];
  for (let at = 0; at < runs.length; at += 1) {
    const end = closer[at]!;
    if (end === -1) continue;
    spans.push({ start: offset + runs[at]!.index, end: offset + runs[end]!.index + runs[end]!.length });
    at = end;
  }
  return spans;
}
