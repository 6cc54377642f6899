import { emptySession, type SessionState } from '../../src/model/session.ts';
import type { SessionEvent } from '../../src/model/session-events.ts';
import type {
  AgentAction,
  OfferedVerdicts,
  PermissionPolicy,
  PolicyDecision,
  Verdict,
} from '../../src/ports/permissions.ts';
import { SessionQuestions } from '../../src/session/questions/session-questions.ts';
import { reduce } from '../../src/session/reducer/reducer.ts';

/** Rules that say what the test sets, and a record of everything they were told. */
export class PolicyDouble implements PermissionPolicy {
  verdict: Verdict = 'ask';
  ruled: Verdict | undefined;
  readonly decided: { readonly action: AgentAction; readonly offers: OfferedVerdicts | undefined }[] = [];
  readonly answers: string[] = [];
  readonly answered: AgentAction[] = [];
  readonly decisions: (PolicyDecision | undefined)[] = [];

  decide(action: AgentAction, offers?: OfferedVerdicts): PolicyDecision {
    this.decided.push({ action, offers });
    return {
      verdict: this.verdict,
      reasons: [`the rule says ${this.verdict}`, 'another'],
      isByRule: true,
    };
  }

  ruleAbout(): Verdict | undefined {
    return this.ruled;
  }

  recordAnswer(action: AgentAction, answer: string, decision: PolicyDecision | undefined): void {
    this.answers.push(answer);
    this.answered.push(action);
    this.decisions.push(decision);
  }

  forget(): void {
    this.decided.length = 0;
  }
}

interface QuestionParts {
  readonly state: SessionState;
  readonly policy: PolicyDouble;
  readonly questions: SessionQuestions;
  readonly events: readonly SessionEvent[];
  apply(event: SessionEvent): void;
}

/** The questions of a session in `/work`; `hasRules: false`: the user has no rules, and no place is known. */
export function someQuestions({ hasRules = true } = {}): QuestionParts {
  const state = emptySession('tester', 0);
  const policy = new PolicyDouble();
  const events: SessionEvent[] = [];
  const apply = (event: SessionEvent) => {
    events.push(event);
    reduce(state, event, 1);
  };
  const place = { chat: 1, agent: 'tester', cwd: '/work', roots: ['/work'] };
  const rules = hasRules ? { policy, place } : {};
  const questions = new SessionQuestions(state, apply, { folder: '/work', ...rules });
  return { state, policy, questions, events, apply };
}
