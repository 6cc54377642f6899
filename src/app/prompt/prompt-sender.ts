import { SerialQueue } from '../../base/serial-queue.ts';
import { type Prompt, textPrompt, type WaitingPrompt } from '../../model/prompt.ts';
import type { NoticeEvent } from '../../model/session-events.ts';
import type { PromptSources } from '../../ports/prompt-sources.ts';
import { resolvePrompt } from '../../prompt/resolve.ts';

interface PromptReceiver {
  /** Queues the prompt and removes its text from the prompt buffer. */
  accept(prompt: Prompt, isSteering: boolean): void;
  /** The prompt is not sent: the user keeps its text. */
  giveBack(prompt: WaitingPrompt): void;
  notify(notice: NoticeEvent): void;
}

/** Finds what the mentions of the prompts refer to, and passes the prompts on in the order in which they were sent. */
export class PromptSender {
  private readonly sources: PromptSources;
  private readonly receiver: PromptReceiver;
  private readonly queue = new SerialQueue();
  private waiting = 0;
  private cancellations = 0;

  constructor(sources: PromptSources, receiver: PromptReceiver) {
    this.sources = sources;
    this.receiver = receiver;
  }

  async send(sent: WaitingPrompt, isSteering = false): Promise<void> {
    const { id, text } = sent;
    // Most prompts have no mention and need not wait.
    if (this.waiting === 0 && !text.includes('@')) {
      return this.receiver.accept(textPrompt(text, id), isSteering);
    }
    this.waiting += 1;
    const { cancellations } = this;
    try {
      await this.queue.run(async () => {
        if (cancellations !== this.cancellations) return this.receiver.giveBack(sent);
        const { prompt, problems } = await resolvePrompt(text, this.sources);
        if (cancellations !== this.cancellations) return this.receiver.giveBack(sent);
        this.receiver.accept({ ...prompt, id }, isSteering);
        this.report(problems);
      });
    } catch (error) {
      this.receiver.giveBack(sent);
      throw error;
    } finally {
      this.waiting -= 1;
    }
  }

  /** Prompts are not passed on yet. */
  get isBusy(): boolean {
    return this.waiting > 0;
  }

  /** Finds what the mentions of a prompt refer to that is queued already. */
  async resolve(text: string): Promise<Prompt> {
    const { prompt, problems } = await resolvePrompt(text, this.sources);
    this.report(problems);
    return prompt;
  }

  /** Gives the prompts back that are not passed on yet. */
  cancel(): void {
    this.cancellations += 1;
  }

  private report(problems: readonly string[]): void {
    if (problems.length > 0) this.receiver.notify(problemsNotice(problems));
  }
}

function problemsNotice(problems: readonly string[]): NoticeEvent {
  const [title = '', ...detail] = problems;
  return { kind: 'notice', severity: 'info', title, detail };
}
