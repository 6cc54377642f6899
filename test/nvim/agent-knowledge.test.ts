import fs from 'node:fs';
import { expect } from 'vitest';
import type { ToolEntry } from '../../src/model/entries.ts';
import type { SessionState } from '../../src/model/session.ts';
import type { SessionEvent } from '../../src/model/session-events.ts';
import { linesIn } from '../../src/workspace/files/file-content.ts';
import { shortOrLong } from '../support/long.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { fc } from '../support/property.ts';
import { trackFiles } from '../support/workspace/tracked-files.ts';

const rowCount = 5;
type Rows = readonly string[];
const first: Rows = Array.from({ length: rowCount }, (_, row) => `row ${row}: first`);

// Changes of two rows never touch each other.
const textOf = (rows: Rows) => rows.map((row, index) => `${row}\n--- ${index}\n`).join('');
const rowsIn = (text: string): Rows => text.split('\n').filter((line) => line.startsWith('row '));

/** How the agent reads and writes, and what its calls report. */
type Way = 'client' | 'itself' | 'disk first' | 'client first';
type Report = 'nothing' | 'whole' | 'part';
type Read = 'client' | 'itself' | 'itself, with numbers' | 'not';

type Step =
  | ({ readonly kind: 'agent writes'; readonly row: number; readonly isAgain: boolean } & {
      readonly read: Read;
      readonly way: Way;
      readonly report: Report;
    })
  | { readonly kind: 'user types'; readonly row: number }
  | { readonly kind: 'user checks out'; readonly row: number }
  | {
      readonly kind:
        | 'user saves'
        | 'user undoes'
        | 'user redoes'
        | 'user rejects'
        | 'user takes the reject back';
    }
  | { readonly kind: 'user restores' | 'turn ends' };

const row = fc.nat({ max: rowCount - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('agent writes' as const),
      row,
      isAgain: fc.boolean(),
      read: fc.constantFrom<Read>('client', 'itself', 'itself, with numbers', 'not'),
      way: fc.constantFrom<Way>('client', 'itself', 'disk first', 'client first'),
      report: fc.constantFrom<Report>('nothing', 'whole', 'part'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('user types' as const), row }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('user checks out' as const), row }) },
  {
    weight: 5,
    arbitrary: fc.constantFrom<Step>(
      { kind: 'user saves' },
      { kind: 'user undoes' },
      { kind: 'user redoes' },
      { kind: 'user rejects' },
      { kind: 'user takes the reject back' },
      { kind: 'user restores' },
      { kind: 'turn ends' },
    ),
  },
);

/** What a file, its buffer, its review and its agent are to be after each step. */
class Page {
  disk = first;
  buffer = first;
  /** The file without the agent's changes that are under review. */
  base = first;
  /** What the agent has in mind. */
  known = first;
  /** Somebody took back text of the agent, and it has not read the file since. */
  isStale = false;

  get unsaved(): readonly number[] {
    return this.disk.flatMap((line, at) => (line === this.buffer[at] ? [] : at));
  }

  /** The user has another text in the buffer. Lines of the agent stay under review. */
  show(next: Rows): void {
    this.base = this.base.map((line, at) => (line === this.buffer[at] ? next[at]! : line));
    this.buffer = next;
  }

  /** The agent writes one row; false: the user has unsaved text there. */
  writeThrough(next: Rows): boolean {
    const changed = next.flatMap((line, at) => (line === this.known[at] ? [] : at));
    const isRefused = changed.some((at) => this.unsaved.includes(at) && this.buffer[at] !== next[at]);
    if (isRefused) return false;
    const put = (rows: Rows) => rows.map((line, at) => (changed.includes(at) ? next[at]! : line));
    [this.disk, this.buffer, this.known] = [put(this.disk), put(this.buffer), next];
    return true;
  }
}

class Walk {
  private readonly nvim: TestNvim;
  private readonly files: Awaited<ReturnType<typeof trackFiles>>;
  private readonly page = new Page();
  private readonly tools = new Map<string, ToolEntry>();
  /** What the agent has written last, by row. */
  private readonly written: string[] = [];
  /** The lines that the agent has known at any time. */
  private readonly seen = new Set(first);
  private isInTurn = false;
  /** The step has saved the buffer. An undo may leave it modified with the text of the disk. */
  private isSaved = false;
  private count = 0;
  private checkpoint: { readonly rows: Rows; readonly base: Rows } | undefined;
  private rejected: { readonly base: Rows; readonly now: Rows } | undefined;

  constructor(nvim: TestNvim, files: Awaited<ReturnType<typeof trackFiles>>) {
    this.nvim = nvim;
    this.files = files;
  }

  async take(next: Step): Promise<void> {
    this.count += 1;
    this.isSaved = false;
    const before = { conflicts: this.files.conflicts.length, notices: this.files.notices.length };
    const isRefused = await this.act(next);
    for (const line of this.page.known) this.seen.add(line);
    await this.files.changes.ledger.run(async () => undefined);
    const { conflicts, notices } = this.files;
    const asked = conflicts.length - before.conflicts;
    const what = `step ${this.count}: ${JSON.stringify(next)}`;
    expect(asked, `conflicts after ${what}`).toBe(Number(isRefused));
    if (notices.length > before.notices)
      expect(this.page.unsaved.length, `${notices.at(-1)} after ${what}`).toBeGreaterThan(0);
    await this.compare(what);
  }

  private async compare(what: string): Promise<void> {
    const { page, files } = this;
    expect(rowsIn(files.onDisk('a.txt')), `disk after ${what}`).toEqual(page.disk);
    const lines = (await this.nvim.lines()).join('\n');
    expect(rowsIn(lines), `buffer after ${what}`).toEqual(page.buffer);
    const isModified = await this.nvim.lua<boolean>('return vim.bo.modified');
    if (page.unsaved.length > 0 || this.isSaved)
      expect(isModified, `modified after ${what}`).toBe(page.unsaved.length > 0);
    await files.changes.scan();
    const review = files.changes.file(files.at('a.txt'))?.review;
    if (!review) return expect(page.base, `review after ${what}`).toEqual(page.buffer);
    const rows = (content: typeof review.now) => rowsIn(linesIn(content).join(''));
    expect([rows(review.session), rows(review.now)], `review after ${what}`).toEqual([
      page.base,
      page.buffer,
    ]);
  }

  /** Resolves with whether the agent's write is refused. */
  private async act(next: Step): Promise<boolean> {
    if (next.kind !== 'user takes the reject back' && next.kind !== 'user rejects') this.rejected = undefined;
    switch (next.kind) {
      case 'agent writes':
        return this.agentWrites(next);
      case 'user types':
        await this.userTypes(next.row);
        break;
      case 'user checks out':
        await this.userChecksOut(next.row);
        break;
      case 'user saves':
        await this.userSaves();
        break;
      case 'user undoes':
        await this.userUndoes('undo');
        break;
      case 'user redoes':
        await this.userUndoes('redo');
        break;
      case 'user rejects':
        await this.userRejects();
        break;
      case 'user takes the reject back':
        await this.userTakesRejectBack();
        break;
      case 'user restores':
        await this.userRestores();
        break;
      case 'turn ends':
        await this.endTurn();
    }
    return false;
  }

  private async agentWrites({
    row,
    isAgain,
    read,
    way,
    report,
  }: Step & { kind: 'agent writes' }): Promise<boolean> {
    const { page } = this;
    await this.beginTurn();
    // Tools that write a file themselves read it first, and so does an agent that knows that it must.
    const isByItself = way !== 'client';
    if (isByItself && page.unsaved.includes(row)) return false;
    if (isByItself && this.textFor(row, isAgain) === page.disk[row]) return false;
    if (isByItself) page.known = page.disk;
    else if (read === 'client' || (read === 'not' && page.isStale)) await this.agentReads();
    else if (read !== 'not') this.agentLooks(read);
    // Nothing says what an agent that has written the file itself knows of the rest.
    page.isStale = way === 'itself';
    const text = this.textFor(row, isAgain);
    if (text === page.known[row]) return false;
    this.written[row] = text;
    const from = page.known;
    const to = page.known.with(row, text);
    const isRefused = !page.writeThrough(to);
    this.isSaved = !isRefused;
    const call = this.report(isByItself && report === 'nothing' ? 'whole' : report, from, to, row);
    if (way === 'itself' || way === 'disk first') this.putOnDisk(to);
    if (way !== 'itself') await this.write(to, isRefused);
    if (way === 'client first') this.putOnDisk(to);
    if (isByItself) await this.follow();
    this.finish(call);
    return isRefused;
  }

  private textFor(row: number, isAgain: boolean): string {
    const fresh = `row ${row}: agent ${this.count}`;
    return isAgain ? (this.written[row] ?? fresh) : fresh;
  }

  private async write(rows: Rows, isRefused: boolean): Promise<void> {
    const written = this.files.write('a.txt', textOf(rows));
    if (isRefused) await expect(written).rejects.toThrow('the user has');
    else await written;
  }

  private putOnDisk(rows: Rows): void {
    const saved = rows.map((line, at) => (this.page.unsaved.includes(at) ? this.page.disk[at]! : line));
    fs.writeFileSync(this.files.at('a.txt'), textOf(saved));
  }

  private async follow(): Promise<void> {
    await this.files.files.changedOnDisk(this.files.at('a.txt'));
  }

  private async agentReads(): Promise<void> {
    this.page.known = rowsIn(await this.files.read('a.txt'));
    expect(this.page.known).toEqual(this.page.buffer);
  }

  private agentLooks(read: Read): void {
    this.page.known = this.page.disk;
    const lines = textOf(this.page.disk).split('\n');
    const shown =
      read === 'itself' ? lines : lines.map((line, at) => `${String(at + 1).padStart(5)}| ${line}`);
    const id = `read-${this.count}`;
    this.send({ toolCallId: id, toolKind: 'read', status: 'running', content: [] });
    this.send({
      toolCallId: id,
      toolKind: 'read',
      status: 'done',
      content: [{ kind: 'text', text: shown.join('\n') }],
    });
  }

  private report(report: Report, from: Rows, to: Rows, row: number): string {
    const id = `call-${this.count}`;
    const path = this.files.at('a.txt');
    const diff =
      report === 'whole'
        ? { kind: 'diff' as const, path, oldText: textOf(from), newText: textOf(to) }
        : { kind: 'diff' as const, path, oldText: from[row]!, newText: to[row]! };
    this.send({
      toolCallId: id,
      toolKind: 'edit',
      status: 'running',
      content: report === 'nothing' ? [] : [diff],
    });
    return id;
  }

  private finish(id: string): void {
    this.send({ ...this.tools.get(id)!, status: 'done' });
  }

  private send(tool: Pick<ToolEntry, 'toolCallId' | 'toolKind' | 'status' | 'content'>): void {
    const locations = [{ path: this.files.at('a.txt'), line: undefined }];
    this.tools.set(tool.toolCallId, { ...tool, locations } as unknown as ToolEntry);
    this.notify({ kind: 'tool', patch: { toolCallId: tool.toolCallId } } as SessionEvent);
  }

  private notify(event: SessionEvent): void {
    this.files.changes.onEvent(event, { isReplaying: false, tools: this.tools } as unknown as SessionState);
  }

  private async beginTurn(): Promise<void> {
    if (this.isInTurn) return;
    this.isInTurn = true;
    await this.files.changes.beginTurn('go');
    const { page } = this;
    this.checkpoint = page.unsaved.length === 0 ? { rows: page.buffer, base: page.base } : undefined;
  }

  private async endTurn(): Promise<void> {
    if (!this.isInTurn) return;
    this.isInTurn = false;
    this.notify({ kind: 'turn_ended' } as SessionEvent);
    await this.files.changes.ledger.run(async () => undefined);
  }

  private async userTypes(row: number): Promise<void> {
    const text = `row ${row}: typed ${this.count}`;
    await this.nvim.lua(
      `local row, text = ...
       vim.bo.undolevels = vim.bo.undolevels
       vim.api.nvim_buf_set_lines(0, row * 2, row * 2 + 1, true, { text })
       vim.bo.undolevels = vim.bo.undolevels`,
      row,
      text,
    );
    this.page.show(this.page.buffer.with(row, text));
  }

  private async userSaves(): Promise<void> {
    // Without "!": Neovim waits for an answer if it finds that the file has changed.
    await this.nvim.command('silent write');
    await this.files.changes.onSaved(this.files.at('a.txt'));
    const { page } = this;
    // An undo that is saved.
    if (page.unsaved.some((at) => this.seen.has(page.buffer[at]!))) page.isStale = true;
    page.disk = page.buffer;
  }

  // What the undo tree has is Neovim's affair.
  private async userUndoes(how: string): Promise<void> {
    await this.nvim.command(`silent! ${how}`);
    this.page.show(rowsIn((await this.nvim.lines()).join('\n')));
    this.page.isStale = true;
  }

  private async userChecksOut(row: number): Promise<void> {
    const { page } = this;
    await this.endTurn();
    if (page.unsaved.includes(row)) return;
    page.disk = page.disk.with(row, first[row]!);
    page.show(page.buffer.with(row, first[row]!));
    page.isStale = true;
    fs.writeFileSync(this.files.at('a.txt'), textOf(page.disk));
    await this.follow();
    await this.files.changes.onReread(this.files.at('a.txt'));
  }

  private async userRejects(): Promise<void> {
    const { page } = this;
    await this.files.changes.scan();
    await this.files.changes.decisions.decide({ verdict: 'reject', scope: 'session' });
    if (String(page.base) === String(page.buffer)) return;
    this.isSaved = true;
    this.rejected = { base: page.base, now: page.buffer };
    [page.buffer, page.disk, page.isStale] = [page.base, page.base, true];
  }

  private async userTakesRejectBack(): Promise<void> {
    const { page, rejected } = this;
    if (!rejected) return;
    await this.files.changes.decisions.undo();
    [page.base, page.buffer, page.disk, page.isStale] = [rejected.base, rejected.now, rejected.now, true];
    this.rejected = undefined;
  }

  private async userRestores(): Promise<void> {
    const { page, checkpoint } = this;
    if (!checkpoint || page.unsaved.length > 0) return;
    const { checkpoints } = this.files.changes;
    const last = this.files.changes.ledger.checkpoints.findLast(({ kind }) => kind === 'prompt');
    await checkpoints.restore(last!.id, true);
    page.show(checkpoint.rows);
    [page.disk, page.isStale] = [page.buffer, true];
  }
}

async function walk(nvim: TestNvim, steps: readonly Step[]): Promise<void> {
  await nvim.command('silent %bwipeout!');
  const files = await trackFiles(nvim);
  fs.writeFileSync(files.at('a.txt'), textOf(first));
  await nvim.command('silent edit a.txt');
  await files.read('a.txt');
  const taken = new Walk(nvim, files);
  try {
    for (const one of steps) await taken.take(one);
  } finally {
    await files.changes.end();
  }
  expect(files.log.lines.filter((line) => line.startsWith('error'))).toEqual([]);
}

const runs = Number(process.env.ACP_KNOWLEDGE ?? shortOrLong(200, 5_000));

it('buffer, disk and review are as one page says after any reads, writes and decisions', {
  timeout: Math.max(120_000, runs * 1_000),
}, async ({ start }) => {
  const nvim = await start();
  const steps = fc.array(step, { minLength: 3, maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(steps, (given) => walk(nvim, given)),
    { numRuns: runs, endOnFailure: process.env.ACP_SHRINK === undefined },
  );
});
