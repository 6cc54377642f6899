import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { NvimEditor } from '../../src/nvim/editor.ts';
import type { Conflict } from '../../src/ports/workspace.ts';
import { Changes } from '../../src/workspace/changes/changes.ts';
import { fileHunks, linesIn } from '../../src/workspace/changes/file-review.ts';
import { resolved, type Side } from '../../src/workspace/conflict.ts';
import { OpenBuffers } from '../../src/workspace/open-buffers.ts';
import { LogDouble, ManualClock } from '../support/doubles.ts';
import { it } from '../support/it.ts';
import type { TestNvim } from '../support/nvim.ts';
import { aFolder } from '../support/temp.ts';

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

const answers = fc.array(fc.constantFrom<Side>('ours', 'theirs', 'both'), { minLength: 1, maxLength: 4 });

/** A file in a real Neovim that an agent and a user change, both in their own way. */
class Workbench {
  private readonly nvim: TestNvim;
  private readonly changes: Changes;
  private readonly file: string;
  private names = 0;
  private readonly buffers: OpenBuffers;
  private conflicts = 0;

  constructor(nvim: TestNvim, folder: string, answers: readonly Side[]) {
    this.nvim = nvim;
    this.file = path.join(folder, 'a.txt');
    const editor = new NvimEditor(nvim.client, new LogDouble());
    const settle = async ({ regions }: Conflict) => {
      this.conflicts += 1;
      return resolved(regions, answers[this.conflicts % answers.length]!);
    };
    this.buffers = new OpenBuffers(editor, { settle });
    this.changes = new Changes({
      folders: [folder],
      state: path.join(aFolder(), 'state'),
      editor,
      clock: new ManualClock(),
      log: new LogDouble(),
      buffers: this.buffers,
    });
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
    if (one.kind === 'save') await this.changes.saved(this.file);
    await this.changes.look();
    await this.buffers.agree(this.file, new AbortController().signal);
    await this.changes.look();
  }

  get review() {
    return this.changes.ledger.files.get(this.file)?.review;
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

describe('whatever an agent writes on disk, and the user types, saves, keeps and rejects', () => {
  it('the buffer is what the review says, and rejecting all leaves what is the user’s', async ({ nvim }) => {
    const folder = aFolder();
    await nvim.lua("require('acp.buffers.times').watch()");
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), answers, async (steps, chosen) => {
        const bench = new Workbench(nvim, folder, chosen);
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
      { numRuns: 40, endOnFailure: true },
    );
  }, 60_000);
});
