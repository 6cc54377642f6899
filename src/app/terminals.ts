import { AcpError } from '../base/errors.ts';
import { isInside } from '../base/paths.ts';
import type { TerminalState } from '../model/entries.ts';
import type { Clock } from '../ports/clock.ts';
import type { Editor } from '../ports/editor.ts';
import type { Log } from '../ports/log.ts';
import type { ExitStatus, TerminalSize } from '../ports/terminals.ts';
import { outputForPrompt, type TerminalAction, terminalsPicker } from '../view/pickers/terminals.ts';
import { sanitiseLine } from '../view/sanitise.ts';
import { onlyColours } from '../view/text/ansi.ts';
import { OutputFilter } from '../workspace/terminals/output-filter.ts';
import type { Terminal } from '../workspace/terminals/terminal.ts';
import { TerminalFeed } from '../workspace/terminals/terminal-feed.ts';

/** How many commands that have ended are kept with all of their output. */
const maxEnded = 12;

interface TerminalWindowsPorts {
  /** Runs a command line of the user; undefined on a machine without terminals. */
  runLine(chat: number, line: string): Promise<Terminal> | undefined;
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: Log;
}

/** The terminals of all chats, and the windows that show them. */
export class TerminalWindows {
  private readonly ports: TerminalWindowsPorts;
  private readonly terminals = new Map<string, Terminal>();
  /** Sends the output of a terminal to the buffer that shows it. */
  private readonly feeds = new Map<string, TerminalFeed>();

  constructor(ports: TerminalWindowsPorts) {
    this.ports = ports;
  }

  get count(): number {
    return this.terminals.size;
  }

  /** The line of a command that is running in a folder. */
  runningIn(folder: string): string | undefined {
    const all = [...this.terminals.values()];
    return all.find(({ exit, facts }) => !exit && isInside(facts.cwd, folder))?.facts.line;
  }

  /** A command was started. Of those that have ended and that no window shows, the oldest are forgotten. */
  add(terminal: Terminal): void {
    this.terminals.set(terminal.facts.id, terminal);
    const ended = [...this.terminals.values()].filter(({ exit, facts }) => exit && !this.feeds.has(facts.id));
    for (const { facts } of ended.slice(0, -maxEnded)) this.terminals.delete(facts.id);
  }

  /** Opens a terminal in a window. `left` is shown if the terminal was removed. */
  async show(id: string, left?: TerminalState): Promise<void> {
    const terminal = this.terminals.get(id);
    if (terminal) await this.open(terminal);
    else if (left) this.showEnded(left);
    else this.ports.editor.notify('warn', `terminal ${id} was removed`);
  }

  writeInput(id: string, text: string): void {
    this.terminals.get(id)?.writeInput(text);
  }

  resize(id: string, size: TerminalSize): void {
    this.terminals.get(id)?.resize(size);
  }

  /** The buffer of a terminal was deleted. */
  hide(id: string): void {
    this.feeds.get(id)?.dispose();
    this.feeds.delete(id);
  }

  async kill(id: string): Promise<void> {
    await this.terminals.get(id)?.end();
  }

  /** Lets the user choose a terminal. */
  list(action: TerminalAction): void {
    const { clock, editor } = this.ports;
    const all = [...this.terminals.values()].filter(({ exit }) => action === 'open' || !exit);
    if (all.length === 0)
      return editor.notify('warn', action === 'open' ? 'no command has run yet' : 'no command is running');
    const items = all.map(({ facts, exit }) => ({ ...facts, exit }));
    editor.send('picker.open', terminalsPicker(items.reverse(), action, clock.now()));
  }

  /** Runs a command line of the user and adds its output to the prompt. */
  async run(chat: number, line: string): Promise<void> {
    const { editor, runLine } = this.ports;
    const started = runLine(chat, line);
    if (!started)
      return editor.notify('warn', 'this machine has no terminals; :checkhealth acp shows the reason');
    const terminal = await started;
    await this.open(terminal);
    const exit = await terminal.ended;
    editor.send('prompt.add', { chat, text: outputForPrompt(line, terminal.output().text, exit) });
  }

  /** The output of a command as plain lines, and the folder that it ran in. */
  text(id: string): object {
    const terminal = this.terminals.get(id);
    if (!terminal) throw new AcpError('not_found', `terminal ${id} was removed`);
    const { line, cwd } = terminal.facts;
    return { ...heading(line, cwd), lines: terminal.output().text.replace(/\n$/, '').split('\n') };
  }

  /** The command that was started last, by the user or by an agent. */
  last():
    | { readonly line: string; readonly text: string; readonly exit: ExitStatus | undefined }
    | undefined {
    const terminal = [...this.terminals.values()].at(-1);
    return terminal && { line: terminal.facts.line, text: terminal.output().text, exit: terminal.exit };
  }

  private async open(terminal: Terminal): Promise<void> {
    const { id, line, cwd } = terminal.facts;
    const size = await this.ports.editor.call('terminal.open', { terminal: id, ...heading(line, cwd) });
    if (!size) return;
    terminal.resize(size);
    this.hide(id);
    this.feeds.set(id, new TerminalFeed(terminal, this.ports));
  }

  private showEnded({ terminalId: terminal, command, cwd, text, exit }: TerminalState): void {
    const shown = onlyColours(text).replace(/\r?\n/g, '\r\n');
    const data = new OutputFilter().filter(Buffer.from(shown)).toString();
    this.ports.editor.send('terminal.open', { terminal, ...heading(command, cwd), data, exit });
  }

  /** Stops sending output to buffers. */
  dispose(): void {
    for (const id of [...this.feeds.keys()]) this.hide(id);
  }
}

/** What a window says about its command. */
function heading(line: string, cwd: string | undefined) {
  return { title: sanitiseLine(line), cwd };
}
