import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { hostStatus } from '../support/nvim/chat.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { repoRoot } from '../support/nvim/nvim-process.ts';
import { Sandbox } from '../support/nvim/sandbox.ts';
import { answerImmediately } from '../support/nvim/user.ts';
import { hasGit, makeRepository } from '../support/system/git.ts';
import { descendants, type LiveProcess, processesWith } from '../support/system/processes.ts';

const agent = path.join(repoRoot, 'test/fixtures/agents/busy.mjs');

/** A step of test/fixtures/agents/busy.mjs. */
export type Step = readonly [kind: string, ...args: readonly (string | number)[]];

export interface ShownChat {
  readonly id: number;
  readonly text: string;
  readonly draft: string;
  readonly queue: string;
}

/** What Neovim showed when a host exited, before anything was restored. */
export interface HostExit {
  readonly chats: readonly ShownChat[];
  readonly isRestarted: boolean;
}

/** Lua functions of the rig. The listener of exits is added first, so it sees what the user saw. */
const functions = `
local host = require('acp.host')
local function text(buf)
  return buf and table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\\n') or ''
end
_G.rig = { exits = {}, pickers = {} }
function rig.shown()
  local shown = {}
  for id, chat in pairs(require('acp.chats').all()) do
    local queue = table.concat(require('acp').queue(id), '\\n')
    table.insert(shown, { id = id, text = text(chat.buf), draft = text(chat.prompt), queue = queue })
  end
  return shown
end
host.on('exit', function(_, is_restarted)
  table.insert(rig.exits, { chats = rig.shown(), isRestarted = is_restarted })
end)
-- The newest one: the one before may still be ending.
function rig.pid()
  local newest
  for _, channel in ipairs(vim.api.nvim_list_chans()) do
    local is_host = vim.list_contains(channel.argv or {}, require('acp.paths').root .. '/rplugin/node/acp.js')
    newest = is_host and math.max(newest or 0, channel.id) or newest
  end
  local ok, pid = pcall(vim.fn.jobpid, newest)
  return ok and pid or nil
end
local kill
function kill()
  -- The last one may have just exited.
  if not rig.pid() then return vim.defer_fn(kill, 10) end
  vim.uv.kill(rig.pid(), 'sigkill')
end
function rig.kill_after(ms) vim.defer_fn(kill, ms) end
-- Kills the host when it has called a number of operations, and after a while if it calls fewer.
function rig.kill_at(count)
  local operations, left = require('acp.operations'), count
  local receive = operations.receive
  local function finish()
    if left then
      operations.receive, left = receive, nil
      kill()
    end
  end
  operations.receive = function(...)
    left = left and left - 1
    local answer = receive(...)
    if left == 0 then finish() end
    return answer
  end
  vim.defer_fn(finish, 400)
end
vim.ui.select = function(items, options, on_choice)
  table.insert(rig.pickers, { answer = on_choice, items = items, prompt = options.prompt })
  if rig.takes_first then vim.schedule(function() on_choice(items[1], 1) end) end
end
vim.ui.input = function(options, on_confirm)
  table.insert(rig.pickers, { answer = on_confirm, items = { 'typed' }, prompt = options.prompt })
end`;

const marks = '--- agent';
const agentLines = (version: number | string) =>
  Array.from({ length: 20 }, (_, row) => `agent ${version} line ${row}`).join('\n');

// The lines between the user's and the agent's keep their changes apart.
export const usersLines = (first: string) => `${first}\nuser two\n\n\n\n`;

/** A file whose first lines are the user's and whose other lines are the agent's. */
export const aSharedFile = (version: number | string, users = usersLines('user one')) =>
  `${users}${marks}\n${agentLines(version)}\n`;

/** The version of the agent's lines; throws if they are not all of one version. */
export function versionIn(text: string, what: string): string {
  const own = text.slice(text.indexOf(marks));
  const version = /agent (\S+) line 0\n/.exec(own)?.[1] ?? 'none';
  expect(own, `${what} is whole`).toBe(`${marks}\n${agentLines(version)}\n`);
  return version;
}

/** Options for a Neovim with the busy agent in a project of its own. */
export function busyOptions(options: NvimOptions = {}): NvimOptions & { readonly sandbox: Sandbox } {
  const sandbox = options.sandbox ?? new Sandbox();
  const files = {
    'open.txt': aSharedFile(0),
    'closed.txt': aSharedFile(0, ''),
    'other.txt': aSharedFile(0, ''),
  };
  sandbox.write(files);
  if (hasGit) makeRepository(sandbox.cwd);
  const config = `vim.g.acp = {
    agents = { busy = { command = { 'node', '${agent}' } } },
    permissions = { 'allow run *', 'allow edit *', 'allow read *' },
  }`;
  return {
    ...{ columns: 140, lines: 40, ...options, sandbox },
    env: {
      ACP_TEST_TROUBLE: path.join(sandbox.root, 'trouble'),
      // Neovim writes it into the project if its own folder can't be written to.
      NVIM_LOG_FILE: path.join(sandbox.root, 'nvim.log'),
      ...options.env,
    },
    init: `${config}\n${answerImmediately}\n${functions}\nvim.o.swapfile = false\n${options.init ?? ''}`,
  };
}

/** A Neovim with its own host, and a chat with an agent that asks for everything. */
export class HostRig {
  readonly nvim: TestNvim;
  private readonly tokens: string[] = [];

  constructor(nvim: TestNvim) {
    this.nvim = nvim;
  }

  /** Opens a file with unsaved text of the user, and a chat. */
  async open(): Promise<void> {
    await this.nvim.command('edit open.txt');
    await this.nvim.lua("vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'typed by the user' })");
    await this.nvim.command('AcpChat busy');
    await this.nvim.input('<Esc>');
    await this.waitUntilIdle();
  }

  /** A word that no other prompt has. */
  nextToken(): string {
    const token = `p${this.tokens.length}`;
    this.tokens.push(token);
    return token;
  }

  get tokenCount(): number {
    return this.tokens.length;
  }

  /** The words of the prompts after the first ones. */
  tokensSince(first: number): readonly string[] {
    return this.tokens.slice(first);
  }

  /** Sends a prompt to a chat, by default to the current one, and returns its word. */
  async send(steps: readonly Step[] = [], chat?: number): Promise<string> {
    const token = this.nextToken();
    const text = steps.length > 0 ? `${token} ${JSON.stringify(steps)}` : token;
    await this.nvim.lua(
      `local text, id = ...
       local chats = require('acp.chats')
       require('acp.chat.actions').send(id and chats.get(id) or chats.current(), text)`,
      text,
      ...(chat === undefined ? [] : [chat]),
    );
    return token;
  }

  /** Sends a prompt and waits for its end. */
  async converse(steps: readonly Step[] = []): Promise<string> {
    const token = await this.send(steps);
    await this.waitForText(`${token}-end`);
    await this.waitUntilIdle();
    return token;
  }

  /** What all chats show now. */
  shown(): Promise<readonly ShownChat[]> {
    return this.nvim.lua('return rig.shown()');
  }

  async text(): Promise<string> {
    return (await this.shown()).map(({ text }) => text).join('\n');
  }

  async waitForText(text: string | RegExp): Promise<void> {
    const isThere = async () => {
      const shown = await this.text();
      return typeof text === 'string' ? shown.includes(text) : text.test(shown);
    };
    await this.nvim.waitFor(isThere, `a chat to show ${text}`);
  }

  pid(): Promise<number | null> {
    return this.nvim.lua('return rig.pid()');
  }

  /** Waits until every chat of Neovim is open in the host and none is at work. */
  async waitUntilIdle(timeout = 20_000): Promise<void> {
    await this.nvim.waitFor(
      async () => {
        const known = (await this.shown()).length;
        const chats = (await hostStatus(this.nvim))?.chats ?? [];
        return chats.length === known && chats.every(({ phase }) => phase === 'idle');
      },
      'all chats to be idle',
      timeout,
    );
  }

  /** Waits for the exit of a host, and until all chats are back. Returns what the user saw at that moment. */
  async recover(exits: number, isIdle = true): Promise<HostExit> {
    await this.nvim.waitFor(async () => (await this.exits()) > exits, 'the exit of the host', 15_000);
    const exit = await this.nvim.lua<HostExit>('return rig.exits[#rig.exits]');
    if (!exit.isRestarted) {
      await this.nvim.waitForScreen('the host is down · :AcpRestart!');
      await this.nvim.command('AcpRestart!');
    }
    if (isIdle) await this.waitUntilIdle();
    return exit;
  }

  exits(): Promise<number> {
    return this.nvim.lua('return #rig.exits');
  }

  /** Waits until only Neovim, its host and what that has started are left. */
  async expectOnlyOneHost(): Promise<void> {
    await this.nvim.waitFor(
      async () => (await this.strangers()).length === 0,
      'the processes of the old host to end',
    );
  }

  private async strangers(): Promise<readonly LiveProcess[]> {
    const known = [this.nvim.pid, ...descendants(this.nvim.pid)];
    return processesWith(this.nvim.sandbox.marker).filter(({ pid }) => !known.includes(pid));
  }

  /** Nothing waits for a key, nothing has failed, and nothing was answered twice. */
  async expectNoTrouble(): Promise<void> {
    const mode = await this.nvim.client.request('nvim_get_mode', []);
    expect(mode, await this.nvim.report()).toMatchObject({ blocking: false });
    expect(await this.nvim.messages()).not.toMatch(/traceback|lua\/acp|E\d+:|error in the host/);
    const trouble = path.join(this.nvim.sandbox.root, 'trouble');
    expect(fs.existsSync(trouble) ? fs.readFileSync(trouble, 'utf8') : '').toBe('');
  }

  onDisk(name: string): string {
    return this.nvim.sandbox.read(name);
  }

  buffer(name: string): Promise<string> {
    const code =
      "return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false), '\\n') .. '\\n'";
    return this.nvim.lua(code, this.nvim.sandbox.path(name));
  }

  /** Every file is whole, what the user typed is in the buffer only, and nothing else is in the folder. */
  async expectWholeFiles(): Promise<void> {
    const buffer = await this.buffer('open.txt');
    expect(buffer.split('\n').slice(0, 2), 'unsaved text').toEqual(['typed by the user', 'user two']);
    versionIn(buffer, 'the buffer of open.txt');
    for (const name of ['open.txt', 'closed.txt', 'other.txt']) versionIn(this.onDisk(name), name);
    expect(this.onDisk('open.txt')).toMatch(/^user one\nuser two\n/);
    const names = fs.readdirSync(this.nvim.sandbox.cwd).filter((name) => name !== '.git');
    expect(names.toSorted(), 'files in the project').toEqual(['closed.txt', 'open.txt', 'other.txt']);
  }
}
