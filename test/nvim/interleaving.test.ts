import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { resolveConflicts } from '../../src/diff/conflict-markers.ts';
import { computeHunks, type Hunk } from '../../src/diff/hunks.ts';
import { NvimEditor } from '../../src/nvim/editor.ts';
import type { Conflict } from '../../src/ports/workspace.ts';
import type { ChangeTracker } from '../../src/workspace/changes/change-tracker.ts';
import type { AgentFiles } from '../../src/workspace/files/agent-files.ts';
import type { BufferSync } from '../../src/workspace/files/buffer-sync.ts';
import type { FileRecord } from '../../src/workspace/files/file-record.ts';
import { openSessionFiles, SharedFiles } from '../../src/workspace/session-files.ts';
import type { WriteOrder } from '../support/agents/programmable-chat.ts';
import { ManualClock } from '../support/doubles/clock.ts';
import { LogDouble } from '../support/doubles/log.ts';
import { shortOrLong } from '../support/long.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { fc } from '../support/property.ts';
import { aFolder } from '../support/system/temp.ts';

const lineCount = 8;
const lines = Array.from({ length: lineCount }, (_, index) => `line ${index + 1}`).join('\n');
/** A file without an end of its last line gets one when the user saves it. */
const starts = [lines, `${lines}\n`] as const;

type Hunks = readonly Hunk[];
type Meanwhile = 'nothing' | 'the user types' | 'the user saves';

type Step =
  | { readonly kind: 'agent reads' | 'user saves' | 'user undoes' | 'user redoes' }
  | { readonly kind: 'turn begins' | 'user restores' | 'user rejects' }
  | { readonly kind: 'user types during a restore'; readonly row: number; readonly isAll?: boolean }
  | {
      readonly kind: 'agent writes twice';
      readonly row: number;
      readonly other: number;
      readonly order: WriteOrder;
      readonly meanwhile: Meanwhile;
    }
  | { readonly kind: 'agent writes' | 'agent looks' | 'user types' | 'user adds'; readonly row: number }
  | { readonly kind: 'agent writes itself' | 'disk changes'; readonly row: number; readonly isTold: boolean }
  | { readonly kind: 'agent writes while the user types'; readonly row: number; readonly other: number };

const row = fc.integer({ min: 0, max: lineCount - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom<Step>(
    { kind: 'agent reads' },
    { kind: 'user saves' },
    { kind: 'user undoes' },
    { kind: 'user redoes' },
    { kind: 'turn begins' },
    { kind: 'user restores' },
  ),
  fc.record({
    kind: fc.constant('agent writes twice'),
    row,
    other: row,
    order: fc.constantFrom<WriteOrder>('client first', 'disk first', 'at once'),
    meanwhile: fc.constantFrom<Meanwhile>('nothing', 'the user types', 'the user saves'),
  }) as fc.Arbitrary<Step>,
  fc.record({
    kind: fc.constantFrom('agent writes', 'agent looks', 'user types', 'user adds'),
    row,
  }) as fc.Arbitrary<Step>,
  fc.record({
    kind: fc.constantFrom('agent writes itself', 'disk changes'),
    row,
    isTold: fc.boolean(),
  }) as fc.Arbitrary<Step>,
  fc.record({
    kind: fc.constant('agent writes while the user types'),
    row,
    other: row,
  }) as fc.Arbitrary<Step>,
);

function hasWord(text: string, word: string): boolean {
  return new RegExp(`\\b${word}\\b`).test(text);
}

/** One file, its user, an agent and another program, who all change it. */
class FileInterleaving {
  readonly typed: string[] = [];
  readonly shown: Conflict[] = [];
  private readonly nvim: TestNvim;
  private readonly file: string;
  private readonly files: AgentFiles;
  private readonly buffers: BufferSync;
  private readonly shared: SharedFiles;
  private readonly record: FileRecord;
  private readonly answers: readonly string[];
  /** What the agent believes the file is. */
  private known: string[];
  private count = 0;
  private touches = 0;
  /** What was typed since the agent last read the file. */
  private readonly unseen = new Set<string>();
  /** What was typed and may be on disk: the user saved it, chose it, or the agent wrote it there itself. */
  private readonly public = new Set<string>();
  /** What was saved and another program has replaced on disk. */
  private readonly replaced = new Set<string>();
  /** What another program wrote and neither the agent nor the user has seen. */
  private readonly news = new Set<string>();
  private readonly changes: ChangeTracker;
  private readonly clock = new ManualClock();

  constructor(nvim: TestNvim, file: string, answers: readonly string[]) {
    this.nvim = nvim;
    this.file = file;
    this.answers = answers;
    this.known = fs.readFileSync(file, 'utf8').split('\n');
    const resolveConflict = async (conflict: Conflict) => {
      this.shown.push(conflict);
      const answer = this.answers[this.shown.length % this.answers.length];
      return answer === 'refuse' ? undefined : resolveConflicts(conflict.regions, answer as 'ours');
    };
    const consent = async () => true;
    const cwd = path.dirname(file);
    const changesFolder = path.join(aFolder(), 'state');
    const options = {
      chat: 1,
      cwd,
      directories: [],
      changesFolder,
      consent,
      resolveConflict,
      report: () => undefined,
    };
    const editor = new NvimEditor(nvim.client, new LogDouble());
    this.shared = new SharedFiles(editor);
    const parts = { editor, clock: this.clock, log: new LogDouble(), shared: this.shared };
    const { records, buffers, files, changes } = openSessionFiles(options, parts);
    this.record = records.get(file);
    this.buffers = buffers;
    this.files = files;
    this.changes = changes!;
  }

  async end(): Promise<void> {
    await this.changes.end();
  }

  /** Takes a step, and looks whether what nobody but the user knows of is still in the buffer, and not on disk. */
  async take(next: Step): Promise<void> {
    const [shown, before] = [this.shown.length, await this.text()];
    const replaced = this.replacedBy(next, before);
    const kept = this.keptBy(next, before).filter((word) => !hasWord(replaced, word));
    for (const word of this.news) if (hasWord(replaced, word)) this.news.delete(word);
    if (next.kind === 'agent writes twice') this.forgetNewsBut(before);
    this.clock.advance(1);
    await this.act(next);
    // What was chosen is put into the buffer in the background.
    await this.shared.conflicts.resolution(this.record);
    await this.changes.ledger.run(async () => undefined);
    const conflicts = this.shown.slice(shown);
    const [text, disk] = [await this.text(), fs.readFileSync(this.file, 'utf8')];
    if (next.kind.startsWith('agent writes')) {
      const told = [text, disk, ...this.shown.flatMap(({ theirs, ours }) => [...theirs, ...ours])].join('\n');
      expect([...this.news].filter((word) => !hasWord(told, word))).toEqual([]);
    }
    // What the user let go is gone.
    if (conflicts.length === 0) {
      expect(
        kept.filter((word) => !hasWord(text, word)),
        JSON.stringify(next),
      ).toEqual([]);
    }
    for (const word of this.typed) {
      if (conflicts.some(({ theirs }) => hasWord(theirs.join('\n'), word))) this.public.add(word);
    }
    expect(this.typed.filter((word) => hasWord(disk, word) && !this.public.has(word))).toEqual([]);
    if (next.kind === 'agent reads') this.unseen.clear();
    const isBack = next.kind === 'user undoes' || next.kind === 'user redoes';
    if (next.kind === 'user saves' || next.kind === 'user restores' || isBack || conflicts.length > 0) {
      this.news.clear();
    }
    for (const word of this.unseen) if (isBack || !hasWord(text, word)) this.unseen.delete(word);
  }

  /** The words that have to be in the buffer after a step in which nothing is asked. */
  private keptBy(next: Step, text: string): readonly string[] {
    const disk = fs.readFileSync(this.file, 'utf8');
    const words = this.typed.filter((word) => hasWord(text, word));
    const unsaved = words.filter((word) => !hasWord(disk, word) && !this.replaced.has(word));
    // A buffer without changes follows the disk, where another program has replaced what the user saved.
    if (next.kind === 'user restores' || next.kind === 'user rejects')
      return words.filter((word) => !this.replaced.has(word));
    if (next.kind === 'disk changes' || next.kind === 'agent writes itself') return unsaved;
    // What the agent has read and the user has saved is the agent's to change.
    if (next.kind === 'agent writes twice' && next.meanwhile === 'the user saves') return [...this.unseen];
    return next.kind.startsWith('agent writes') ? [...unsaved, ...this.unseen] : [];
  }

  /** The saved lines in whose place the agent writes. It knows them, or the review shows them. */
  private replacedBy(next: Step, shown: string): string {
    if (!next.kind.startsWith('agent writes') || !('row' in next)) return '';
    const isSaved = next.kind === 'agent writes twice' && next.meanwhile === 'the user saves';
    const saved = isSaved ? shown : fs.readFileSync(this.file, 'utf8').replace(/\n$/, '');
    const taken = (this.record.agentText ?? saved).replace(/\n$/, '').split('\n');
    const written = this.known
      .with(Math.min(next.row, this.known.length - 1), '')
      .join('\n')
      .replace(/\n$/, '');
    const [news, own] = [saved, written].map((text) => computeHunks(taken, text.split('\n'))) as [
      Hunks,
      Hunks,
    ];
    const isReplaced = (hunk: Hunk) => own.some(({ from, to }) => from <= hunk.to && to >= hunk.from);
    return news
      .filter(isReplaced)
      .flatMap(({ lines }) => lines)
      .join('\n');
  }

  // What the agent overwrites on disk before anybody looked is lost without us.
  private forgetNewsBut(text: string): void {
    for (const word of this.news) if (!hasWord(text, word)) this.news.delete(word);
  }

  private async text(): Promise<string> {
    return (await this.nvim.lines()).join('\n');
  }

  private async act(next: Step): Promise<void> {
    this.count += 1;
    switch (next.kind) {
      case 'agent reads':
        this.known = (await this.files.read(this.whole)).split('\n');
        for (const word of this.news) if (hasWord(this.known.join('\n'), word)) this.news.delete(word);
        return;
      case 'agent looks':
        return this.agentLooks(next.row);
      case 'agent writes':
        return this.agentWrites(next.row);
      case 'agent writes while the user types':
        await Promise.all([this.agentWrites(next.row), this.userTypes(next.other, false)]);
        return;
      case 'user types':
        return this.userTypes(next.row, false);
      case 'user adds':
        return this.userTypes(next.row, true);
      case 'disk changes':
        return this.diskChanges(next.row, next.isTold);
      case 'agent writes twice':
        return this.agentWritesTwice(next);
      case 'agent writes itself':
        return this.agentWritesItself(next.row, next.isTold);
      case 'turn begins':
        return this.changes.beginTurn('go');
      case 'user restores':
        return this.userRestores();
      case 'user types during a restore':
        return this.userTypesDuringRestore(next.row, next.isAll);
      case 'user rejects':
        return this.userRejects();
      case 'user saves':
        return this.userSaves();
      case 'user undoes':
        return this.run('silent! undo');
      case 'user redoes':
        return this.run('silent! redo');
    }
  }

  /** Everything that can still be had: each state of the undo tree, and what the user was shown as a conflict. */
  async reachable(): Promise<string> {
    const states = await this.nvim.lua<string>(`
      local texts, seen = {}, {}
      local function note()
        table.insert(texts, table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n'))
      end
      note()
      local function visit(entries)
        for _, entry in ipairs(entries) do
          if not seen[entry.seq] then
            seen[entry.seq] = true
            vim.cmd('silent undo ' .. entry.seq)
            note()
            visit(entry.alt or {})
          end
        end
      end
      visit(vim.fn.undotree().entries)
      vim.cmd('silent undo 0')
      note()
      return table.concat(texts, '\\n')`);
    return [states, ...this.shown.flatMap(({ ours }) => ours)].join('\n');
  }

  private get whole() {
    return { path: this.file, line: 1, limit: undefined, isMissingEmpty: false };
  }

  // It has seen these lines, and goes on from what it knew before all the same.
  private async agentLooks(at: number): Promise<void> {
    const part = await this.files.read({ ...this.whole, line: at + 1, limit: 2 });
    for (const words of [this.unseen, this.news]) {
      for (const word of words) if (hasWord(part, word)) words.delete(word);
    }
  }

  private async agentWrites(at: number): Promise<void> {
    const lines = this.known.with(Math.min(at, this.known.length - 1), `agent ${this.count}`);
    try {
      await this.files.write({ path: this.file, content: lines.join('\n') });
      this.known = lines;
    } catch (error) {
      // A refusal is an answer; anything else is a bug.
      expect(String(error)).toMatch(
        /the user has (changed the same lines|unsaved text in (the same lines|.* in conflict))/,
      );
    }
  }

  private async agentWritesTwice(step: Step & { kind: 'agent writes twice' }): Promise<void> {
    const before = this.known;
    const lines = this.known.with(Math.min(step.row, this.known.length - 1), `agent ${this.count}`);
    const write = () => this.agentWrites(step.row);
    const meanwhile = async () => {
      if (step.meanwhile === 'the user types') await this.userTypes(step.other, false);
      if (step.meanwhile === 'the user saves') await this.userSaves();
    };
    const overwrite = () => this.putOnDisk(lines);
    if (step.order === 'at once') await Promise.all([write(), overwrite(), meanwhile()]);
    else if (step.order === 'client first') {
      await write();
      await meanwhile();
      overwrite();
    } else {
      overwrite();
      await meanwhile();
      this.known = before;
      await write();
    }
    this.known = lines;
    await this.bufferFollows();
  }

  private async agentWritesItself(at: number, isTold: boolean): Promise<void> {
    const before = fs.readFileSync(this.file, 'utf8');
    this.known = this.known.with(Math.min(at, this.known.length - 1), `agent ${this.count}`);
    const text = this.known.join('\n');
    // What the agent overwrites without us is not ours to keep.
    for (const old of this.typed) {
      if (!hasWord(before, old) || hasWord(text, old)) continue;
      this.replaced.add(old);
      this.unseen.delete(old);
    }
    this.news.clear();
    this.putOnDisk(this.known);
    if (isTold) await this.bufferFollows();
  }

  private async bufferFollows(): Promise<void> {
    await this.files.changedOnDisk(this.file);
    await this.buffers.awaitAgreement(this.record, new AbortController().signal);
  }

  private putOnDisk(lines: readonly string[]): void {
    const text = lines.join('\n');
    for (const word of this.typed) if (hasWord(text, word)) this.public.add(word);
    fs.writeFileSync(this.file, text);
    this.touchFile();
  }

  private touchFile(): void {
    this.touches += 1;
    const later = new Date(Date.now() + this.touches * 2_000);
    fs.utimesSync(this.file, later, later);
  }

  private async userSaves(): Promise<void> {
    const text = await this.text();
    for (const word of this.typed) if (hasWord(text, word)) this.public.add(word);
    await this.run('silent write!');
    await this.changes.onSaved(this.file);
  }

  /** `isAll`: also what the user has changed so far. */
  private async userRestores(isAll = false): Promise<void> {
    const last = this.changes.ledger.checkpoints.findLast(({ kind }) => kind === 'prompt');
    try {
      await this.changes.checkpoints.restore(last!.id, isAll);
    } catch (error) {
      expect(String(error)).toMatch(/settle that first|was changed just now/);
    }
    this.known = (await this.files.read(this.whole)).split('\n');
    this.unseen.clear();
  }

  private async userTypesDuringRestore(at: number, isAll?: boolean): Promise<void> {
    const { ledger } = this.changes;
    const checkpoint = ledger.checkpoint.bind(ledger);
    // The files to restore are chosen before that.
    ledger.checkpoint = async (...args) => {
      const made = await checkpoint(...args);
      await this.userTypes(at, false);
      return made;
    };
    await this.userRestores(isAll);
    ledger.checkpoint = checkpoint;
    expect(await this.text()).toContain(this.typed.at(-1));
  }

  private async userRejects(): Promise<void> {
    await this.changes.scan();
    await this.changes.decisions.decide({ verdict: 'reject', scope: 'session' });
  }

  private async userTypes(at: number, isNewLine: boolean): Promise<void> {
    const word = `typed-${this.count}`;
    this.typed.push(word);
    this.unseen.add(word);
    await this.nvim.lua(
      `local row, word, is_new = ...
       row = math.min(row, vim.api.nvim_buf_line_count(0) - 1)
       vim.bo.undolevels = vim.bo.undolevels
       if is_new then
         vim.api.nvim_buf_set_lines(0, row, row, true, { word })
       else
         local line = vim.api.nvim_buf_get_lines(0, row, row + 1, true)[1]
         vim.api.nvim_buf_set_text(0, row, #line, row, #line, { ' ' .. word })
       end
       vim.bo.undolevels = vim.bo.undolevels`,
      at,
      word,
      isNewLine,
    );
  }

  private async diskChanges(at: number, isTold: boolean): Promise<void> {
    const lines = fs.readFileSync(this.file, 'utf8').split('\n');
    const row = Math.min(at, lines.length - 1);
    const word = `disk-${this.count}`;
    // What another program replaces is not ours to keep.
    for (const words of [this.news, this.unseen]) {
      for (const old of words) if (hasWord(lines[row]!, old)) words.delete(old);
    }
    for (const old of this.typed) if (hasWord(lines[row]!, old)) this.replaced.add(old);
    this.news.add(word);
    fs.writeFileSync(this.file, lines.with(row, word).join('\n'));
    this.touchFile();
    if (isTold) await this.bufferFollows();
  }

  private async run(command: string): Promise<void> {
    await this.nvim.command(command);
  }
}

async function openFile(startNvim: (options?: NvimOptions) => Promise<TestNvim>) {
  const nvim = await startNvim({ files: { 'a.txt': lines } });
  return { nvim, file: await nvim.lua<string>("return vim.uv.cwd() .. '/a.txt'") };
}

/** Takes all steps from a fresh file on. */
async function walk(
  { nvim, file }: Awaited<ReturnType<typeof openFile>>,
  start: string,
  steps: readonly Step[],
  answers: readonly string[],
): Promise<void> {
  await nvim.command('silent %bwipeout!');
  fs.writeFileSync(file, start);
  await nvim.command(`silent edit ${file}`);
  const interleaving = new FileInterleaving(nvim, file, answers);
  // What an agent has not touched is none of our business.
  try {
    await interleaving.take({ kind: 'agent reads' });
    await interleaving.take({ kind: 'turn begins' });
    for (const one of steps) await interleaving.take(one);
    const text = await interleaving.reachable();
    expect(interleaving.typed.filter((word) => !hasWord(text, word))).toEqual([]);
  } finally {
    await interleaving.end();
  }
}

const runs = Number(process.env.ACP_INTERLEAVINGS ?? shortOrLong(25, 600));

it('in any order of edits, saves, writes and restores no typed text is lost, and no unsaved text is on disk', {
  timeout: runs * 3_000,
}, async ({ start: startNvim }) => {
  const opened = await openFile(startNvim);
  const answers = fc.array(fc.constantFrom('ours', 'theirs', 'both', 'refuse'), {
    minLength: 1,
    maxLength: 4,
  });
  const steps = fc.array(step, { minLength: 3, maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...starts), steps, answers, (...given) => walk(opened, ...given)),
    { numRuns: runs, endOnFailure: true },
  );
});

const twice = {
  kind: 'agent writes twice',
  row: 3,
  other: 3,
  order: 'client first',
  meanwhile: 'nothing',
} as const;
const orders: Readonly<Record<string, readonly Step[]>> = {
  'both ways': [twice],
  'itself, and the buffer follows at once': [{ kind: 'agent writes itself', row: 3, isTold: true }],
  'itself, and the buffer follows later': [{ kind: 'agent writes itself', row: 3, isTold: false }],
};

const cases = Object.entries(orders).flatMap(([name, writes]) =>
  (['user restores', 'user rejects'] as const).map((kind) => [name, kind, writes] as const),
);

it.for(cases)(
  'typed text that the agent has read and put on disk is kept: it wrote %s, then the %s',
  async ([, kind, writes], { start: startNvim }) => {
    const typed: readonly Step[] = [{ kind: 'user types', row: 1 }, { kind: 'agent reads' }];
    await walk(await openFile(startNvim), lines, [...typed, ...writes, { kind }], ['ours']);
  },
);

// Walks that have lost typed text. Neovim called the buffer unmodified after the undo.
it.for<[string, readonly Step[]]>([
  [
    'saved',
    [
      { ...twice, row: 2, other: 7, order: 'at once', meanwhile: 'the user types' },
      { kind: 'user saves' },
      twice,
      { kind: 'user undoes' },
      { kind: 'agent reads' },
      twice,
    ],
  ],
  [
    'saved between two writes of the agent',
    [
      { kind: 'agent writes while the user types', row: 6, other: 6 },
      { kind: 'user adds', row: 6 },
      { ...twice, row: 0, meanwhile: 'the user saves' },
      { kind: 'agent reads' },
      { kind: 'user undoes' },
      twice,
    ],
  ],
  [
    'restored',
    [
      { ...twice, row: 1, order: 'disk first' },
      { kind: 'user undoes' },
      { ...twice, row: 2 },
      { kind: 'user redoes' },
      { kind: 'disk changes', row: 6, isTold: false },
      { kind: 'agent writes while the user types', row: 7, other: 1 },
      { ...twice, row: 1, meanwhile: 'the user saves' },
      { kind: 'agent writes itself', row: 0, isTold: false },
      { kind: 'user undoes' },
      { kind: 'user restores' },
    ],
  ],
])(
  'text that the agent has replaced on disk is kept after an undo: %s',
  async ([, steps], { start: startNvim }) => {
    await walk(await openFile(startNvim), `${lines}\n`, steps, ['ours']);
  },
);

it.for<[string, readonly Step[]]>([
  ['', [{ kind: 'user types during a restore', row: 1 }]],
  [
    ' also if the user has chosen to lose what they typed before',
    [
      { kind: 'user types', row: 6 },
      { kind: 'user types during a restore', row: 1, isAll: true },
    ],
  ],
])('text that is typed while files are restored is kept%s', async ([, steps], { start: startNvim }) => {
  await walk(await openFile(startNvim), lines, [{ kind: 'agent writes', row: 3 }, ...steps], ['ours']);
});

// The user saved the line, and the agent has replaced it on disk.
it('a line is kept that only the buffer has since a conflict was left unresolved', async ({
  start: startNvim,
}) => {
  const steps: readonly Step[] = [
    { kind: 'user adds', row: 1 },
    { ...twice, row: 1, meanwhile: 'the user saves' },
    { kind: 'agent reads' },
    { ...twice, row: 1, order: 'at once' },
  ];
  await walk(await openFile(startNvim), lines, steps, ['refuse']);
});
