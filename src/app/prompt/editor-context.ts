import type { Disposable } from '../../base/disposable.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Editor } from '../../ports/editor.ts';
import type { ContextAnswer, ContextRequest } from '../../ports/prompt-sources.ts';

/** A language server may be slow; the user waits for the prompt meanwhile. */
const deadlineMs = 1_500;

interface PendingContext {
  readonly requests: readonly ContextRequest[];
  readonly timer: Disposable;
  settle(answers: readonly ContextAnswer[]): void;
}

/** Asks Neovim for what mentions refer to. Neovim answers with an operation, because it may have to ask others. */
export class EditorContext {
  private readonly editor: Editor;
  private readonly clock: Clock;
  private readonly pending = new Map<number, PendingContext>();
  private lastId = 0;

  constructor(editor: Editor, clock: Clock) {
    this.editor = editor;
    this.clock = clock;
  }

  /** Resolves with one answer per request. It never rejects. */
  read(chat: number, requests: readonly ContextRequest[]): Promise<readonly ContextAnswer[]> {
    this.lastId += 1;
    const id = this.lastId;
    return new Promise((settle) => {
      const timer = this.clock.after(deadlineMs, () => this.answer(id, []));
      this.pending.set(id, { requests, timer, settle });
      this.editor.send('context.read', { id, chat, requests });
    });
  }

  /** Neovim has answered. Missing answers mean that it had no time for them. */
  answer(id: number, answers: readonly ContextAnswer[]): void {
    const pending = this.pending.get(id);
    if (!pending) return;
    this.pending.delete(id);
    pending.timer.dispose();
    const late: ContextAnswer = { items: [], problem: 'Neovim did not answer in time' };
    pending.settle(pending.requests.map((_, index) => answers[index] ?? late));
  }
}
