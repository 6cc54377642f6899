import type { QuestionEntry } from '../../model/entries.ts';
import type { RuleCandidate } from '../../permissions/candidates.ts';
import type { RulePolicy } from '../../permissions/policy.ts';
import { projectFileName, type RuleBook, type RulePlace } from '../../permissions/rule-book.ts';
import type { Editor } from '../../ports/editor.ts';
import type { AgentAction, Verdict } from '../../ports/permissions.ts';
import { candidatesPicker, coveredPicker, placesPicker, type ShownPlace } from '../../view/pickers/rule.ts';
import type { ChatQuestions, QuestionLists } from '../question-lists.ts';

interface RuleMakingPorts {
  readonly editor: Editor;
  readonly book: RuleBook;
  readonly policy: RulePolicy;
  readonly lists: QuestionLists;
  /** The file with the rules of the user, for messages. */
  userFile(): string;
}

/** The rule that the user is making from a question. */
interface Draft {
  readonly id: number;
  readonly source: ChatQuestions;
  readonly entry: QuestionEntry;
  readonly revision: number;
  readonly candidates: readonly RuleCandidate[];
  readonly chosen?: RuleCandidate;
}

interface Member {
  readonly source: ChatQuestions;
  readonly id: number;
  readonly revision: number;
}

const places: readonly RulePlace[] = ['session', 'user', 'project'];

/**
 * Makes a rule from a question: the user chooses what it covers and where it stands, reads which waiting questions it
 * covers, and decides whether they are answered too. What is not listed then, or has changed since, is left open.
 */
export class RuleMaking {
  private readonly ports: RuleMakingPorts;
  /** The draft and the list on the screen: only one dialog is open at a time. */
  private draft: Draft | undefined;
  private covered: { readonly id: number; readonly members: readonly Member[] } | undefined;
  private lastId = 0;

  constructor(ports: RuleMakingPorts) {
    this.ports = ports;
  }

  /** Whether a rule could answer the question. */
  canMake(source: ChatQuestions, { question }: QuestionEntry): boolean {
    const action = source.actionOf(question.id);
    return action !== undefined && this.ports.policy.hasCandidates(action);
  }

  /** Shows the rules that would answer the question. */
  open(source: ChatQuestions, entry: QuestionEntry): void {
    const action = source.actionOf(entry.question.id);
    const candidates = action ? this.ports.policy.candidates(action) : [];
    if (candidates.length === 0)
      return this.ports.editor.notify('warn', 'no rule can answer this question; please answer it yourself');
    this.lastId += 1;
    const shown = source.shownNow(entry);
    this.draft = { id: this.lastId, source, entry, revision: shown.revision, candidates };
    this.send(source, entry, candidatesPicker(this.lastId, shown, candidates));
  }

  /** Shows where the chosen rule can be saved. */
  choose(id: number, index: number): void {
    const draft = this.current(id);
    const chosen = draft?.candidates[index];
    const action = draft?.source.actionOf(draft.entry.question.id);
    if (!draft || !chosen || !action) return;
    this.draft = { ...draft, chosen };
    const shown = draft.source.shownNow(draft.entry);
    this.send(draft.source, draft.entry, placesPicker(id, shown, chosen, this.placesFor(action, chosen)));
  }

  /** Saves the rule, answers the question by it, and lists the other waiting questions that it covers. */
  async save(id: number, place: RulePlace): Promise<void> {
    const draft = this.current(id);
    const action = draft?.source.actionOf(draft.entry.question.id);
    if (!draft?.chosen || !action) return;
    const { chosen, source, entry, revision } = draft;
    this.draft = undefined;
    if (!(await this.write(place, action, chosen)))
      return this.ports.editor.notify('warn', `${projectFileName} has changed, so nothing was saved`);
    const texts = chosen.rules.map(({ text }) => text);
    this.ports.policy.recordChange(action, 'rule', [...texts, this.describePlace(place)]);
    const isAnswered = source.answerByRule(entry.question.id, revision);
    const rest = isAnswered ? '' : '; the question is still open';
    this.ports.editor.notify('info', `${this.describePlace(place)}: ${texts.join(', ')}${rest}`);
    this.listCovered(chosen.verdict, place === 'session' ? [source] : this.ports.lists.all, texts);
  }

  /** Lists the waiting questions about which the rules now decide, and asks whether they are answered. */
  listCovered(verdict: Verdict, sources: readonly ChatQuestions[], rules: readonly string[]): void {
    const found = sources.flatMap((source) =>
      source.waiting
        .filter(({ question }) => this.isCovered(source, question.id, verdict))
        .map((entry) => ({ source, entry, shown: source.shownNow(entry) })),
    );
    const [first] = found;
    if (!first) return;
    this.lastId += 1;
    const members = found.map(({ source, entry, shown: { revision } }) => ({
      source,
      id: entry.question.id,
      revision,
    }));
    this.covered = { id: this.lastId, members };
    const picker = coveredPicker(this.lastId, { verdict, rules, all: found.map(({ shown }) => shown) });
    this.send(first.source, first.entry, picker);
  }

  /** Answers the listed questions by the rules. */
  include(list: number): void {
    const { editor } = this.ports;
    if (this.covered?.id !== list)
      return editor.notify('warn', 'nothing was answered: the list is out of date');
    const { members } = this.covered;
    this.covered = undefined;
    const answered = members.filter(({ source, id, revision }) => source.answerByRule(id, revision)).length;
    const left = members.length - answered;
    const rest = left === 0 ? '' : `; left out, because they changed or were withdrawn meanwhile: ${left}`;
    editor.notify(
      left === 0 ? 'info' : 'warn',
      `answered ${answered} of ${members.length} questions by the rule${rest}`,
    );
  }

  private isCovered(source: ChatQuestions, id: number, verdict: Verdict): boolean {
    const action = source.actionOf(id);
    return (
      action !== undefined &&
      source.offers(id, verdict) &&
      this.ports.policy.tryOut(action).verdict === verdict
    );
  }

  /** The draft, if the question still shows what the user saw. */
  private current(id: number): Draft | undefined {
    const { draft } = this;
    const { editor } = this.ports;
    if (draft?.id !== id) {
      editor.notify('warn', 'no rule was made: the list is out of date');
      return undefined;
    }
    const { source, entry, revision } = draft;
    const isOpen = source.waiting.includes(entry);
    if (isOpen && source.shownNow(entry).revision === revision) return draft;
    this.draft = undefined;
    const reason = isOpen ? 'the question has changed' : 'the question is no longer open';
    editor.notify('warn', `no rule was made: ${reason}`);
    return undefined;
  }

  // A rule in a file counts after those of the session and the configuration, so it may decide nothing there.
  private placesFor(action: AgentAction, { rules, verdict }: RuleCandidate): readonly ShownPlace[] {
    const { policy, book } = this.ports;
    const possible = places.filter(
      (place) =>
        policy.tryOut({ ...action, allowsAll: false }, { place, rules }).verdict === verdict &&
        (place !== 'project' || book.canAddToProject(projectFolder(action))),
    );
    return possible.map((place) => ({ place, label: this.describePlace(place) }));
  }

  private describePlace(place: RulePlace): string {
    if (place === 'session') return 'for this session';
    return place === 'user'
      ? `for all projects, in ${this.ports.userFile()}`
      : `for this project, in ${projectFileName}`;
  }

  private async write(place: RulePlace, action: AgentAction, { rules }: RuleCandidate): Promise<boolean> {
    const { book } = this.ports;
    if (place === 'project') return book.addToProject(projectFolder(action), ...rules);
    if (place === 'session') book.addToSession(action.chat, ...rules);
    else await book.addToUser(...rules);
    return true;
  }

  private send(
    { chat }: ChatQuestions,
    { question }: QuestionEntry,
    picker: ReturnType<typeof candidatesPicker>,
  ) {
    this.ports.editor.send('picker.open', { chat, id: question.id, ...picker });
  }
}

function projectFolder({ roots, cwd }: AgentAction): string {
  return roots[0] ?? cwd;
}
