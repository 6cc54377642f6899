import type { HostRig, Step } from './host-rig.ts';
import type { Random } from './random.ts';
import { aSharedFile } from './shared-file.ts';

/** More than a round opens chats. */
const fileCount = 60;

/** One Neovim under a random walk: what the user and the agents do, and what the files have to be. */
export class Walk {
  readonly rig: HostRig;
  readonly random: Random;
  /** The prompts of each chat that is open. */
  readonly prompts = new Map<number, string[]>();
  /** By file: what the user typed last, and everything that the user has saved. */
  readonly files = new Map<string, { typed: string; readonly saved: Set<string> }>();
  private version = 0;
  private typedWords = 0;

  constructor(rig: HostRig, random: Random) {
    this.rig = rig;
    this.random = random;
    for (let index = 0; index < fileCount; index += 1) {
      const name = this.fileOf(index);
      this.files.set(name, { typed: 'user one', saved: new Set(['user one']) });
      rig.nvim.sandbox.write({ [name]: aSharedFile(0) });
    }
  }

  /** Runs Ex commands of the user; an error of Neovim itself is no failure of ours. */
  async run(command: string): Promise<void> {
    await this.rig.nvim.lua(
      `local ok, failure = pcall(vim.cmd, 'silent ' .. ...)
       vim.cmd.stopinsert()
       if not ok and tostring(failure):find('acp/', 1, true) then error(failure) end`,
      command,
    );
  }

  async chats(): Promise<readonly number[]> {
    return this.rig.nvim.lua("return vim.tbl_keys(require('acp.chats').all())");
  }

  async aChat(): Promise<number> {
    return this.random.pick(await this.chats());
  }

  /** The file of a chat, which no other chat that is open writes to. */
  fileOf(chat: number): string {
    return `f${chat % fileCount}.txt`;
  }

  /** The user types other lines into a file. */
  typeInto(name: string): { typed: string; readonly saved: Set<string> } {
    const file = this.files.get(name)!;
    this.typedWords += 1;
    file.typed = `typed ${this.typedWords}`;
    return file;
  }

  /** What the agent of a chat is asked to do. */
  steps(chat: number): readonly Step[] {
    const file = this.fileOf(chat);
    this.version += 1;
    const { version } = this;
    const kinds: readonly Step[] = [
      ['stream', 40, 1],
      ['stream', 1_000],
      ['calls', 5, 2],
      ['plan'],
      ['write', file, version],
      ['write', file, version],
      ['terminal', 'seq 20000'],
      ['terminal', 'sleep 100'],
      ['ask'],
      ['ask'],
      ['form'],
      ['hang'],
    ];
    return Array.from({ length: 1 + this.random.below(3) }, () => this.random.pick(kinds));
  }
}
