import { isSuperseded } from '../errors.ts';
import type { ElicitationRequest, PermissionRequest } from '../ports/agent.ts';
import type { Outcome } from './form.ts';
import type { Question, QuestionOption } from './model.ts';

interface Pending {
  readonly question: Question;
  /** Undefined: nobody answered it. */
  settle(answer: string | Outcome | undefined): void;
}

type OnSettled = (questionId: number, answer: string, isAwaited: boolean, optionId?: string) => void;

/** The questions of an agent that wait for the user. Each is settled once: by an answer, the agent, or the end of the turn. */
export class Questions {
  private readonly pending = new Map<number, Pending>();
  private nextId: number;
  private readonly onSettled: OnSettled;

  constructor(onSettled: OnSettled, firstId: number) {
    this.onSettled = onSettled;
    this.nextId = firstId;
  }

  add(request: PermissionRequest, onAsked: (question: Question) => void): Promise<string | undefined> {
    const { tool, options, withdrawn, isOurs = false } = request;
    const question = { id: this.nextId++, toolCallId: tool.toolCallId, options, ...(isOurs && { isOurs }) };
    return this.open<string>(question, withdrawn, onAsked);
  }

  async addElicitation(
    { elicitation, toolCallId, withdrawn }: ElicitationRequest,
    onAsked: (question: Question) => void,
  ): Promise<Outcome> {
    const question = { id: this.nextId++, toolCallId, options: [], elicitation };
    return (await this.open<Outcome>(question, withdrawn, onAsked)) ?? { action: 'cancel' };
  }

  /** Takes the option at a place of the list: ids may repeat. False when that is not asked. */
  choose(questionId: number, index: number): boolean {
    const { options = [], elicitation } = this.pending.get(questionId)?.question ?? {};
    const chosen = elicitation ? undefined : options[index];
    if (!chosen) return false;
    this.settle(questionId, meansBoth(chosen, options) ? undefined : chosen.id, chosen.name);
    return true;
  }

  /** Ends a question with an answer that is not among its options. */
  close(questionId: number, optionId: string, answer: string): void {
    this.settle(questionId, optionId, answer);
  }

  /** Takes what the user made of a form or a page. `answer` is what is written down of it. */
  conclude(questionId: number, outcome: Outcome, answer = conclusions[outcome.action]): void {
    const elicitation = this.pending.get(questionId)?.question.elicitation;
    if (!elicitation) return;
    const isAwaited = elicitation.kind === 'page' && outcome.action === 'accept' && answer !== 'done';
    this.settle(questionId, outcome, answer, isAwaited);
  }

  /** Who has done at a page need not be asked any more whether to open it. */
  finishPage(pageId: string): void {
    for (const { question } of [...this.pending.values()]) {
      const isMeant = question.elicitation?.kind === 'page' && question.elicitation.pageId === pageId;
      if (isMeant) this.conclude(question.id, { action: 'accept' }, 'done');
    }
  }

  /** Ends the questions of the agent; those that are ours end with the chat. */
  cancelAll(isChatOver = false): void {
    for (const { question } of [...this.pending.values()]) {
      if (isChatOver || !question.isOurs) this.settle(question.id, undefined, 'cancelled');
    }
  }

  private open<T extends string | Outcome>(
    question: Question,
    withdrawn: AbortSignal,
    onAsked: (question: Question) => void,
  ): Promise<T | undefined> {
    const answered = new Promise<T | undefined>((resolve) => {
      this.pending.set(question.id, { question, settle: (answer) => resolve(answer as T | undefined) });
    });
    onAsked(question);
    const reason = question.isOurs ? 'no longer asked' : 'taken back';
    const takeBack = () => this.settle(question.id, undefined, isSuperseded(withdrawn) ? '' : reason);
    if (withdrawn.aborted) takeBack();
    else withdrawn.addEventListener('abort', takeBack, { once: true });
    return answered;
  }

  private settle(
    questionId: number,
    value: string | Outcome | undefined,
    answer: string,
    isAwaited = false,
  ): void {
    const pending = this.pending.get(questionId);
    if (!pending) return;
    this.pending.delete(questionId);
    this.onSettled(questionId, answer, isAwaited, typeof value === 'string' ? value : undefined);
    pending.settle(value);
  }
}

const conclusions: Readonly<Record<Outcome['action'], string>> = {
  accept: 'answered',
  decline: 'declined',
  cancel: 'cancelled',
};

// An agent that is told such an id may take the refusal for a consent.
function meansBoth(chosen: QuestionOption, options: readonly QuestionOption[]): boolean {
  return isRefusal(chosen) && options.some((option) => option.id === chosen.id && !isRefusal(option));
}

function isRefusal({ kind }: QuestionOption): boolean {
  return kind.startsWith('reject');
}
