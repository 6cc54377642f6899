import { AcpError, asAcpError } from '../base/errors.ts';
import { isPromptUnanswered } from '../model/entries.ts';
import { joinPrompts, type Prompt, promptRecord } from '../model/prompt.ts';
import type { SessionState } from '../model/session.ts';
import type { SessionEvent } from '../model/session-events.ts';
import type { AgentLink, AgentSpec } from '../ports/agent.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { ChangeWatch } from '../ports/workspace.ts';
import { errorNotice, withLoginHint } from './notices.ts';
import type { SessionConnection } from './session-connection.ts';

const maxSnapshotMs = 2_000;

interface TurnPorts {
  readonly state: SessionState;
  readonly clock: Clock;
  readonly log: Log;
  readonly changes: ChangeWatch | undefined;
  apply(event: SessionEvent): void;
  /** Cancels the questions of the turn. */
  cancelQuestions(): void;
  /** Gives the user a prompt back that did not reach the agent. */
  returnPrompt(prompt: Prompt): void;
}

/** Sends the queued prompts to the agent, one turn after the other. */
export class Turns {
  /** Settles when the last turn is over. */
  current: Promise<void> = Promise.resolve();
  private readonly spec: AgentSpec;
  private readonly connection: SessionConnection;
  private readonly ports: TurnPorts;

  constructor(spec: AgentSpec, connection: SessionConnection, ports: TurnPorts) {
    this.spec = spec;
    this.connection = connection;
    this.ports = ports;
  }

  enqueue(prompt: Prompt): void {
    this.ports.apply({ kind: 'prompt_queued', ...promptRecord(prompt) });
  }

  /** Starts the turn of the first queued prompt, if the agent is idle. */
  sendNext(): void {
    const { state } = this.ports;
    const { link, sessionId, opener } = this.connection;
    const next = state.queue[0];
    if (!next || state.phase !== 'idle' || !link || sessionId === undefined) return;
    opener.endReplay();
    this.ports.apply({ kind: 'turn_started', ...promptRecord(next) });
    this.current = this.run(link, sessionId, next);
  }

  /** Empties the queue and gives its prompts back to the user as one. */
  returnQueue(): void {
    const prompts = this.takeQueue();
    if (prompts.length > 0) this.ports.returnPrompt(joinPrompts(prompts));
  }

  /** Empties the queue. */
  takeQueue(): readonly Prompt[] {
    const prompts = [...this.ports.state.queue];
    if (prompts.length > 0) this.ports.apply({ kind: 'queue_cleared' });
    return prompts;
  }

  private async run(link: AgentLink, sessionId: string, prompt: Prompt): Promise<void> {
    const { ports, connection } = this;
    try {
      if (ports.changes) await this.takeSnapshot(ports.changes, prompt);
      if (connection.link !== link) return;
      const stopReason = await link.agent.prompt(sessionId, prompt);
      if (connection.link === link) this.end(stopReason);
    } catch (error) {
      if (connection.link !== link) return;
      const isUnanswered = isPromptUnanswered(ports.state.entries);
      // A cancelled prompt is not sent again after a login.
      const isCancelled = ports.state.phase === 'cancelling';
      if (!isCancelled && asAcpError(error).code === 'auth_required') {
        return this.pauseForLogin(asAcpError(error), prompt);
      }
      this.fail(link, asAcpError(error));
      if (isUnanswered) ports.returnPrompt(prompt);
    }
  }

  // The prompt waits for the snapshot of the workspace. A large workspace must not make the user wait for long.
  private async takeSnapshot(changes: ChangeWatch, prompt: Prompt): Promise<void> {
    const { clock, log, state } = this.ports;
    await new Promise<void>((resolve) => {
      const timer = clock.after(maxSnapshotMs, resolve);
      const finish = () => {
        timer.dispose();
        resolve();
      };
      changes.beginTurn(prompt.text).then(finish, (error: unknown) => {
        log.error('the snapshot before the turn failed', error);
        finish();
      });
    });
    if (state.phase === 'cancelling') throw new AcpError('cancelled', 'cancelled before the prompt was sent');
  }

  private end(stopReason: string): void {
    this.ports.cancelQuestions();
    this.connection.opener.endTurn();
    this.ports.apply({ kind: 'turn_ended', stopReason });
    this.sendNext();
  }

  private fail(link: AgentLink, error: AcpError): void {
    if (error.code === 'agent_exited') return this.connection.handleExit(link, error);
    // Some agents answer `session/cancel` by failing the prompt.
    if (error.code === 'cancelled' || this.ports.state.phase === 'cancelling') return this.end('cancelled');
    this.ports.apply(errorNotice(error));
    this.returnQueue();
    this.end('end_turn');
  }

  // The prompt is sent again, before all others, once the user has logged in.
  private pauseForLogin(error: AcpError, prompt: Prompt): void {
    const { ports } = this;
    const { agent, queue } = ports.state;
    const others = [...queue];
    ports.cancelQuestions();
    const notice = withLoginHint(error, this.spec, (agent.authMethods ?? []).length > 0);
    ports.apply({ kind: 'login_needed', agent, notice });
    ports.apply({ kind: 'queue_cleared' });
    for (const waiting of [prompt, ...others]) this.enqueue(waiting);
  }
}
