import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { type ConflictChoice, resolveConflicts } from '../../src/diff/conflict-markers.ts';
import { NvimEditor } from '../../src/nvim/editor.ts';
import type { Conflict } from '../../src/ports/workspace.ts';
import type { ChangeTracker } from '../../src/workspace/changes/change-tracker.ts';
import { fileHunks } from '../../src/workspace/changes/review/file-review.ts';
import type { BufferSync } from '../../src/workspace/files/buffer-sync.ts';
import { linesIn } from '../../src/workspace/files/file-content.ts';
import type { FileRecord } from '../../src/workspace/files/file-record.ts';
import { openSessionFiles, SharedFiles } from '../../src/workspace/session-files.ts';
import { ManualClock } from '../support/doubles/clock.ts';
import { LogDouble } from '../support/doubles/log.ts';
import { shortOrLong } from '../support/long.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { fc } from '../support/property.ts';
import { aFolder } from '../support/system/temp.ts';

type Step =
  | { readonly kind: 'agent' | 'user'; readonly at: number; readonly count: number; readonly add: number }
  | { readonly kind: 'save' | 'undo' }
  | { readonly kind: 'keep' | 'reject'; readonly at: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('agent' as const, 'user' as const),
      at: fc.nat(14),
      count: fc.nat(2),
      add: fc.nat(2),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('save' as const, 'undo' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('keep' as const, 'reject' as const), at: fc.nat(14) }),
  },
);

const answers = fc.array(fc.constantFrom<ConflictChoice>('ours', 'theirs', 'both'), {
  minLength: 1,
  maxLength: 4,
});

/** A file in a real Neovim that an agent and a user change, both in their own way. */
class ReviewHarness {
  private readonly nvim: TestNvim;
  private readonly changes: ChangeTracker;
  private readonly file: string;
  private names = 0;
  private readonly buffers: BufferSync;
  private readonly record: FileRecord;
  private conflicts = 0;

  constructor(nvim: TestNvim, folder: string, answers: readonly ConflictChoice[]) {
    this.nvim = nvim;
    this.file = path.join(folder, 'a.txt');
    const editor = new NvimEditor(nvim.client, new LogDouble());
    const resolveConflict = async ({ regions }: Conflict) => {
      this.conflicts += 1;
      return resolveConflicts(regions, answers[this.conflicts % answers.length]!);
    };
    const options = {
      ...{ chat: 1, cwd: folder, directories: [], changesFolder: path.join(aFolder(), 'state') },
      ...{ consent: async () => true, report: () => undefined, resolveConflict },
    };
    const parts = { editor, clock: new ManualClock(), log: new LogDouble(), shared: new SharedFiles(editor) };
    const { records, buffers, changes } = openSessionFiles(options, parts);
    this.record = records.get(this.file);
    this.buffers = buffers;
    this.changes = changes!;
  }

  async begin(): Promise<void> {
    fs.writeFileSync(this.file, Array.from({ length: 10 }, (_, row) => `base ${row}\n`).join(''));
    await this.nvim.lua("vim.cmd('silent! %bwipeout!') vim.cmd.edit(...)", this.file);
    await this.changes.beginTurn('go');
  }

  async take(one: Step): Promise<void> {
    if (one.kind === 'agent') this.write(one.at, one.count, one.add);
    else if (one.kind === 'user') await this.type(one.at, one.count, one.add);
    else if (one.kind === 'save') await this.nvim.lua("vim.cmd('silent write!')");
    else if (one.kind === 'undo') await this.changes.decisions.undo().catch(() => undefined);
    else if (this.review && 'at' in one)
      await this.changes.decisions.decide({
        verdict: one.kind,
        scope: 'session',
        path: this.file,
        row: one.at,
      });
    if (one.kind === 'save') await this.changes.onSaved(this.file);
    await this.changes.scan();
    await this.buffers.awaitAgreement(this.record, new AbortController().signal);
    await this.changes.scan();
  }

  get review() {
    return this.changes.file(this.file)?.review;
  }

  async rejectAll(): Promise<void> {
    await this.changes.decisions.decide({ verdict: 'reject', scope: 'session' });
  }

  onDisk(): readonly string[] {
    return fs
      .readFileSync(this.file, 'utf8')
      .split(/(?<=\n)/)
      .filter((line) => line !== '');
  }

  async buffer(): Promise<readonly string[]> {
    const lines = await this.nvim.lines();
    return lines.length === 1 && lines[0] === '' ? [] : lines.map((line) => `${line}\n`);
  }

  private write(at: number, count: number, add: number): void {
    const lines = [...this.onDisk()];
    lines.splice(at, count, ...this.fresh('agent', add).map((line) => `${line}\n`));
    fs.writeFileSync(this.file, lines.join(''));
  }

  private async type(at: number, count: number, add: number): Promise<void> {
    const code = `
      local at, count, lines = ...
      local last = vim.api.nvim_buf_line_count(0)
      at = math.min(at, last)
      vim.api.nvim_buf_set_lines(0, at, math.min(at + count, last), false, lines)`;
    await this.nvim.lua(code, at, count, this.fresh('user', add));
  }

  private fresh(who: string, count: number): string[] {
    return Array.from({ length: count }, () => `${who} ${this.names++}`);
  }
}

describe('after any sequence of agent writes, user edits, saves and decisions', () => {
  it(
    'the buffer matches the review, and rejecting all keeps the user’s text',
    async ({ nvim }) => {
      const folder = aFolder();
      await nvim.lua("require('acp.buffers.file_times').watch()");
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), answers, async (steps, chosen) => {
          const bench = new ReviewHarness(nvim, folder, chosen);
          await bench.begin();
          for (const one of steps) {
            await bench.take(one);
            const { review } = bench;
            if (review) expect(await bench.buffer()).toEqual(linesIn(review.now));
          }
          if (!bench.review) return;
          const base = linesIn(bench.review.session);
          const isOpen = fileHunks(bench.review, 'session').length > 0;
          await bench.rejectAll();
          if (isOpen && base.length > 0) expect(await bench.buffer()).toEqual(base);
          if (isOpen && base.length > 0) expect(bench.onDisk()).toEqual(base);
          expect(base.filter((line) => line.startsWith('agent'))).toEqual(
            steps.some(({ kind }) => kind === 'keep') ? expect.anything() : [],
          );
        }),
        { numRuns: shortOrLong(20, 400), endOnFailure: true },
      );
    },
    shortOrLong(60_000, 600_000),
  );
});
