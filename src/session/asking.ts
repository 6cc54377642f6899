import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { AcpError } from '../errors.ts';
import type { ElicitationRequest, PermissionRequest } from '../ports/agent.ts';
import type { Wish } from '../ports/workspace.ts';
import { AllowedCommands, type ShownCommand, shownCommands } from './allowed-commands.ts';
import { Conflicts } from './conflicts.ts';
import type { SessionEvent } from './events.ts';
import { type Outcome, summaryOf } from './form.ts';
import { type Act, take } from './form-walk.ts';
import type { QuestionOption, SessionState } from './model.ts';
import { Questions } from './questions.ts';

export interface AskingOptions {
  /** Where commands run. */
  readonly folder?: string;
  readonly firstQuestionId?: number | undefined;
}

/** What an agent wants to know from the user, and what the user says to it. */
export class Asking {
  private readonly state: SessionState;
  private readonly apply: (event: SessionEvent) => void;
  private readonly questions: Questions;
  readonly conflicts = new Conflicts({
    report: (patch) => this.apply({ kind: 'tool', patch }),
    ask: (request, onAsked) => this.ask(request, onAsked),
    close: (questionId, optionId, answer) => this.questions.close(questionId, optionId, answer),
  });
  /** What the user allowed in this turn. */
  readonly allowed: AllowedCommands;
  /** How often the questions of the agent were cancelled. */
  cancels = 0;

  constructor(
    state: SessionState,
    apply: (event: SessionEvent) => void,
    { folder = '/', firstQuestionId = 1 }: AskingOptions = {},
  ) {
    this.state = state;
    this.apply = apply;
    this.allowed = new AllowedCommands(folder);
    this.questions = new Questions(
      (questionId, answer, isAwaited, optionId) =>
        apply({
          kind: 'question_settled',
          questionId,
          answer,
          ...(isAwaited && { isAwaited }),
          ...(optionId !== undefined && { optionId }),
        }),
      firstQuestionId,
    );
  }

  elicit(request: ElicitationRequest): Promise<Outcome> {
    if (this.state.phase === 'cancelling') return Promise.resolve({ action: 'cancel' });
    return this.questions.addElicitation(request, (question) =>
      this.apply({ kind: 'question_asked', question }),
    );
  }

  /** Asks for the agent. The commands that the question shows may be run once when the user allows it. */
  async askFor(request: PermissionRequest): Promise<string | undefined> {
    const answered = this.ask(request);
    const shown = this.shownBy(request);
    const optionId = await answered;
    const taken = request.options.filter(({ id }) => id === optionId);
    // An id that another option has too may have meant that one.
    const isAllowed = taken.length > 0 && taken.every(({ kind }) => kind.startsWith('allow_'));
    // A call that was changed meanwhile is not what the question showed first.
    if (isAllowed && isDeepStrictEqual(shown, this.shownBy(request))) this.allowed.add(shown);
    return optionId;
  }

  ask(request: PermissionRequest, onAsked?: (questionId: number) => void): Promise<string | undefined> {
    this.apply({ kind: 'tool', patch: request.tool });
    // What the agent asks after a cancel is part of what was cancelled.
    if (this.state.phase === 'cancelling' && !request.isOurs) return Promise.resolve(undefined);
    return this.questions.add(request, (question) => {
      onAsked?.(question.id);
      this.apply({ kind: 'question_asked', question });
    });
  }

  /** Asks for something that the agent tries and no rule allows. */
  async consent(wish: Wish): Promise<boolean> {
    const { kind, subject, details = [], reason, change, always, withdrawn, since = this.cancels } = wish;
    if (since !== this.cancels) throw notAsked(subject);
    // An agent that knew the id could change what the question shows.
    const toolCallId = `consent ${randomUUID()}`;
    const text = { kind: 'text', text: reason } as const;
    const content = change ? [{ kind: 'diff', path: subject, ...change } as const, text] : [text];
    const tool = { toolCallId, title: [subject, ...details].join('\n'), toolKind: kind, content };
    const options = consentOptions(always?.name);
    const answer = await this.ask({ tool, options, withdrawn: withdrawn ?? new AbortController().signal });
    if (answer === undefined) {
      this.apply({ kind: 'tool', patch: { toolCallId, status: 'cancelled' } });
      throw notAsked(subject);
    }
    if (answer === 'always') always?.remember();
    const isAllowed = answer === 'allow' || answer === 'always';
    this.apply({ kind: 'tool', patch: { toolCallId, status: isAllowed ? 'done' : 'failed' } });
    return isAllowed;
  }

  /** Takes the option at a place of the list. False when that is not asked. */
  choose(questionId: number, index: number): boolean {
    return this.questions.choose(questionId, index);
  }

  /** Goes one step on in a form; `turn` is the step the user saw. */
  fill(questionId: number, turn: number, act: Act): void {
    const entry = this.state.questions.find(({ question }) => question.id === questionId);
    const elicitation = entry?.question.elicitation;
    if (elicitation?.kind !== 'form' || entry?.walk?.turn !== turn) return;
    const step = take(elicitation.form, entry.walk, act);
    if ('outcome' in step) {
      const { outcome } = step;
      const said =
        outcome.action === 'accept' ? summaryOf(elicitation.form, outcome.answers ?? new Map()) : '';
      this.questions.conclude(questionId, outcome, said === '' ? undefined : said);
    } else this.apply({ kind: 'form_filled', questionId, walk: step.walk });
  }

  /** Takes what the user decided about a page. */
  conclude(questionId: number, outcome: Outcome, answer?: string): void {
    this.questions.conclude(questionId, outcome, answer);
  }

  finishPage(pageId: string): void {
    this.questions.finishPage(pageId);
  }

  cancelAll(isChatOver = false): void {
    this.cancels += 1;
    this.allowed.clear();
    this.questions.cancelAll(isChatOver);
  }

  private shownBy({ tool }: PermissionRequest): readonly ShownCommand[] {
    const entry = this.state.tools.get(tool.toolCallId);
    return entry ? shownCommands(entry) : [];
  }
}

function notAsked(subject: string): AcpError {
  return new AcpError('cancelled', `the user was not asked any more about ${subject}`);
}

function consentOptions(always: string | undefined): readonly QuestionOption[] {
  return [
    { id: 'allow', name: 'Allow once', kind: 'allow_once' },
    ...(always === undefined ? [] : [{ id: 'always', name: always, kind: 'allow_always' as const }]),
    { id: 'reject', name: 'Reject', kind: 'reject_once' },
  ];
}
