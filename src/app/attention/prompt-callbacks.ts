import type { EditorEvent } from './events.ts';

interface AwaitedPrompt {
  readonly id: number;
  readonly text: string;
}

interface PromptCallbackPorts {
  /** Tells Lua how the turn of a prompt ended. */
  done(id: number, result: Readonly<Record<string, unknown>>): void;
  /** What the agent has said in the current turn. */
  answer(): string;
}

/**
 * The prompts whose end the user's Lua waits for. A prompt is known by its text, because the queue may be emptied and
 * filled again while a prompt waits.
 */
export class PromptCallbacks {
  private readonly ports: PromptCallbackPorts;
  private queued: readonly AwaitedPrompt[] = [];
  /** The prompt of the turn, and those that were sent into it. */
  private running: readonly AwaitedPrompt[] = [];

  constructor(ports: PromptCallbackPorts) {
    this.ports = ports;
  }

  add(id: number, text: string): void {
    this.queued = [...this.queued, { id, text }];
  }

  turnStarted(text: string): void {
    this.running = [];
    this.injected(text);
  }

  /** A prompt was sent into the running turn, and ends with it. */
  injected(text: string): void {
    const prompt = this.queued.find((each) => each.text === text);
    if (!prompt) return;
    this.running = [...this.running, prompt];
    this.queued = this.queued.filter((each) => each !== prompt);
  }

  /** Returns what to do with the facts about the turn, which are complete a moment later. */
  turnEnded(isQueueEmpty: boolean): (turn: EditorEvent['data']) => void {
    const { running } = this;
    this.running = [];
    // The user may have changed or removed them in the queue.
    if (isQueueEmpty) this.giveUp(() => true);
    if (running.length === 0) return () => undefined;
    const text = this.ports.answer();
    return (turn) => {
      for (const { id } of running) this.ports.done(id, { ...turn, text });
    };
  }

  /** The turn waits for a login; its prompt is sent again afterwards. */
  turnPaused(): void {
    this.queued = [...this.running, ...this.queued];
    this.running = [];
  }

  /** Prompts that went back to the user, as one text. */
  returned(text: string): void {
    this.giveUp((prompt) => text.includes(prompt.text));
  }

  /** The user has removed a prompt from the queue, or changed it. */
  removed(text: string): void {
    this.giveUp((prompt) => prompt.text.trim() === text.trim());
  }

  private giveUp(isMeant: (prompt: AwaitedPrompt) => boolean): void {
    const error = 'the prompt was not sent';
    const meant = this.queued.filter(isMeant);
    this.queued = this.queued.filter((prompt) => !meant.includes(prompt));
    for (const { id } of meant) this.ports.done(id, { stop_reason: 'not_sent', error, text: '', files: [] });
  }
}
