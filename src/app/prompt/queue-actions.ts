import { countOf } from '../../base/text.ts';
import type { Editor } from '../../ports/editor.ts';
import { parseQueue } from '../../prompt/queue-text.ts';
import type { Session } from '../../session/session.ts';

interface QueueEvents {
  /** The user has written a prompt that was not in the queue. */
  added(text: string): void;
  /** The user has removed the prompts with these ids, or changed them. */
  removed(ids: readonly string[]): void;
}

/** What the user does with the prompts that wait. */
export class QueueActions {
  private readonly session: Session;
  private readonly editor: Editor;
  private readonly events: QueueEvents;

  constructor(session: Session, editor: Editor, events: QueueEvents) {
    this.session = session;
    this.editor = editor;
    this.events = events;
  }

  /** The user has edited the queue as text; `base` is the text that they began with. */
  write(base: string, text: string): void {
    const [before, texts] = [parseQueue(base), parseQueue(text)];
    const idsBefore = this.ids();
    this.session.editQueue(before, texts);
    const idsNow = this.ids();
    this.events.removed(idsBefore.filter((id) => !idsNow.includes(id)));
    for (const each of texts) if (!before.includes(each)) this.events.added(each);
    this.editor.notify('info', `the queue has ${count(this.session.state.queue.length)} now`);
  }

  /** Sends a prompt of the queue at once. `text` is the queue as the user saw it, `before` that up to the cursor. */
  sendNow(before: string, text: string): void {
    const prompt = parseQueue(text)[Math.max(0, parseQueue(before).length - 1)];
    if (prompt === undefined) this.reportEmpty();
    else if (!this.session.sendNow(prompt)) this.editor.notify('warn', 'the prompt was sent already');
  }

  resume(): void {
    if (this.isEmpty) this.reportEmpty();
    else this.session.resumeQueue();
  }

  pause(): void {
    if (this.isEmpty) this.reportEmpty();
    else this.session.pauseQueue();
  }

  private get isEmpty(): boolean {
    return this.session.state.queue.length === 0;
  }

  private reportEmpty(): void {
    this.editor.notify('warn', 'no prompt is queued');
  }

  private ids(): readonly string[] {
    return this.session.state.queue.flatMap(({ id }) => id ?? []);
  }
}

function count(prompts: number): string {
  return prompts === 0 ? 'no prompts' : countOf(prompts, 'prompt');
}
