import type { NeovimClient } from 'neovim';
import type { Host } from '../../../src/app/host.ts';
import { isRecord } from '../../../src/base/record.ts';
import { requireBuild } from '../system/build.ts';
import { expectNoneLeft, killAll } from '../system/processes.ts';
import { patienceMs, type Truthy, waitFor, within } from '../wait.ts';
import { connect } from './client.ts';
import { attachHostTo, type HostLink } from './host-link.ts';
import {
  type Exit,
  enteredEvent,
  type NvimProcess,
  type NvimProcessOptions,
  spawnNvim,
} from './nvim-process.ts';
import { type Files, Sandbox } from './sandbox.ts';
import { type RedrawEvent, Screen } from './screen.ts';

export interface NvimOptions extends NvimProcessOptions {
  readonly columns?: number;
  readonly lines?: number;
  /** Files to create in the working directory before Neovim starts. */
  readonly files?: Files;
  /** The sandbox of a Neovim that has exited, to be used again. */
  readonly sandbox?: Sandbox;
}

/** A part of the text on the screen, or a predicate. */
export type ScreenCondition = string | RegExp | ((text: string) => boolean);

/** Starts a real Neovim with the plugin on its runtimepath and a screen attached; ready when startup is over. */
export async function startNvim(options: NvimOptions = {}): Promise<TestNvim> {
  requireBuild();
  const sandbox = options.sandbox ?? new Sandbox();
  sandbox.write(options.files ?? {});
  const nvim = new TestNvim(sandbox, spawnNvim(sandbox, options));
  try {
    await nvim.start(options.columns ?? 100, options.lines ?? 30);
    return nvim;
  } catch (error) {
    await nvim.dispose();
    throw error;
  }
}

export class TestNvim {
  readonly screen = new Screen();
  readonly client: NeovimClient;
  readonly pid: number;
  readonly sandbox: Sandbox;
  /** Resolves when Neovim has exited. */
  readonly exited: Promise<Exit>;
  private readonly process: NvimProcess;
  private readonly gone: Promise<never>;
  private stderr = '';
  private hasEntered = false;
  private hostLink: HostLink | undefined;
  private disposal: Promise<void> | undefined;
  private lastQuestion = 0;
  private readonly questions = new Map<number, (answer: unknown) => void>();

  constructor(sandbox: Sandbox, process: NvimProcess) {
    this.sandbox = sandbox;
    this.process = process;
    this.pid = process.pid;
    this.exited = process.exited;
    this.gone = process.exited.then(() => Promise.reject(new Error(`Neovim has ended. ${this.stderr}`)));
    this.gone.catch(ignore);
    process.child.stderr?.on('data', (chunk) => {
      this.stderr += chunk;
    });
    this.client = connect(process.child);
    this.client.on('notification', (method: string, args: unknown[]) => this.receive(method, args));
  }

  async start(columns: number, lines: number): Promise<void> {
    await this.request('nvim_ui_attach', columns, lines, { ext_linegrid: true, rgb: true });
    await this.waitFor(() => this.hasEntered && this.screen.isUpToDate, 'Neovim to start');
  }

  /** Runs a chunk of Lua with `...` = args. Rejects when Neovim exits, which the client itself would not notice. */
  async lua<T = unknown>(code: string, ...args: unknown[]): Promise<T> {
    return (await this.request('nvim_exec_lua', code, args)) as T;
  }

  /** Runs an Ex command and resolves with its output. */
  async command(command: string): Promise<string> {
    return this.lua('return vim.api.nvim_exec2(..., { output = true }).output', command);
  }

  /**
   * Asks the host through Neovim, so after everything that Neovim has sent before. Neovim does not wait for the answer:
   * `vim.wait()` would swallow a `<C-c>` that was typed just before.
   */
  async askHost<T>(op: string, payload: object = {}): Promise<T> {
    this.lastQuestion += 1;
    const id = this.lastQuestion;
    const answer = new Promise<unknown>((resolve) => {
      this.questions.set(id, resolve);
    });
    await this.lua(
      `local channel, id, op, payload = ...
       require('acp.host.requests').ask(op, payload, function(value)
         vim.rpcnotify(channel, '${answerEvent}', id, value)
       end)`,
      await this.client.channelId,
      id,
      op,
      payload,
    );
    return (await Promise.race([answer, this.gone])) as T;
  }

  /** Types keys: `ihello<Esc>`. */
  async input(keys: string): Promise<void> {
    await this.request('nvim_input', keys);
  }

  async resize(columns: number, lines: number): Promise<void> {
    await this.request('nvim_ui_try_resize', columns, lines);
    await this.waitFor(() => this.screen.width === columns && this.screen.height === lines, 'the new size');
  }

  /** The lines of a buffer; 0 is the current one. */
  async lines(buf = 0): Promise<string[]> {
    return this.lua('return vim.api.nvim_buf_get_lines(..., 0, -1, false)', buf);
  }

  async messages(): Promise<string> {
    return this.command('messages');
  }

  /** Resolves with the first truthy value of the condition. An error counts as not met. */
  async waitFor<T>(
    condition: () => T | Promise<T>,
    what = 'a condition',
    timeout = patienceMs,
  ): Promise<Truthy<T>> {
    return waitFor(condition, {
      timeout,
      failed: this.gone,
      describe: async () => `waiting for ${what}\n${await this.report()}`,
      onChange: (look) => this.screen.onFlush(look),
    });
  }

  async waitForScreen(
    condition: ScreenCondition,
    what = describe(condition),
    timeout?: number,
  ): Promise<void> {
    const isMet = () => this.screen.isUpToDate && matches(this.screen.text(), condition);
    await this.waitFor(isMet, `the screen to show ${what}`, timeout);
  }

  /** Runs the host in this process, as if Neovim had started it. One at a time in a test file. */
  async attachHost(): Promise<Host> {
    this.hostLink ??= await attachHostTo(this);
    return this.hostLink.host;
  }

  /** The screen, the messages and stderr, for failed tests. */
  async report(): Promise<string> {
    const { row, col } = this.screen.cursor;
    const title = `screen, cursor at ${row}:${col}, mode ${this.screen.mode}`;
    const messages = await within(1000, this.messagesIfIdle().catch(String), '(Neovim is busy)');
    const parts = [frame(title, this.screen.text()), frame(':messages', messages)];
    if (this.stderr) parts.push(frame('stderr', this.stderr));
    return parts.join('\n');
  }

  /** Quits Neovim with a command, and resolves when it has exited. */
  async quit(command = 'qa!'): Promise<Exit> {
    // Neovim may exit before it answers.
    await this.input(`<C-\\><C-n>:${command}<CR>`).catch(ignore);
    const exit = await within(patienceMs, this.exited, undefined);
    if (!exit) throw new Error(`Neovim did not end after :${command}\n${await this.report()}`);
    return exit;
  }

  /** Kills Neovim, checks that nothing it started outlives it, and removes its directories. */
  dispose(): Promise<void> {
    this.disposal ??= this.end();
    return this.disposal;
  }

  private async end(): Promise<void> {
    try {
      if (this.hostLink) await this.endHost(this.hostLink);
      this.process.child.kill('SIGKILL');
      await this.exited;
      await expectNoneLeft(this.sandbox.marker);
    } finally {
      killAll(this.sandbox.marker);
      this.sandbox.dispose();
    }
  }

  // A host that is still ending would write into removed folders.
  private async endHost(link: HostLink): Promise<void> {
    const hasEnded = await within(
      patienceMs,
      link.detach().then(() => true),
      false,
    );
    if (!hasEnded) throw new Error('the host did not end');
  }

  private async messagesIfIdle(): Promise<string> {
    const mode = await this.request('nvim_get_mode');
    return isRecord(mode) && mode.blocking ? '(Neovim waits for a key)' : this.messages();
  }

  private receiveAnswer([id, answer]: readonly unknown[]): void {
    this.questions.get(id as number)?.(answer);
    this.questions.delete(id as number);
  }

  private request(method: string, ...args: unknown[]): Promise<unknown> {
    return Promise.race([this.client.request(method, args), this.gone]);
  }

  private receive(method: string, args: unknown[]): void {
    if (method === 'redraw') this.screen.redraw(args as RedrawEvent[]);
    if (method === enteredEvent) this.hasEntered = true;
    if (method === answerEvent) this.receiveAnswer(args);
  }
}

const answerEvent = 'acp_test_answer';

function matches(text: string, condition: ScreenCondition): boolean {
  if (typeof condition === 'string') return text.includes(condition);
  if (typeof condition === 'function') return condition(text);
  return text.search(condition) >= 0;
}

function describe(condition: ScreenCondition): string {
  return typeof condition === 'string' ? JSON.stringify(condition) : String(condition);
}

function frame(title: string, text: string): string {
  return `── ${title}\n${text.trimEnd()}\n──`;
}

function ignore(): void {}
