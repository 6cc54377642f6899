/** The lines of a text, each with its end, so that putting some of them back puts back exactly what was there. */
export function linesOf(text: string): readonly string[] {
  const lines: string[] = [];
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    lines.push(text.slice(start, end + 1));
    start = end + 1;
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}

/** A line as it is shown. */
export function withoutEnd(line: string): string {
  return line.replace(/\r?\n$/, '');
}
