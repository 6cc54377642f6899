import { isRecord } from '../base.ts';
import type { Stage } from './stage.ts';

/** A command in a terminal of the client. Whoever opens one releases it. */
export class Terminal {
  readonly id: string;
  private readonly stage: Stage;

  private constructor(stage: Stage, id: string) {
    this.stage = stage;
    this.id = id;
  }

  static async open(stage: Stage, commandLine: string): Promise<Terminal> {
    const command = { command: 'sh', args: ['-c', commandLine], cwd: stage.session.cwd };
    // A cancel does not take it back: without the answer nobody could release the terminal.
    const answer = await stage.insist('terminal/create', command);
    const id = isRecord(answer) ? answer.terminalId : undefined;
    if (typeof id !== 'string') throw new Error('the client opened a terminal without an id');
    return new Terminal(stage, id);
  }

  /** Resolves when the command has ended, with how it did: "code 0", "signal SIGTERM". */
  async ended(): Promise<{ readonly isGood: boolean; readonly how: string }> {
    const answer = await this.stage.request('terminal/wait_for_exit', { terminalId: this.id });
    const { exitCode, signal } = isRecord(answer) ? answer : {};
    const how = typeof signal === 'string' ? `signal ${signal}` : `code ${String(exitCode ?? 'unknown')}`;
    return { isGood: exitCode === 0, how };
  }

  async output(): Promise<string> {
    const answer = await this.stage.request('terminal/output', { terminalId: this.id });
    return isRecord(answer) && typeof answer.output === 'string' ? answer.output : '';
  }

  /** Ends the command if it still runs. A client that refuses has forgotten the terminal already. */
  release(): void {
    this.stage.insist('terminal/release', { terminalId: this.id }).catch(() => undefined);
  }
}
