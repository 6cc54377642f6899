import fs from 'node:fs';
import path from 'node:path';
import { chatStatus, hostStatus, promptText, waitForPhase } from '../nvim/chat.ts';
import type { TestNvim } from '../nvim/nvim.ts';
import { User } from '../nvim/user.ts';
import { expectNoneLeft, type LiveProcess, processesWith } from '../system/processes.ts';
import { repoRoot } from '../system/repo-root.ts';

const program = path.join(repoRoot, 'test/fixtures/agents/faulty.mjs');

let count = 0;

export interface Fault {
  readonly stage: string;
  readonly fault: string;
}

/** A chat with an agent that has one fault at one stage, test/fixtures/agents/faulty.mjs. */
export class FaultyChat {
  readonly nvim: TestNvim;
  readonly name: string;
  private readonly folder: string;

  private constructor(nvim: TestNvim, name: string) {
    this.nvim = nvim;
    this.name = name;
    this.folder = path.join(nvim.sandbox.root, 'faults', name);
  }

  static async open(nvim: TestNvim, { stage, fault }: Fault): Promise<FaultyChat> {
    count += 1;
    const chat = new FaultyChat(nvim, `${stage}-${fault}-${count}`.replaceAll(' ', '-'));
    fs.mkdirSync(chat.folder, { recursive: true });
    await nvim.lua(
      `local name, command, folder = ...
       require('acp').setup({ agents = { [name] = { command = command, env = { FAULT_FOLDER = folder } } } })`,
      chat.name,
      ['node', program, stage, fault, chat.folder],
      chat.folder,
    );
    await nvim.input(`<C-\\><C-n>:AcpNew ${chat.name}<CR>`);
    await nvim.waitFor(async () => (await chatStatus(nvim))?.agent !== undefined, 'the chat');
    await nvim.input('<Esc>');
    return chat;
  }

  at(name: string): string {
    return path.join(this.folder, name);
  }

  /** The living processes of the agent and of everything it started; all of them name its folder. */
  get processes(): readonly LiveProcess[] {
    return processesWith(this.folder);
  }

  async waitForFile(name: string): Promise<string> {
    return this.nvim.waitFor(() => fs.readFileSync(this.at(name), 'utf8'), `the file ${name}`);
  }

  go(): void {
    fs.writeFileSync(this.at('go'), '');
  }

  /** What the agent was sent, but for an unfinished line. */
  get received(): readonly { readonly id?: unknown; readonly method?: string }[] {
    const lines = fs.readFileSync(this.at('received'), 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line));
  }

  async send(text: string): Promise<void> {
    await this.nvim.lua("require('acp').send(...)", text);
  }

  /** Types text into the prompt. An autocommand of the test may fail when its window is entered. */
  async type(text: string): Promise<void> {
    const prompt = await this.nvim.lua<number>(
      "return vim.fn.bufwinid(require('acp.chats').current().prompt)",
    );
    await this.nvim.command(`noautocmd call win_gotoid(${prompt})`);
    await this.nvim.input(`A${text}<Esc>`);
  }

  async waitForPrompt(text: string): Promise<void> {
    await this.nvim.waitFor(async () => (await promptText(this.nvim)) === text, `the prompt ${text}`);
  }

  async waitForPhase(phase: string): Promise<void> {
    await waitForPhase(this.nvim, phase);
  }

  /** Stops an agent that does not stop, which is killed no sooner than two seconds after the first time. */
  async cancelUntilKilled(): Promise<void> {
    const isDown = async () => {
      await this.nvim.command('AcpCancel');
      return (await chatStatus(this.nvim))?.phase === 'down';
    };
    await this.nvim.waitFor(isDown, 'the agent to be killed');
  }

  async waitForQuestions(count: number): Promise<void> {
    const isWaiting = `return require('acp.chats').current().waiting == ${count}`;
    await this.nvim.waitFor(() => this.nvim.lua<boolean>(isWaiting), `${count} questions`);
  }

  /** Chooses from the picker that opens on request; needs `recordQuestions`. */
  async answer(label: string): Promise<void> {
    await this.nvim.lua("_G.asked = {}; vim.cmd('AcpAnswer')");
    const user = new User(this.nvim);
    await user.next();
    await user.pick(label);
  }

  /** Waits for a text in the last lines of the transcript, which may be very long. */
  async waitForText(text: string, timeout?: number): Promise<void> {
    const isShown = `
      for _, line in ipairs(vim.api.nvim_buf_get_lines(require('acp.chats').current().buf, -20, -1, false)) do
        if line:find(..., 1, true) then
          return true
        end
      end`;
    await this.nvim.waitFor(() => this.nvim.lua<boolean>(isShown, text), `the chat to show ${text}`, timeout);
  }

  /** Starts the agent again, which is well now, and has it answer. */
  async startAgain(): Promise<void> {
    await this.nvim.command('AcpRestart');
    await this.waitForPhase('idle');
    await this.send('hello');
    await this.waitForText('all is well');
    await this.waitForPhase('idle');
  }

  /** Closes the chat. Its draft goes with it. */
  async close(): Promise<void> {
    await this.nvim.lua(
      "pcall(vim.api.nvim_buf_set_lines, require('acp.chats').current().prompt, 0, -1, false, {})",
    );
    await this.nvim.input('<C-\\><C-n>:AcpClose<CR>');
    await this.nvim.waitFor(async () => (await chatStatus(this.nvim)) === undefined, 'the chat to be closed');
  }

  async expectNoProcessLeft(): Promise<void> {
    await expectNoneLeft(this.folder);
  }
}

/** The memory of a process in MB: now, or the most it had since `resetPeakMemory`. */
export function memoryOf(pid: number, kind: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${kind}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

export function resetPeakMemory(pid: number): void {
  fs.writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

export async function hostPid(nvim: TestNvim): Promise<number> {
  const { pid } = await nvim.waitFor(() => hostStatus(nvim), 'the host');
  return pid;
}
