import type { EditorEvent } from './events.ts';

interface AwaitedPrompt {
  readonly callback: number;
  /** The id of the prompt. */
  readonly prompt: string;
}

interface PromptCallbackPorts {
  /** Tells Lua how the turn of a prompt ended. */
  done(callback: number, result: Readonly<Record<string, unknown>>): void;
  /** What the agent has said in the current turn. */
  answer(): string;
}

/** The prompts whose end the user's Lua waits for. */
export class PromptCallbacks {
  private readonly ports: PromptCallbackPorts;
  private queued: readonly AwaitedPrompt[] = [];
  /** The prompt of the turn, and those that were sent into it. */
  private running: readonly AwaitedPrompt[] = [];

  constructor(ports: PromptCallbackPorts) {
    this.ports = ports;
  }

  add(callback: number, prompt: string): void {
    this.queued = [...this.queued, { callback, prompt }];
  }

  turnStarted(prompt: string | undefined): void {
    this.running = [];
    this.injected(prompt);
  }

  /** A prompt was sent into the running turn, and ends with it. */
  injected(prompt: string | undefined): void {
    const meant = this.queued.filter((each) => each.prompt === prompt);
    this.running = [...this.running, ...meant];
    this.queued = this.queued.filter((each) => !meant.includes(each));
  }

  /** Returns what to do with the facts about the turn, which are complete a moment later. */
  turnEnded(isQueueEmpty: boolean): (turn: EditorEvent['data']) => void {
    const { running } = this;
    this.running = [];
    // The user may have changed or removed them in the queue.
    if (isQueueEmpty) this.giveUp(this.queued.map(({ prompt }) => prompt));
    if (running.length === 0) return () => undefined;
    const text = this.ports.answer();
    return (turn) => {
      for (const { callback } of running) this.ports.done(callback, { ...turn, text });
    };
  }

  /** The turn waits for a login; its prompt is sent again afterwards. */
  turnPaused(): void {
    this.queued = [...this.running, ...this.queued];
    this.running = [];
  }

  /** The prompts with these ids went back to the user, or the user has removed them from the queue. */
  giveUp(prompts: readonly string[]): void {
    const error = 'the prompt was not sent';
    const meant = this.queued.filter(({ prompt }) => prompts.includes(prompt));
    this.queued = this.queued.filter((each) => !meant.includes(each));
    for (const { callback } of meant) {
      this.ports.done(callback, { stop_reason: 'not_sent', error, text: '', files: [] });
    }
  }
}
