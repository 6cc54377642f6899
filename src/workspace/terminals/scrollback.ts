/** Cost of a line in addition to its characters. */
const lineOverhead = 8;
const maxCost = 2 * 1024 * 1024;

/**
 * The last lines that scrolled off the screen of a terminal, up to `maxCost`. A part ends with a newline unless its line
 * continues in the next part.
 */
export class Scrollback {
  /** Older lines were dropped. */
  isCut = false;
  private parts: string[] = [];
  private first = 0;
  private cost = 0;

  push(part: string): void {
    this.parts.push(part);
    this.cost += part.length + lineOverhead;
    while (this.cost > maxCost) this.drop();
    if (this.first > 1024 && this.first > this.parts.length / 2) {
      this.parts = this.parts.slice(this.first);
      this.first = 0;
    }
  }

  /** The last parts that together have at least this many characters, or all, but at most `most` parts. */
  last(characters: number, most = Number.POSITIVE_INFINITY): readonly string[] {
    const lowest = Math.max(this.first, this.parts.length - most);
    let at = this.parts.length;
    for (let found = 0; at > lowest && found < characters; at -= 1) found += this.parts[at - 1]!.length;
    return this.parts.slice(at);
  }

  private drop(): void {
    this.cost -= this.parts[this.first]!.length + lineOverhead;
    this.parts[this.first] = '';
    this.first += 1;
    this.isCut = true;
  }
}
