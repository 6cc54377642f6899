import { isRecord } from '../base/record.ts';
import type { TourTurn } from './turn.ts';

/** A command in a terminal of the client. Must be released after use. */
export class ClientTerminal {
  readonly id: string;
  private readonly turn: TourTurn;

  private constructor(turn: TourTurn, id: string) {
    this.turn = turn;
    this.id = id;
  }

  static async open(turn: TourTurn, commandLine: string): Promise<ClientTerminal> {
    const command = { command: 'sh', args: ['-c', commandLine], cwd: turn.session.cwd };
    // Not cancelled with the turn: without the answer the terminal could not be released.
    const answer = await turn.requestUncancelled('terminal/create', command);
    const id = isRecord(answer) ? answer.terminalId : undefined;
    if (typeof id !== 'string') throw new Error('the client opened a terminal without an id');
    return new ClientTerminal(turn, id);
  }

  /** Resolves when the command has exited; `how` is text such as "code 0" or "signal SIGTERM". */
  async waitForExit(): Promise<{ readonly isGood: boolean; readonly how: string }> {
    const answer = await this.turn.request('terminal/wait_for_exit', { terminalId: this.id });
    const { exitCode, signal } = isRecord(answer) ? answer : {};
    const how = typeof signal === 'string' ? `signal ${signal}` : `code ${String(exitCode ?? 'unknown')}`;
    return { isGood: exitCode === 0, how };
  }

  async output(): Promise<string> {
    const answer = await this.turn.request('terminal/output', { terminalId: this.id });
    return isRecord(answer) && typeof answer.output === 'string' ? answer.output : '';
  }

  /** Ends the command if it still runs. Errors are ignored: the client has released the terminal already. */
  release(): void {
    this.turn.requestUncancelled('terminal/release', { terminalId: this.id }).catch(() => undefined);
  }
}
