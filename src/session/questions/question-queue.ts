import { isSuperseded } from '../../base/errors.ts';
import type { Question, QuestionOption } from '../../model/entries.ts';
import type { ElicitationOutcome } from '../../model/form.ts';
import type { ElicitationRequest, PermissionRequest } from '../../ports/agent.ts';

interface PendingQuestion {
  readonly question: Question;
  /** Undefined: the question ended without an answer. */
  settle(answer: string | ElicitationOutcome | undefined): void;
}

interface ChosenOption {
  readonly optionId?: string | undefined;
  /** Its position; undefined: the answer is not among the options. */
  readonly optionIndex?: number | undefined;
}

type OnSettled = (questionId: number, answer: string, isAwaited: boolean, chosen: ChosenOption) => void;

/** The questions that wait for the user. Each is settled once: by an answer, by the agent, or by the end of the turn. */
export class QuestionQueue {
  private readonly pending = new Map<number, PendingQuestion>();
  private nextId: number;
  private readonly onSettled: OnSettled;

  constructor(onSettled: OnSettled, firstId: number) {
    this.onSettled = onSettled;
    this.nextId = firstId;
  }

  askPermission(
    request: PermissionRequest,
    onAsked: (question: Question) => void,
  ): Promise<string | undefined> {
    const { tool, options, withdrawn, isOurs } = request;
    const question = { id: this.nextId++, toolCallId: tool.toolCallId, options, isOurs: isOurs || undefined };
    return this.open<string>(question, withdrawn, onAsked);
  }

  async askElicitation(
    { elicitation, toolCallId, withdrawn }: ElicitationRequest,
    onAsked: (question: Question) => void,
  ): Promise<ElicitationOutcome> {
    const question = { id: this.nextId++, toolCallId, options: [], elicitation };
    return (await this.open<ElicitationOutcome>(question, withdrawn, onAsked)) ?? { action: 'cancel' };
  }

  /**
   * Chooses an option by its position, because option ids may repeat. `remark` follows the answer in the transcript.
   * False if the question is not open.
   */
  choose(questionId: number, index: number, remark = ''): boolean {
    const { options = [], elicitation } = this.pending.get(questionId)?.question ?? {};
    const chosen = elicitation ? undefined : options[index];
    if (!chosen) return false;
    const optionId = isAmbiguousRefusal(chosen, options) ? undefined : chosen.id;
    this.settle(questionId, optionId, `${chosen.name}${remark}`, false, index);
    return true;
  }

  /** Settles a question with an answer that is not among its options. */
  settleOutsideOptions(questionId: number, optionId: string, answer: string): void {
    this.settle(questionId, optionId, answer);
  }

  /** Settles a form or a page. `answer` is the text for transcript and journal. */
  settleElicitation(
    questionId: number,
    outcome: ElicitationOutcome,
    answer = outcomeLabels[outcome.action],
  ): void {
    const elicitation = this.pending.get(questionId)?.question.elicitation;
    if (!elicitation) return;
    const isAwaited = elicitation.kind === 'page' && outcome.action === 'accept' && answer !== 'done';
    this.settle(questionId, outcome, answer, isAwaited);
  }

  /** The user is done at a page: the question whether to open it is settled. */
  finishPage(pageId: string): void {
    for (const { question } of [...this.pending.values()]) {
      const isMeant = question.elicitation?.kind === 'page' && question.elicitation.pageId === pageId;
      if (isMeant) this.settleElicitation(question.id, { action: 'accept' }, 'done');
    }
  }

  /** Cancels the questions of the agent. Those of the plugin are cancelled only when the chat ends. */
  cancelAll(isChatOver = false): void {
    for (const { question } of [...this.pending.values()]) {
      if (isChatOver || !question.isOurs) this.settle(question.id, undefined, 'cancelled');
    }
  }

  private open<T extends string | ElicitationOutcome>(
    question: Question,
    withdrawn: AbortSignal,
    onAsked: (question: Question) => void,
  ): Promise<T | undefined> {
    const answered = new Promise<T | undefined>((resolve) => {
      this.pending.set(question.id, { question, settle: (answer) => resolve(answer as T | undefined) });
    });
    onAsked(question);
    const reason = question.isOurs ? 'obsolete' : 'withdrawn';
    const withdraw = () => this.settle(question.id, undefined, isSuperseded(withdrawn) ? '' : reason);
    if (withdrawn.aborted) withdraw();
    else withdrawn.addEventListener('abort', withdraw, { once: true });
    return answered;
  }

  private settle(
    questionId: number,
    value: string | ElicitationOutcome | undefined,
    answer: string,
    isAwaited = false,
    optionIndex?: number,
  ): void {
    const pending = this.pending.get(questionId);
    if (!pending) return;
    this.pending.delete(questionId);
    const optionId = typeof value === 'string' ? value : undefined;
    this.onSettled(questionId, answer, isAwaited, { optionId, optionIndex });
    pending.settle(value);
  }
}

const outcomeLabels: Readonly<Record<ElicitationOutcome['action'], string>> = {
  accept: 'answered',
  decline: 'declined',
  cancel: 'cancelled',
};

// If an allowing option has the same id, the agent could read the refusal as consent.
function isAmbiguousRefusal(chosen: QuestionOption, options: readonly QuestionOption[]): boolean {
  return isRefusal(chosen) && options.some((option) => option.id === chosen.id && !isRefusal(option));
}

function isRefusal({ kind }: QuestionOption): boolean {
  return kind.startsWith('reject');
}
