import { SerialQueue } from '../../base/serial-queue.ts';
import type { Prompt } from '../../model/prompt.ts';
import type { NoticeEvent } from '../../model/session-events.ts';
import type { PromptSources } from '../../ports/prompt-sources.ts';
import { resolvePrompt } from '../../prompt/resolve.ts';

interface PromptReceiver {
  /** Queues the prompt and removes its text from the prompt buffer. */
  accept(prompt: Prompt): void;
  /** The prompt is not sent: the user keeps its text. */
  giveBack(text: string): void;
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

  async send(text: string): Promise<void> {
    // Most prompts have no mention and need not wait.
    if (this.waiting === 0 && !text.includes('@')) return this.receiver.accept({ text, attachments: [] });
    this.waiting += 1;
    const { cancellations } = this;
    try {
      await this.queue.run(async () => {
        if (cancellations !== this.cancellations) return this.receiver.giveBack(text);
        const { prompt, problems } = await resolvePrompt(text, this.sources);
        if (cancellations !== this.cancellations) return this.receiver.giveBack(text);
        this.receiver.accept(prompt);
        if (problems.length > 0) this.receiver.notify(problemsNotice(problems));
      });
    } catch (error) {
      this.receiver.giveBack(text);
      throw error;
    } finally {
      this.waiting -= 1;
    }
  }

  /** Prompts are not passed on yet. */
  get isBusy(): boolean {
    return this.waiting > 0;
  }

  /** Gives the prompts back that are not passed on yet. */
  cancel(): void {
    this.cancellations += 1;
  }
}

function problemsNotice(problems: readonly string[]): NoticeEvent {
  const [title = '', ...detail] = problems;
  return { kind: 'notice', severity: 'info', title, detail };
}
