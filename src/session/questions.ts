import type { PermissionRequest } from '../ports.ts';
import type { Question, QuestionOption } from './model.ts';

interface Pending {
  readonly question: Question;
  settle(optionId: string | undefined): void;
}

/** The questions of an agent that wait for the user. Each is settled once: by an answer, the agent, or the end of the turn. */
export class Questions {
  private readonly pending = new Map<number, Pending>();
  private nextId = 1;
  private readonly onSettled: (questionId: number, answer: string) => void;

  constructor(onSettled: (questionId: number, answer: string) => void) {
    this.onSettled = onSettled;
  }

  add(request: PermissionRequest, onAsked: (question: Question) => void): Promise<string | undefined> {
    const question: Question = {
      id: this.nextId++,
      toolCallId: request.tool.toolCallId,
      options: request.options,
    };
    const answered = new Promise<string | undefined>((resolve) => {
      this.pending.set(question.id, { question, settle: resolve });
    });
    onAsked(question);
    const takeBack = () => this.settle(question.id, undefined, 'taken back');
    if (request.withdrawn.aborted) takeBack();
    else request.withdrawn.addEventListener('abort', takeBack, { once: true });
    return answered;
  }

  /**
   * Takes the user's choice. Closing the picker is no consent: it rejects once if the agent offers that. False when
   * there was no way to say no.
   */
  answer(questionId: number, optionId: string | undefined): boolean {
    const options = this.pending.get(questionId)?.question.options;
    if (!options) return true;
    const chosen = options.find(({ id }) => id === optionId) ?? refusal(options);
    this.settle(questionId, chosen?.id, chosen?.name ?? 'not answered');
    return chosen !== undefined;
  }

  cancelAll(): void {
    for (const id of [...this.pending.keys()]) this.settle(id, undefined, 'cancelled');
  }

  private settle(questionId: number, optionId: string | undefined, answer: string): void {
    const pending = this.pending.get(questionId);
    if (!pending) return;
    this.pending.delete(questionId);
    this.onSettled(questionId, answer);
    pending.settle(optionId);
  }
}

function refusal(options: readonly QuestionOption[]): QuestionOption | undefined {
  return options.find(({ kind }) => kind === 'reject_once');
}
