import fs from 'node:fs';
import path from 'node:path';
import { converse, drawn, startChat } from './chat.ts';
import { makeRepository } from './git.ts';
import type { NvimOptions, TestNvim } from './nvim.ts';
import { repoRoot } from './nvim-process.ts';

export type WorkStep =
  | readonly ['sh', string]
  | readonly ['disk' | 'write', string, string]
  | readonly ['twice', string, string, WriteOrder]
  | readonly ['wait', string];

/** How an agent writes that lets the client write a file and writes it itself too. */
export type WriteOrder = 'client first' | 'disk first' | 'at once' | 'later';

type Start = (options?: NvimOptions) => Promise<TestNvim>;

export interface WorkerOptions extends NvimOptions {
  readonly config?: string;
  /** A folder without one otherwise. */
  readonly isRepository?: boolean;
}

const program = path.join(repoRoot, 'test/fixtures/agents/working.mjs');

/** The option that makes it an agent, as Lua. */
export const workerAgents = `{ agents = { worker = { command = { 'node', ${JSON.stringify(program)} } } } }`;

/** A chat with an agent that does to the files what it is told. */
export async function startWorker(start: Start, options: WorkerOptions = {}) {
  const { config = '{}', isRepository = true, ...rest } = options;
  let folder = '';
  const prepared: Start = async (given) => {
    const nvim = await start(given);
    folder = nvim.sandbox.cwd;
    if (isRepository) makeRepository(folder);
    return nvim;
  };
  const nvim = await startChat(prepared, {
    columns: 120,
    lines: 30,
    ...rest,
    agent: 'worker',
    config: `vim.tbl_deep_extend('force', ${workerAgents}, ${config})`,
  });
  return new Worker(nvim, folder);
}

export class Worker {
  readonly nvim: TestNvim;
  readonly folder: string;

  constructor(nvim: TestNvim, folder: string) {
    this.nvim = nvim;
    this.folder = folder;
  }

  at(name: string): string {
    return path.join(this.folder, name);
  }

  onDisk(name: string): string | undefined {
    return fs.existsSync(this.at(name)) ? fs.readFileSync(this.at(name), 'utf8') : undefined;
  }

  /** Lets the agent do something and waits until it is done. */
  async does(...steps: readonly WorkStep[]): Promise<void> {
    await converse(this.nvim, JSON.stringify(steps));
  }

  /** The same, without waiting. */
  async begins(...steps: readonly WorkStep[]): Promise<void> {
    await this.nvim.command(`AcpSend ${JSON.stringify(steps)}`);
  }

  /** The files of the review, once they are as expected. */
  async review(what = ''): Promise<void> {
    await this.nvim.command(`AcpReview ${what}`);
    await this.nvim.waitFor(async () => (await this.list()).length > 1, 'the review');
    await drawn(this.nvim);
  }

  async list(): Promise<string[]> {
    const code = `
      local chat = require('acp.chats').current()
      return chat.review and vim.api.nvim_buf_get_lines(chat.review, 0, -2, false) or {}`;
    return (await this.nvim.lua<string[]>(code)).map((line) => line.trim().replaceAll(/ {2,}/g, '  '));
  }

  async waitForList(...files: readonly (string | RegExp)[]): Promise<void> {
    await this.nvim.waitFor(
      async () => {
        const [, ...shown] = await this.list();
        if (shown.length !== files.length) return false;
        return files.every((file, index) =>
          typeof file === 'string' ? shown[index] === file : file.test(shown[index]!),
        );
      },
      `the files ${files.join(' | ')}`,
    );
  }

  async waitForDisk(name: string, text: string | undefined): Promise<void> {
    await this.nvim.waitFor(() => this.onDisk(name) === text, `${name} to be ${JSON.stringify(text)}`);
  }

  /** The lines of a loaded buffer. */
  buffer(name: string): Promise<string[]> {
    return this.nvim.lua('return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)', this.at(name));
  }
}
