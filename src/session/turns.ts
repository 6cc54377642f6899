import { AcpError, asAcpError } from '../base/errors.ts';
import { withShapes } from '../model/attachment-shape.ts';
import { isPromptUnanswered, unansweredPrompt } from '../model/entries.ts';
import {
  isSendable,
  type JoinedPrompts,
  joinPrompts,
  type Prompt,
  type PromptRecord,
  promptRecord,
  type QueuedPrompt,
  queuedRecord,
} from '../model/prompt.ts';
import { canSteer, type SessionState } from '../model/session.ts';
import type { SessionEvent } from '../model/session-events.ts';
import type { AgentLink, AgentSpec } from '../ports/agent.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { ChangeWatch } from '../ports/workspace.ts';
import { errorNotice, nextStep, notInjected, withLoginHint } from './notices.ts';
import {
  edited,
  held,
  isPaused,
  movedToFront,
  recovered,
  released,
  withdrawn,
} from './queue/prompt-queue.ts';
import type { SessionConnection } from './session-connection.ts';

const maxSnapshotMs = 2_000;
/** Without an earlier snapshot, nothing would tell what the agent changes before this one is complete. */
const maxFirstSnapshotMs = 10_000;
/** After this time without an answer, an agent is taken not to have injected a prompt. */
const maxSteeringMs = 10_000;

interface TurnPorts {
  readonly state: SessionState;
  readonly clock: Clock;
  readonly log: Log;
  readonly changes: ChangeWatch | undefined;
  apply(event: SessionEvent): void;
  /** Cancels the questions of the turn. */
  cancelQuestions(): void;
  /** Gives the user prompts back that did not reach the agent. */
  returnPrompts(prompts: JoinedPrompts): void;
  /** Finds what the mentions of a text refer to. */
  resolve(text: string): Promise<Prompt>;
}

/** Sends the queued prompts to the agent, one turn after the other. */
export class Turns {
  /** Settles when the last turn is over. */
  current: Promise<void> = Promise.resolve();
  private readonly spec: AgentSpec;
  private readonly connection: SessionConnection;
  private readonly ports: TurnPorts;
  private isResolving = false;
  /** The prompts that were sent into the running turn. */
  private injected: readonly Prompt[] = [];

  constructor(spec: AgentSpec, connection: SessionConnection, ports: TurnPorts) {
    this.spec = spec;
    this.connection = connection;
    this.ports = ports;
  }

  enqueue(prompt: QueuedPrompt): void {
    this.ports.apply({ kind: 'prompt_queued', ...queuedRecord(prompt) });
  }

  /** Starts the turn of the first prompt that may be sent, if the agent is idle. */
  sendNext(): void {
    const { state } = this.ports;
    const { link, sessionId, opener } = this.connection;
    const next = state.queue.find(isSendable);
    if (!next || state.phase !== 'idle' || !link || sessionId === undefined || this.isResolving) return;
    if (next.isUnresolved) {
      // It never rejects.
      void this.resolve(next);
      return;
    }
    opener.endReplay();
    const isShown = next.isShown && unansweredPrompt(state.entries)?.text.toString() === next.text;
    const flags = { isUnsent: true, ...(isShown && { isShown }) } as const;
    this.ports.apply({ kind: 'turn_started', ...this.recordOf(next), ...flags });
    this.current = this.run(link, sessionId, next);
  }

  /** Sends a prompt into the running turn. If the agent does not take it, it stays in the queue. */
  steer(prompt: Prompt): void {
    const { state } = this.ports;
    const { link, sessionId } = this.connection;
    if (!canSteer(state) || !link || sessionId === undefined) return this.enqueue(prompt);
    this.enqueue({ ...prompt, isOffered: true });
    // It never rejects.
    void this.offer(link, sessionId, prompt);
  }

  /** Keeps the queued prompts until the user resumes the queue. */
  hold(): void {
    const { queue } = this.ports.state;
    if (queue.some(({ isHeld }) => !isHeld)) this.setQueue(held(queue));
  }

  /** Sends the prompts that were held. */
  resume(): void {
    const { queue } = this.ports.state;
    if (isPaused(queue)) this.setQueue(released(queue));
    this.sendNext();
  }

  /** Keeps the queue of a host that has ended, or of another Neovim, until the user resumes it. */
  recover(queue: readonly QueuedPrompt[] = this.ports.state.queue): void {
    if (queue.length > 0) this.setQueue(recovered(queue));
  }

  /** Queues the prompt again that the agent has not got, unless the user has it elsewhere. */
  requeueUnsent(elsewhere: readonly string[] = []): void {
    const { unsent, queue } = this.ports.state;
    if (!unsent || (unsent.id !== undefined && elsewhere.includes(unsent.id))) return;
    this.setQueue([{ ...unsent, isShown: true }, ...queue]);
  }

  edit(base: readonly string[], texts: readonly string[]): void {
    this.setQueue(edited(this.ports.state.queue, base, texts));
    this.sendNext();
  }

  /** Makes a queued prompt the next one. Returns false if it is not in the queue. */
  moveToFront(text: string): boolean {
    const queue = movedToFront(this.ports.state.queue, text);
    if (queue) this.setQueue(queue);
    return queue !== undefined;
  }

  /** Gives the user the prompts back, as one, that wait for the agent to start or for a login. */
  returnQueue(): void {
    const { queue } = this.ports.state;
    const prompts = queue.filter(isSendable);
    if (prompts.length === 0) return;
    // First: a host that is killed in between has lost none of them.
    this.ports.returnPrompts(joinPrompts(prompts));
    this.setQueue(queue.filter((prompt) => !isSendable(prompt)));
  }

  /** Replaces the queue. */
  setQueue(queue: readonly QueuedPrompt[]): void {
    if (queue.length > 0) this.ports.apply({ kind: 'queue_changed', prompts: queue.map(queuedRecord) });
    else if (this.ports.state.queue.length > 0) this.ports.apply({ kind: 'queue_cleared' });
  }

  private async run(link: AgentLink, sessionId: string, prompt: Prompt): Promise<void> {
    const { ports, connection } = this;
    this.injected = [];
    try {
      if (ports.changes) await this.takeSnapshot(ports.changes, prompt);
      if (connection.link !== link) return;
      // A host that is killed from here on leaves it to the user whether the prompt is sent again.
      ports.apply({ kind: 'prompt_sent' });
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
      // First: a host that is killed in between has not lost it.
      if (isUnanswered) ports.returnPrompts(joinPrompts([prompt, ...this.injected]));
      this.fail(link, asAcpError(error), isUnanswered);
    }
  }

  // The prompt waits for the snapshot of the workspace. A large workspace must not make the user wait for long.
  private async takeSnapshot(changes: ChangeWatch, prompt: Prompt): Promise<void> {
    const { clock, log, state } = this.ports;
    await new Promise<void>((resolve) => {
      const sendEarly = (isLast: boolean) => () => {
        if (changes.allowEarlyPrompt() || isLast) finish();
      };
      const timers = [
        clock.after(maxSnapshotMs, sendEarly(false)),
        clock.after(maxFirstSnapshotMs, sendEarly(true)),
      ];
      const finish = () => {
        for (const timer of timers) timer.dispose();
        resolve();
      };
      changes.beginTurn(prompt.text).then(finish, (error: unknown) => {
        log.error('the snapshot before the turn failed', error);
        finish();
      });
    });
    if (state.phase === 'cancelling') throw new AcpError('cancelled', 'cancelled before the prompt was sent');
  }

  // The user may change the queue meanwhile.
  private async resolve(next: QueuedPrompt): Promise<void> {
    const { ports } = this;
    this.isResolving = true;
    try {
      const prompt = await ports.resolve(next.text);
      const { queue } = ports.state;
      const index = queue.indexOf(next);
      const { id } = next;
      if (index !== -1) this.setQueue(queue.with(index, { ...prompt, ...(id !== undefined && { id }) }));
    } catch (error) {
      ports.apply(errorNotice(asAcpError(error)));
      this.hold();
    } finally {
      this.isResolving = false;
    }
    this.sendNext();
  }

  private async offer(link: AgentLink, sessionId: string, prompt: Prompt): Promise<void> {
    const { apply, clock, state } = this.ports;
    const { text } = prompt;
    let isTooLate = false;
    const timer = clock.after(maxSteeringMs, () => {
      isTooLate = true;
      // The agent may have taken it, so it is not sent again by itself.
      this.setQueue(withdrawn(state.queue, prompt, true));
      apply(notInjected(text, `${state.agent.title} has not answered`, ':AcpQueue shows it.'));
    });
    try {
      const outcome = await link.agent.steer(sessionId, prompt);
      if (outcome === 'injected') {
        this.injected = [...this.injected, prompt];
        return apply({ kind: 'prompt_injected', ...this.recordOf(prompt) });
      }
      if (!isTooLate) this.setQueue(withdrawn(state.queue, prompt, false));
    } catch (error) {
      if (isTooLate) return;
      this.setQueue(withdrawn(state.queue, prompt, false));
      apply(notInjected(text, asAcpError(error).message));
    } finally {
      timer.dispose();
    }
    this.sendNext();
  }

  private recordOf(prompt: Prompt): PromptRecord {
    return withShapes(promptRecord(prompt), this.ports.state.agent.capabilities ?? {});
  }

  private end(stopReason: string): void {
    this.ports.cancelQuestions();
    this.connection.opener.endTurn();
    this.ports.apply({ kind: 'turn_ended', stopReason });
    this.sendNext();
  }

  private fail(link: AgentLink, error: AcpError, isUnanswered: boolean): void {
    if (error.code === 'agent_exited') return this.connection.handleExit(link, error);
    // Some agents answer `session/cancel` by failing the prompt.
    if (error.code === 'cancelled' || this.ports.state.phase === 'cancelling') return this.end('cancelled');
    this.ports.apply({ hint: nextStep(isUnanswered), ...errorNotice(error) });
    this.hold();
    this.end('end_turn');
  }

  // The prompt is sent again, before all others, once the user has logged in.
  private pauseForLogin(error: AcpError, prompt: Prompt): void {
    const { ports } = this;
    const { agent } = ports.state;
    ports.cancelQuestions();
    const hasMethods = (agent.authMethods ?? []).length > 0;
    const notice = withLoginHint(error, this.spec, { hasMethods, isOpen: true });
    ports.apply({ kind: 'login_needed', agent, notice });
    this.setQueue([{ ...prompt, isShown: true }, ...ports.state.queue]);
  }
}
