import { isDeepStrictEqual } from 'node:util';
import type { QuestionOption } from '../../model/entries.ts';
import { type ElicitationOutcome, summariseAnswers } from '../../model/form.ts';
import { applyAction, type FormAction } from '../../model/form-progress.ts';
import type { SessionState } from '../../model/session.ts';
import type { SessionEvent } from '../../model/session-events.ts';
import type { ElicitationRequest, PermissionRequest } from '../../ports/agent.ts';
import type { AgentAction, PermissionPolicy } from '../../ports/permissions.ts';
import { actionOfCall } from './agent-action.ts';
import { AllowedCommands, type ShownCommand, shownCommands } from './allowed-commands.ts';
import { ConflictQuestions } from './conflict-questions.ts';
import { Consent } from './consent.ts';
import { QuestionQueue } from './question-queue.ts';

interface SessionQuestionsOptions {
  /** The rules of the user, and the place that they are about. */
  readonly policy?: PermissionPolicy | undefined;
  readonly place?: Pick<AgentAction, 'chat' | 'agent' | 'cwd' | 'roots'> | undefined;
  /** The folder that commands run in unless they name another. */
  readonly folder?: string;
  readonly firstQuestionId?: number | undefined;
}

const emptyAction = { commands: [], paths: [], urls: [] };

/** Every question of a session: permissions, forms and pages of the agent, consents and conflicts of the plugin. */
export class SessionQuestions {
  readonly consent: Consent;
  readonly conflicts: ConflictQuestions;
  /** The commands that the user allowed in this turn. */
  readonly allowed: AllowedCommands;
  /** How often the questions of the agent were cancelled. */
  cancelCount = 0;
  private readonly state: SessionState;
  private readonly apply: (event: SessionEvent) => void;
  private readonly policy: PermissionPolicy | undefined;
  private readonly place: SessionQuestionsOptions['place'];
  private readonly queue: QuestionQueue;

  constructor(
    state: SessionState,
    apply: (event: SessionEvent) => void,
    { folder = '/', firstQuestionId = 1, policy, place }: SessionQuestionsOptions = {},
  ) {
    this.policy = policy;
    this.place = place;
    this.state = state;
    this.apply = apply;
    this.allowed = new AllowedCommands(folder);
    this.queue = new QuestionQueue(
      (questionId, answer, isAwaited, optionId) =>
        apply({ kind: 'question_settled', questionId, answer, isAwaited: isAwaited || undefined, optionId }),
      firstQuestionId,
    );
    this.consent = new Consent({
      cancelCount: () => this.cancelCount,
      report: (patch) => apply({ kind: 'tool', patch }),
      ask: (request) => this.showAndAsk(request),
      decide: (action) => this.place && this.policy?.decide({ ...emptyAction, ...this.place, ...action }),
    });
    this.conflicts = new ConflictQuestions({
      report: (patch) => apply({ kind: 'tool', patch }),
      ask: (request, onAsked) => this.showAndAsk(request, onAsked),
      close: (questionId, optionId, answer) => this.queue.settleOutsideOptions(questionId, optionId, answer),
    });
  }

  /** Asks what the agent wants to know with a form or a page. */
  elicit(request: ElicitationRequest): Promise<ElicitationOutcome> {
    if (this.state.phase === 'cancelling') return Promise.resolve({ action: 'cancel' });
    return this.queue.askElicitation(request, (question) => this.apply({ kind: 'question_asked', question }));
  }

  /** Asks for a permission of the agent. If the user allows it, the commands that the question shows may run once. */
  async askPermission(request: PermissionRequest): Promise<string | undefined> {
    this.apply({ kind: 'tool', patch: request.tool });
    const action = this.actionOf(request);
    const byRule = action && this.answerByRule(request, action);
    if (byRule !== undefined) return byRule;
    const answered = this.ask(request);
    const shown = this.commandsShownBy(request);
    const optionId = await answered;
    if (action) this.policy?.recordAnswer(action, answerWord(request, optionId));
    const chosen = request.options.filter(({ id }) => id === optionId);
    // Several options may have the same id. Only if all of them allow is the answer a consent.
    const isAllowed = chosen.length > 0 && chosen.every(({ kind }) => kind.startsWith('allow_'));
    // If the agent has changed the call meanwhile, the user may not have seen the new command.
    if (isAllowed && isDeepStrictEqual(shown, this.commandsShownBy(request))) this.allowed.add(shown);
    return optionId;
  }

  /** Chooses an option by its position. False if the question is not open. */
  choose(questionId: number, index: number): boolean {
    return this.queue.choose(questionId, index);
  }

  /** Applies what the user did in a form. `revision` is the one the user saw; actions for an older one are ignored. */
  applyFormAction(questionId: number, revision: number, action: FormAction): void {
    const entry = this.state.questions.find(({ question }) => question.id === questionId);
    const elicitation = entry?.question.elicitation;
    if (elicitation?.kind !== 'form' || entry?.formProgress?.revision !== revision) return;
    const { form } = elicitation;
    const result = applyAction(form, entry.formProgress, action);
    if ('outcome' in result) {
      const { outcome } = result;
      const summary = outcome.action === 'accept' ? summariseAnswers(form, outcome.answers ?? new Map()) : '';
      this.queue.settleElicitation(questionId, outcome, summary === '' ? undefined : summary);
    } else this.apply({ kind: 'form_filled', questionId, progress: result.progress });
  }

  /** Settles a page with the user's decision. */
  answerPage(questionId: number, outcome: ElicitationOutcome, answer?: string): void {
    this.queue.settleElicitation(questionId, outcome, answer);
  }

  finishPage(pageId: string): void {
    this.queue.finishPage(pageId);
  }

  /** Cancels the questions of the agent; `isChatOver`: those of the plugin too. */
  cancelAll(isChatOver = false): void {
    this.cancelCount += 1;
    this.allowed.clear();
    this.queue.cancelAll(isChatOver);
  }

  /** The option that a rule of the user chooses: for this call only, never the agent's own "always". */
  private answerByRule(request: PermissionRequest, action: AgentAction): string | undefined {
    if (this.state.phase === 'cancelling') return undefined;
    const decision = this.policy?.decide(action);
    if (!decision || decision.verdict === 'ask') return undefined;
    const option = optionOfKind(request, decision.verdict === 'allow' ? 'allow_once' : 'reject_once');
    if (!option) return undefined;
    const { toolCallId } = request.tool;
    const [reason = ''] = decision.reasons;
    this.apply({ kind: 'call_decided', toolCallId, verdict: decision.verdict, reason });
    if (decision.verdict === 'allow') this.allowed.add(this.commandsShownBy(request));
    return option.id;
  }

  private actionOf({ tool }: PermissionRequest): AgentAction | undefined {
    const entry = this.state.tools.get(tool.toolCallId);
    return entry && this.place && actionOfCall(entry, this.place);
  }

  private showAndAsk(
    request: PermissionRequest,
    onAsked?: (questionId: number) => void,
  ): Promise<string | undefined> {
    this.apply({ kind: 'tool', patch: request.tool });
    return this.ask(request, onAsked);
  }

  private ask(
    request: PermissionRequest,
    onAsked?: (questionId: number) => void,
  ): Promise<string | undefined> {
    // A permission that the agent requests after a cancel belongs to the cancelled turn.
    if (this.state.phase === 'cancelling' && !request.isOurs) return Promise.resolve(undefined);
    return this.queue.askPermission(request, (question) => {
      onAsked?.(question.id);
      this.apply({ kind: 'question_asked', question });
    });
  }

  private commandsShownBy({ tool }: PermissionRequest): readonly ShownCommand[] {
    const entry = this.state.tools.get(tool.toolCallId);
    return entry ? shownCommands(entry) : [];
  }
}

// Option ids may repeat; an id that also means something else is not used.
function optionOfKind(
  { options }: PermissionRequest,
  kind: QuestionOption['kind'],
): QuestionOption | undefined {
  const option = options.find((each) => each.kind === kind);
  const isUnique = option && options.filter(({ id }) => id === option.id).length === 1;
  return isUnique ? option : undefined;
}

function answerWord({ options }: PermissionRequest, optionId: string | undefined): string {
  return options.find(({ id }) => id === optionId)?.name ?? 'not answered';
}
