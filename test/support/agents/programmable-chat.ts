import fs from 'node:fs';
import path from 'node:path';
import { type ChatOptions, converse, drawn, startChat, waitForPhase } from '../nvim/chat.ts';
import type { NvimOptions, TestNvim } from '../nvim/nvim.ts';
import { repoRoot } from '../nvim/nvim-process.ts';
import { recordQuestions, User } from '../nvim/user.ts';
import { makeRepository } from '../system/git.ts';

/** A step of test/fixtures/agents/programmable.mjs that changes files. */
export type FileStep =
  | readonly ['sh', string]
  | readonly ['disk' | 'write' | 'asked' | 'reported', string, string]
  | readonly ['twice', string, string, WriteOrder]
  | readonly ['wait', string];

/** The order of the two writes of an agent that lets the client write a file and also writes it itself. */
export type WriteOrder = 'client first' | 'disk first' | 'at once' | 'later';

type Start = (options?: NvimOptions) => Promise<TestNvim>;

export interface EditingOptions extends ChatOptions {
  readonly isRepository?: boolean;
}

const program = path.join(repoRoot, 'test/fixtures/agents/programmable.mjs');

/** Options of the plugin with the agent, as Lua. */
export const programmableAgents = `{ agents = { tester = { command = { 'node', ${JSON.stringify(program)} } } } }`;

const withAgent = (config = '{}') => `vim.tbl_deep_extend('force', ${config}, ${programmableAgents})`;

/** A chat with a programmable agent, whose questions the test answers. */
export async function startProgrammableChat(
  start: Start,
  options: ChatOptions = {},
): Promise<ProgrammableChat> {
  const init = `${recordQuestions}\n${options.init ?? ''}`;
  const config = withAgent(options.config);
  return new ProgrammableChat(await startChat(start, { ...options, agent: 'tester', config, init }));
}

/** A chat with a programmable agent that edits files, in a repository unless the options say otherwise. */
export async function startEditingChat(
  start: Start,
  { config, isRepository = true, ...options }: EditingOptions = {},
): Promise<ProgrammableChat> {
  const prepared: Start = async (given) => {
    const nvim = await start(given);
    if (isRepository) makeRepository(nvim.sandbox.cwd);
    return nvim;
  };
  const size = { columns: 120, lines: 30 };
  return new ProgrammableChat(
    await startChat(prepared, { ...size, ...options, agent: 'tester', config: withAgent(config) }),
  );
}

/** A chat in Neovim with an agent that takes the steps it is sent. */
export class ProgrammableChat extends User {
  get folder(): string {
    return this.nvim.sandbox.cwd;
  }

  at(name: string): string {
    return path.join(this.folder, name);
  }

  onDisk(name: string): string | undefined {
    return fs.existsSync(this.at(name)) ? fs.readFileSync(this.at(name), 'utf8') : undefined;
  }

  /** Sends steps that change files and waits until they are done. */
  async run(...steps: readonly FileStep[]): Promise<void> {
    await converse(this.nvim, JSON.stringify(steps));
  }

  /** Sends steps without waiting for them. */
  async begin(...steps: readonly object[]): Promise<void> {
    await this.nvim.lua("require('acp').send(...)", JSON.stringify(steps));
  }

  /** Has the agent say a text, as a line of its own. */
  async hear(text: string): Promise<void> {
    const content = { type: 'text', text: `${text}\n` };
    const update = { sessionUpdate: 'agent_message_chunk', content };
    await converse(this.nvim, JSON.stringify([{ update }]));
  }

  /** Closes the chat, and starts one whose agent is another process. */
  async startAgain(): Promise<void> {
    await this.nvim.command('AcpClose');
    await this.nvim.waitFor(() => this.nvim.lua("return #require('acp.chats').all() == 0"), 'no chat');
    await this.nvim.command('AcpChat tester');
    await this.nvim.input('<Esc>');
    await waitForPhase(this.nvim, 'idle');
  }

  /** Puts the cursor on the line of the chat with this text. */
  async goTo(text: string): Promise<void> {
    const isFound = await this.nvim.lua(
      `local chat, text = require('acp.chats').current(), ...
       for row, line in ipairs(vim.api.nvim_buf_get_lines(chat.buf, 0, -1, false)) do
         if line:find(text, 1, true) then
           vim.api.nvim_set_current_win(vim.fn.bufwinid(chat.buf))
           vim.api.nvim_win_set_cursor(0, { row, 0 })
           return true
         end
       end`,
      text,
    );
    if (!isFound) throw new Error(`the chat has no "${text}"`);
  }

  /** Opens the review and waits until it is drawn. */
  async review(what = ''): Promise<void> {
    await this.nvim.command(`AcpReview ${what}`);
    await this.nvim.waitFor(async () => (await this.list()).length > 1, 'the review');
    await drawn(this.nvim);
  }

  /** The lines of the review. */
  async list(): Promise<string[]> {
    const code = `
      local chat = require('acp.chats').current()
      return chat.review and vim.api.nvim_buf_get_lines(chat.review, 0, -2, false) or {}`;
    return (await this.nvim.lua<string[]>(code)).map((line) => line.trim().replaceAll(/ {2,}/g, '  '));
  }

  /** Waits until the review lists exactly these files. */
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

export function aDiff(path: string, oldText: string | null, newText: string): object {
  return { type: 'diff', path, oldText, newText };
}

export function aCall(fields: object): { readonly update: object } {
  return {
    update: { sessionUpdate: 'tool_call', toolCallId: 'c1', title: 'Edit', kind: 'edit', ...fields },
  };
}
