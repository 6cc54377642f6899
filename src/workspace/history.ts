/** What a line costs besides its characters. */
const overhead = 8;
const maxCost = 2 * 1024 * 1024;

/**
 * The lines that have left the screen of a terminal, the last of them as far as there is room. A part ends with a
 * newline unless the line goes on in the next.
 */
export class History {
  /** Something is missing at the front. */
  isCut = false;
  private parts: string[] = [];
  private first = 0;
  private cost = 0;

  push(part: string): void {
    this.parts.push(part);
    this.cost += part.length + overhead;
    while (this.cost > maxCost) this.drop();
    if (this.first > 1024 && this.first > this.parts.length / 2) {
      this.parts = this.parts.slice(this.first);
      this.first = 0;
    }
  }

  /** The parts at the end that together have so many characters, or all; not more than so many. */
  last(characters: number, most = Number.POSITIVE_INFINITY): readonly string[] {
    const lowest = Math.max(this.first, this.parts.length - most);
    let at = this.parts.length;
    for (let found = 0; at > lowest && found < characters; at -= 1) found += this.parts[at - 1]!.length;
    return this.parts.slice(at);
  }

  private drop(): void {
    this.cost -= this.parts[this.first]!.length + overhead;
    this.parts[this.first] = '';
    this.first += 1;
    this.isCut = true;
  }
}
