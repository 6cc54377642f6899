import { isRecord } from './base.ts';
import { AcpError, messageOf } from './errors.ts';
import type { Clock, Editor, Log } from './ports/host.ts';
import type { TerminalSize } from './ports/terminals.ts';
import type { TerminalState } from './session/model.ts';
import { onlyColours } from './view/ansi.ts';
import { runOutput, type TerminalAction, terminalsPicker } from './view/terminal-picker.ts';
import type { Terminal } from './workspace/terminal.ts';
import type { EditorWorkspace } from './workspace/workspace.ts';

export interface TerminalWindowsPorts {
  readonly workspace: EditorWorkspace;
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: Log;
}

/** What users see of commands, and do with them. */
export class TerminalWindows {
  private readonly ports: TerminalWindowsPorts;

  constructor(ports: TerminalWindowsPorts) {
    this.ports = ports;
  }

  /** Opens the terminal of a command in a window; of one that is long over what is left of it. */
  async show(id: string, left?: TerminalState): Promise<void> {
    const terminal = this.ports.workspace.find(id);
    if (terminal) await this.open(terminal);
    else if (left) this.showLeft(left);
    else this.tellUser(`nothing is left of terminal ${id}`);
  }

  type(id: string, text: string): void {
    this.ports.workspace.find(id)?.type(text);
  }

  resize(id: string, size: TerminalSize): void {
    this.ports.workspace.find(id)?.resize(size);
  }

  /** Its buffer is gone. */
  hide(id: string): void {
    this.ports.workspace.hide(id);
  }

  kill(id: string): void {
    this.ports.workspace
      .find(id)
      ?.end()
      .catch((error: unknown) => this.ports.log.error('a command was not ended', error));
  }

  /** Lets the user choose one. */
  list(action: TerminalAction): void {
    const { workspace, clock, editor } = this.ports;
    const all = workspace.all.filter(({ terminal }) => action === 'open' || !terminal.exit);
    if (all.length === 0) return this.tellUser(action === 'open' ? 'no command ran yet' : 'no command runs');
    const items = all.map(({ terminal: { facts, exit } }) => ({ ...facts, exit }));
    editor.tell('picker.open', terminalsPicker(items.reverse(), action, clock.now()));
  }

  /** Runs a line of the user's and offers what it wrote for the next prompt. */
  async run(chat: number, line: string): Promise<void> {
    const { workspace, editor } = this.ports;
    if (!workspace.offers.terminals)
      return this.tellUser('there are no terminals here; :checkhealth acp says why');
    try {
      const terminal = await workspace.runLine(chat, line);
      await this.open(terminal);
      const exit = await terminal.ended;
      editor.tell('prompt.add', { chat, text: runOutput(line, terminal.output().text, exit) });
    } catch (error) {
      this.tellUser(messageOf(error));
    }
  }

  /** All that is known of what a command wrote, as plain lines, and where it ran. */
  text(id: string): object {
    const terminal = this.ports.workspace.find(id);
    if (!terminal) throw new AcpError('not_found', `nothing is left of terminal ${id}`);
    const { line, cwd } = terminal.facts;
    return { title: line, cwd, lines: terminal.output().text.replace(/\n$/, '').split('\n') };
  }

  private async open(terminal: Terminal): Promise<void> {
    const { id, line: title, cwd } = terminal.facts;
    const size = await this.ports.editor.call('terminal.open', { terminal: id, title, cwd });
    if (!isRecord(size)) return;
    this.ports.workspace.show(id, { columns: Number(size.columns), rows: Number(size.rows) });
  }

  private showLeft({ terminalId: terminal, command: title, cwd, text, exit }: TerminalState): void {
    const data = onlyColours(text).replace(/\r?\n/g, '\r\n');
    const place = cwd === undefined ? {} : { cwd };
    this.ports.editor.tell('terminal.open', { terminal, title, ...place, data, ...(exit && { exit }) });
  }

  private tellUser(message: string): void {
    this.ports.editor.tell('user.notify', { message, level: 'warn' });
  }
}
