import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { hostStatus } from '../nvim/chat.ts';
import type { TestNvim } from '../nvim/nvim.ts';
import { descendants, type LiveProcess, processesWith } from '../system/processes.ts';
import { versionIn } from './shared-file.ts';

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
    await this.nvim.waitFor(async () => (await this.exits()) > exits, 'the exit of the host');
    const exit = await this.nvim.lua<HostExit>('return rig.exits[#rig.exits]');
    if (!exit.isRestarted) await this.restartHost();
    if (isIdle) await this.waitUntilIdle();
    return exit;
  }

  // A prompt that the user sends starts a host that was given up, too.
  private async restartHost(): Promise<void> {
    const isDown = () => this.nvim.lua<boolean>('return rig.shows_host_down()');
    const hasReturned = async () => (await this.pid()) !== null;
    await this.nvim.waitFor(async () => (await isDown()) || (await hasReturned()), 'the host to be down');
    if (!(await hasReturned())) await this.nvim.command('AcpRestart!');
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

  /** A chat that was closed is let go when its agent has ended. */
  async waitForAgentsToEnd(timeout = 20_000): Promise<void> {
    const isAgent = ({ command }: LiveProcess) => command.includes('busy.mjs');
    const isEnded = () => !processesWith(this.nvim.sandbox.marker).some(isAgent);
    await this.nvim.waitFor(isEnded, 'the agents to end', timeout);
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
