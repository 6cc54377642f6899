import { isDeepStrictEqual } from 'node:util';
import type { QuestionOption } from '../../model/entries.ts';
import { type ElicitationOutcome, summariseAnswers } from '../../model/form.ts';
import { applyAction, type FormAction } from '../../model/form-progress.ts';
import type { SessionState } from '../../model/session.ts';
import type { SessionEvent } from '../../model/session-events.ts';
import type { ElicitationRequest, PermissionRequest } from '../../ports/agent.ts';
import type {
  AgentAction,
  OfferedVerdicts,
  PermissionPolicy,
  PolicyDecision,
  Verdict,
} from '../../ports/permissions.ts';
import type { ConsentRequest, ServiceAction } from '../../ports/workspace.ts';
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
  /** What each open permission question is about. The call of the agent may change while it waits. */
  private readonly actions = new Map<number, () => AgentAction | undefined>();
  /** The positions of the options that the user has chosen, until they are recorded. */
  private readonly chosen = new Map<number, number>();
  private readonly answeredByRule = new Set<number>();

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
    this.queue = new QuestionQueue((questionId, answer, isAwaited, chosen) => {
      if (chosen.optionIndex !== undefined && this.actions.has(questionId))
        this.chosen.set(questionId, chosen.optionIndex);
      apply({ kind: 'question_settled', questionId, answer, isAwaited: isAwaited || undefined, ...chosen });
    }, firstQuestionId);
    this.consent = new Consent({
      cancelCount: () => this.cancelCount,
      report: (patch) => apply({ kind: 'tool', patch }),
      ask: (request, action, decision) => {
        this.apply({ kind: 'tool', patch: request.tool });
        return this.askAndRecord(request, () => this.serviceAction(action), decision);
      },
      decide: (action) => {
        const full = this.serviceAction(action);
        return full && this.policy?.decide(full);
      },
    });
    this.conflicts = new ConflictQuestions({
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
    const decision = this.decideByRule(request);
    const byRule = decision && optionFor(request.options, decision.verdict);
    if (decision && byRule) return this.applyRule(request, decision, byRule);
    const answered = this.askAndRecord(request, () => this.actionOf(request), decision);
    const shown = this.commandsShownBy(request);
    const optionId = await answered;
    const chosen = request.options.filter(({ id }) => id === optionId);
    // Several options may have the same id. Only if all of them allow is the answer a consent.
    const isAllowed = chosen.length > 0 && chosen.every(({ kind }) => kind.startsWith('allow_'));
    // If the agent has changed the call meanwhile, the user may not have seen the new command.
    if (isAllowed && isDeepStrictEqual(shown, this.commandsShownBy(request))) this.allowed.add(shown);
    return optionId;
  }

  /** What a service of the editor is about to do, as far as a rule of the user is about it. */
  ruleAbout(action: ServiceAction & Pick<ConsentRequest, 'kind'>): Verdict | undefined {
    const full = this.serviceAction(action);
    const verdict = full && this.policy?.ruleAbout(full);
    if (full && verdict === 'deny') this.policy?.decide(full);
    return verdict;
  }

  /** What an open permission question is about now; undefined for other questions. */
  actionOfQuestion(questionId: number): AgentAction | undefined {
    return this.actions.get(questionId)?.();
  }

  /** Whether the options of an open question have one that a rule with this verdict can choose. */
  offers(questionId: number, verdict: Verdict): boolean {
    const entry = this.state.questions.find(({ question }) => question.id === questionId);
    return entry !== undefined && optionFor(entry.question.options, verdict) !== undefined;
  }

  /** Lets the rules answer an open question. False if it is not open, or they do not decide about it. */
  answerByRule(questionId: number): boolean {
    const action = this.actionOfQuestion(questionId);
    const { question } = this.state.questions.find((each) => each.question.id === questionId) ?? {};
    if (!action || !question) return false;
    const decision = this.policy?.decide(action, offersOf(question.options));
    const option = decision && optionFor(question.options, decision.verdict);
    if (!decision || !option) return false;
    this.answeredByRule.add(questionId);
    this.queue.choose(questionId, question.options.indexOf(option), ', by a rule');
    if (question.toolCallId !== undefined) this.applyDecision(question.toolCallId, decision);
    return true;
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

  private decideByRule(request: PermissionRequest): PolicyDecision | undefined {
    const action = this.actionOf(request);
    if (!action || this.state.phase === 'cancelling') return undefined;
    return this.policy?.decide(action, offersOf(request.options));
  }

  private applyRule(request: PermissionRequest, decision: PolicyDecision, { id }: QuestionOption): string {
    this.applyDecision(request.tool.toolCallId, decision);
    if (decision.verdict === 'allow') this.allowed.add(this.commandsShownBy(request));
    return id;
  }

  private applyDecision(toolCallId: string, { verdict, reasons: [reason = ''] }: PolicyDecision): void {
    if (verdict !== 'ask') this.apply({ kind: 'call_decided', toolCallId, verdict, reason });
  }

  private actionOf({ tool }: PermissionRequest): AgentAction | undefined {
    const entry = this.state.tools.get(tool.toolCallId);
    if (!entry || !this.place) return undefined;
    return { ...actionOfCall(entry, this.place), allowsAll: this.state.allowsAll };
  }

  private serviceAction(action: ServiceAction & Pick<ConsentRequest, 'kind'>): AgentAction | undefined {
    if (!this.place) return undefined;
    return { ...emptyAction, ...this.place, allowsAll: this.state.allowsAll, ...action };
  }

  private async askAndRecord(
    request: PermissionRequest,
    actionNow: () => AgentAction | undefined,
    decision: PolicyDecision | undefined,
  ): Promise<string | undefined> {
    let questionId = 0;
    const optionId = await this.ask(request, (id) => {
      questionId = id;
      this.actions.set(id, actionNow);
    });
    const isAsked = this.actions.delete(questionId);
    const isByRule = this.answeredByRule.delete(questionId);
    const index = this.chosen.get(questionId);
    this.chosen.delete(questionId);
    const action = actionNow();
    if (action && isAsked && !isByRule)
      this.policy?.recordAnswer(action, answerWord(request.options[index ?? -1]), decision);
    return optionId;
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

/**
 * The option that a rule chooses: for this call only, never the agent's own "always". Some agents ask for something else
 * than a permission with several such options, and option ids may repeat: then the user chooses.
 */
function optionFor(options: readonly QuestionOption[], verdict: Verdict): QuestionOption | undefined {
  if (verdict === 'ask') return undefined;
  const [option, ...others] = options.filter(
    ({ kind }) => kind === (verdict === 'allow' ? 'allow_once' : 'reject_once'),
  );
  const isUnique = option && others.length === 0 && options.filter(({ id }) => id === option.id).length === 1;
  return isUnique ? option : undefined;
}

function offersOf(options: readonly QuestionOption[]): OfferedVerdicts {
  return {
    allow: optionFor(options, 'allow') !== undefined,
    deny: optionFor(options, 'deny') !== undefined,
  };
}

// Names say what the agent wants them to say, so the kind is recorded too.
function answerWord(chosen: QuestionOption | undefined): string {
  return chosen ? `${chosen.name} (${chosen.kind})` : 'not answered';
}
