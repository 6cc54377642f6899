import { asAcpError } from '../base/errors.ts';
import { addedVariables, fullCommandLine } from '../base/shell.ts';
import type { AuthMethod } from '../model/agent.ts';
import type { SessionState } from '../model/session.ts';
import type { NoticeEvent, SessionEvent } from '../model/session-events.ts';
import type { AgentSpec } from '../ports/agent.ts';
import {
  errorNotice,
  loggedIn,
  loggedOut,
  loginCommand,
  loginEnded,
  loginFailed,
  withLoginHint,
} from './notices.ts';
import type { SessionConnection } from './session-connection.ts';

type TerminalMethod = AuthMethod & { kind: 'terminal' };

interface LoginPorts {
  readonly state: SessionState;
  apply(event: SessionEvent): void;
  /** Runs the agent's program in a terminal, where the user logs in. */
  openTerminal(spec: AgentSpec, method: TerminalMethod): void;
  /** Asks the user for an API key; the agent reads it from `variable`. */
  askForKey(methodId: string, variable: string): void;
  /** Starts the agent again, and keeps the queued prompts. */
  restart(isFresh: boolean): Promise<void>;
}

/** Logs the user in to the agent of a session. Each login resolves with true once the agent accepts the user. */
export class SessionLogin {
  private readonly spec: AgentSpec;
  private readonly connection: SessionConnection;
  private readonly ports: LoginPorts;
  private waiting: (() => void)[] = [];

  constructor(spec: AgentSpec, connection: SessionConnection, ports: LoginPorts) {
    this.spec = spec;
    this.connection = connection;
    this.ports = ports;
  }

  /** Runs `retry` after the next login. */
  retryAfterLogin(retry: () => void): void {
    this.waiting.push(retry);
  }

  runRetries(): void {
    for (const retry of this.waiting.splice(0)) retry();
  }

  /** False for a login in a terminal, which only starts here: `finishInTerminal` reports its result. */
  async start(methodId: string): Promise<boolean> {
    const { connection, ports, spec } = this;
    const { link } = connection;
    const method = this.findMethod(methodId);
    if (!link || !method) return false;
    if (method.kind === 'terminal') {
      ports.apply(commandNotice(spec, method));
      ports.openTerminal(spec, method);
      return false;
    }
    if (method.variable !== undefined && !connection.hasVariable(method.variable)) {
      ports.askForKey(method.id, method.variable);
      return false;
    }
    try {
      await link.agent.authenticate(methodId, connection.cancelSignal);
      ports.apply(loggedIn(ports.state.agent.title));
      if (connection.link === link) await connection.resume(link);
      return true;
    } catch (error) {
      ports.apply(withLoginHint(asAcpError(error), spec, { hasMethods: false }));
      return false;
    }
  }

  /** Restarts the agent with the key in its environment, then logs in with it. The key is stored nowhere else. */
  async startWithKey(methodId: string, key: string): Promise<boolean> {
    const { connection, ports } = this;
    const method = this.findMethod(methodId);
    if (method?.kind !== 'agent' || method.variable === undefined || key === '') return false;
    connection.setKey(method.variable, key);
    await ports.restart(true);
    await connection.opened;
    if (ports.state.phase === 'login') return this.start(methodId);
    if (connection.link) ports.apply(loggedIn(ports.state.agent.title));
    return connection.link !== undefined;
  }

  /** The login in a terminal has ended. The agent notices it only when it starts again. */
  async finishInTerminal(code: number): Promise<boolean> {
    if (code !== 0) {
      this.ports.apply(loginFailed(code));
      return false;
    }
    await this.ports.restart(true);
    this.ports.apply(loginEnded(this.ports.state.agent.title));
    return true;
  }

  /** Another chat has logged in to the same agent: this one need not wait any longer. */
  async continueAfterOtherChat(): Promise<void> {
    if (this.ports.state.phase === 'login') await this.ports.restart(false);
  }

  async logout(): Promise<void> {
    try {
      if (this.ports.state.isEndedIdle) await this.connection.revive();
      await this.connection.link?.agent.logout();
      this.ports.apply(loggedOut);
    } catch (error) {
      this.ports.apply(errorNotice(asAcpError(error)));
    }
  }

  private findMethod(methodId: string): AuthMethod | undefined {
    return this.ports.state.agent.authMethods?.find(({ id }) => id === methodId);
  }
}

function commandNotice(
  { cwd }: AgentSpec,
  { command: [command = '', ...args], env, isOther }: TerminalMethod,
): NoticeEvent {
  const variables = addedVariables(process.env, { env }).map((variable) => `with ${variable}`);
  const warning = isOther ? ['This program is not the one that you configured for the agent.'] : [];
  return loginCommand(fullCommandLine({ command, args }), [`in ${cwd}`, ...variables, ...warning]);
}
