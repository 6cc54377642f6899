import type { AuthMethod } from '../../model/agent.ts';
import type { AgentSpec } from '../../ports/agent.ts';
import type { Editor } from '../../ports/editor.ts';
import { loginAdvice } from '../../session/notices.ts';
import type { Session } from '../../session/session.ts';
import { loginPicker, loginRunPicker } from '../../view/pickers/login.ts';
import { sanitiseLine } from '../../view/sanitise.ts';

type TerminalLogin = AuthMethod & { kind: 'terminal' };

/** The dialogs for logging in to the agent of a chat. */
export class LoginDialogs {
  private readonly chat: number;
  private readonly session: Session;
  private readonly spec: AgentSpec;
  private readonly editor: Editor;
  /** The command that the user was asked about last, and how many there were so far. */
  private lastCommand: Pick<AgentSpec, 'command' | 'env' | 'cwd'> | undefined;
  private commands = 0;

  constructor(chat: number, session: Session, spec: AgentSpec, editor: Editor) {
    this.chat = chat;
    this.session = session;
    this.spec = spec;
    this.editor = editor;
  }

  /** Lets the user choose how to log in. */
  show(): void {
    const { agent } = this.session.state;
    const methods = agent.authMethods ?? [];
    if (methods.length === 0)
      return this.editor.notify('warn', `${agent.title}: ${loginAdvice(this.spec.login)}, then :AcpRestart`);
    this.editor.send('picker.open', { chat: this.chat, ...loginPicker(this.chat, agent.title, methods) });
  }

  /** Asks whether the program of a login may run in a terminal. */
  confirmCommand({ env, cwd }: AgentSpec, method: TerminalLogin): void {
    this.commands += 1;
    this.lastCommand = { command: method.command, env: { ...env, ...method.env }, cwd };
    const { chat, commands: run } = this;
    const { title } = this.session.state.agent;
    this.editor.send('picker.open', { chat, ...loginRunPicker({ chat, run }, title, method) });
  }

  /** Runs the command that the user has confirmed. */
  run(run: number): void {
    if (!this.lastCommand || run !== this.commands) return;
    this.editor.send('login.run', { chat: this.chat, ...this.lastCommand });
  }

  askForKey(method: string, variable: string): void {
    const prompt = `Key for ${sanitiseLine(this.session.state.agent.title)} (${variable}): `;
    this.editor.send('login.ask', { chat: this.chat, method, prompt });
  }

  async logout(): Promise<void> {
    const { agent } = this.session.state;
    if (agent.capabilities?.logout) await this.session.login.logout();
    else this.editor.notify('warn', `${agent.title} does not support logging out here; use its own program`);
  }
}
