import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { NvimOptions, TestNvim } from '../nvim/nvim.ts';
import { Sandbox } from '../nvim/sandbox.ts';
import { busyOptions } from './busy-options.ts';
import { HostRig } from './host-rig.ts';

/** A Neovim that is killed and started again in the same folders, with an agent that notes which prompts it got. */
export class PromptsOnce {
  private readonly sandbox = new Sandbox();
  private readonly start: (options: NvimOptions) => Promise<TestNvim>;

  constructor(start: (options: NvimOptions) => Promise<TestNvim>) {
    this.start = start;
    this.addSlowGit();
  }

  /** Opens a Neovim with a chat. */
  async open(): Promise<HostRig> {
    const { sandbox } = this;
    const options = busyOptions({ sandbox, env: { ACP_TEST_PROMPTS: this.file('prompts') } });
    const bin = path.join(sandbox.root, 'bin');
    const env = { ...options.env, PATH: `${bin}:${process.env.PATH}`, ACP_TEST_SLOW_GIT: this.file('slow') };
    const rig = new HostRig(await this.start({ ...options, env }));
    await rig.nvim.command('AcpChat busy');
    await rig.nvim.input('<Esc>');
    await rig.waitUntilIdle();
    return rig;
  }

  /** From now on git takes a while, and with it the snapshot before a turn. */
  slowDown(isSlow = true): void {
    if (isSlow) fs.writeFileSync(this.file('slow'), '');
    else fs.rmSync(this.file('slow'), { force: true });
  }

  /** The records of all journals, as text. */
  get journals(): string {
    const folder = path.join(this.sandbox.env.XDG_STATE_HOME ?? '', 'nvim', 'acp');
    const names = fs.readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
    return names.map((name) => fs.readFileSync(path.join(folder, name), 'utf8')).join('\n');
  }

  /** Whether the turn of a prompt has begun. */
  hasBegun(prompt: string): boolean {
    return new RegExp(`"turn_started",[^\\n]*"text":"${prompt}\\b`).test(this.journals);
  }

  /** How often the agent got a prompt. */
  received(prompt: string): number {
    const file = this.file('prompts');
    const names = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n') : [];
    return names.filter((name) => name === prompt).length;
  }

  /** Sends whatever waits, and checks that the agent has got each prompt once. */
  async expectOnce(rig: HostRig, prompts: readonly string[]): Promise<void> {
    const { nvim } = rig;
    const isSent = () => prompts.every((prompt) => this.received(prompt) > 0);
    if (!isSent()) await nvim.lua("require('acp.chat.prompt.queue').resume(require('acp.chats').current())");
    await nvim.waitFor(isSent, `the agent to get ${prompts}`);
    await rig.waitUntilIdle();
    const counts = prompts.map((prompt) => `${prompt} ${this.received(prompt)}`);
    expect(counts).toEqual(prompts.map((prompt) => `${prompt} 1`));
    expect(await nvim.lua("return #require('acp').queue()"), 'prompts that wait').toBe(0);
  }

  dispose(): void {
    this.sandbox.dispose();
  }

  private file(name: string): string {
    return path.join(this.sandbox.root, name);
  }

  private addSlowGit(): void {
    const folder = path.join(this.sandbox.root, 'bin');
    fs.mkdirSync(folder, { recursive: true });
    const lines = [
      '#!/bin/sh',
      `PATH='${process.env.PATH}'`,
      '[ -e "$ACP_TEST_SLOW_GIT" ] && sleep 1',
      'exec git "$@"',
    ];
    fs.writeFileSync(path.join(folder, 'git'), `${lines.join('\n')}\n`, { mode: 0o755 });
  }
}
