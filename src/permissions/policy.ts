import fs from 'node:fs';
import path from 'node:path';
import { shorten } from '../base/text.ts';
import type {
  AgentAction,
  OfferedVerdicts,
  PermissionPolicy,
  PolicyDecision,
  Verdict,
} from '../ports/permissions.ts';
import type { AuditLog } from './audit-log.ts';
import { type RuleCandidate, ruleCandidates } from './candidates.ts';
import { type Decision, decide, type PermissionSubject } from './decide.ts';
import type { AddedRules, RuleBook } from './rule-book.ts';

interface PolicyParts {
  readonly book: RuleBook;
  readonly audit: AuditLog;
  isProtected(file: string): boolean;
}

const maxReason = 300;

interface LastDecision extends PolicyDecision {
  /** What the user answered. */
  readonly answer: string | undefined;
}

/** Applies the rules of the user to what agents want to do. */
export class RulePolicy implements PermissionPolicy {
  private readonly parts: PolicyParts;
  private readonly last = new Map<number, LastDecision>();

  constructor(parts: PolicyParts) {
    this.parts = parts;
  }

  decide(action: AgentAction, offers?: OfferedVerdicts): PolicyDecision {
    const decision = withOffers(describe(this.tryOut(action)), offers);
    this.last.set(action.chat, { ...decision, answer: undefined });
    if (decision.verdict !== 'ask')
      this.parts.audit.record(action, decision.verdict, 'rule', decision.reasons);
    return decision;
  }

  ruleAbout(action: AgentAction): Verdict | undefined {
    const { rules, unreadable } = this.rulesFor(action);
    // Agents read many files. Without rules their paths need not be resolved.
    if (rules.length === 0 && unreadable.length === 0 && !action.allowsAll) return undefined;
    const { verdict, isByRule } = describe(decide(this.subjectOf(action, unreadable), rules));
    if (unreadable.length > 0 && verdict !== 'deny') return 'ask';
    return isByRule ? verdict : undefined;
  }

  /** What the rules say about each part, without a record of it. `added` are rules that the user may add. */
  tryOut(action: AgentAction, added?: AddedRules): Decision {
    const { rules, unreadable } = this.rulesFor(action, added);
    return decide(this.subjectOf(action, unreadable), rules);
  }

  /** Whether a rule could answer this request at all. It does not read the files with rules. */
  hasCandidates(action: AgentAction): boolean {
    return ruleCandidates(this.subjectOf(action)).length > 0;
  }

  /** Rules that would answer this request, from narrow to wide. */
  candidates(action: AgentAction): readonly RuleCandidate[] {
    const { rules, unreadable } = this.rulesFor(action);
    return ruleCandidates(this.subjectOf(action, unreadable), rules);
  }

  recordAnswer(action: AgentAction, answer: string, decision: PolicyDecision | undefined): void {
    if (decision) this.last.set(action.chat, { ...decision, answer });
    this.parts.audit.record(action, answer, 'user', decision?.reasons ?? []);
  }

  /** Records that the user has changed what is allowed without a question. */
  recordChange(place: Pick<AgentAction, 'agent' | 'cwd'>, what: string, details: readonly string[]): void {
    const action = { kind: 'other', commands: [], paths: [], urls: [], ...place } as const;
    this.parts.audit.record(action, what, 'user', details);
  }

  /** The last decision of a chat, for `:AcpWhy`. */
  lastDecision(chat: number): LastDecision | undefined {
    return this.last.get(chat);
  }

  forget(chat: number): void {
    this.last.delete(chat);
    this.parts.book.forgetSession(chat);
  }

  private rulesFor(action: AgentAction, added?: AddedRules) {
    return this.parts.book.rulesFor(action.chat, sessionFolder(action), added);
  }

  private subjectOf(action: AgentAction, unreadable: readonly string[] = []): PermissionSubject {
    const isProtected = (file: string) =>
      action.isProtected === true || this.parts.isProtected(file) || this.parts.book.isOwnFile(file);
    // Paths are compared without links, so the folders must be too.
    const roots = action.roots.map((root) => resolveLinks(root));
    const unclear = [...(action.unclear ?? []), ...unreadable];
    return { ...action, roots, unclear, resolveLinks: (file) => resolveLinks(file), namesIn, isProtected };
  }
}

function withOffers(decision: PolicyDecision, offers: OfferedVerdicts | undefined): PolicyDecision {
  const { verdict, reasons } = decision;
  if (verdict === 'ask' || !offers || offers[verdict]) return decision;
  const reason = `the agent offers no single option to ${verdict} just this call`;
  return { verdict: 'ask', isByRule: false, reasons: [...reasons, reason] };
}

// A command may name another folder to run in, whose rules are not those of this session.
function sessionFolder({ roots, cwd }: AgentAction): string {
  return roots[0] ?? cwd;
}

function describe({ verdict, parts }: Decision): PolicyDecision {
  return {
    verdict,
    isByRule: parts.some(({ verdict: own, rule }) => own === verdict && rule?.verdict === verdict),
    reasons: parts.map(
      (part) => `${shorten(part.subject, maxReason)}: ${part.verdict}, ${part.reason}${sourceOf(part)}`,
    ),
  };
}

function sourceOf({ rule }: Decision['parts'][number]): string {
  return rule ? ` (${rule.source})` : '';
}

const maxLinks = 40;

/** The real path of a file, name by name as the system goes; from a missing one on, the text of the rest. */
export function resolveLinks(file: string): string {
  const { root } = path.parse(file);
  const names = file.slice(root.length).split(path.sep).reverse();
  let at = root;
  let links = 0;
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    // After a link, `..` is the folder of its target.
    const next = path.join(at, name);
    // They lead elsewhere for each process: `/proc/self/cwd` is our folder here, and that of the command later.
    if (next.startsWith('/proc/')) return path.join(next, ...names.reverse().filter((each) => each !== '..'));
    const target = name === '' || name === '.' || name === '..' ? undefined : linkTarget(next);
    if (target === 'missing') return path.join(next, names.reverse().join(path.sep));
    if (target !== undefined) {
      links += 1;
      if (links > maxLinks) return file;
      if (path.isAbsolute(target.link)) at = path.parse(target.link).root;
      names.push(...target.link.split(path.sep).reverse());
    } else at = next;
  }
  return at;
}

/** The names in a folder; none if it can not be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
  }
}

function linkTarget(file: string): { readonly link: string } | 'missing' | undefined {
  try {
    // An exception for each name that is no link would take longer than all the rest.
    const facts = fs.lstatSync(file, { throwIfNoEntry: false });
    if (!facts) return 'missing';
    return facts.isSymbolicLink() ? { link: fs.readlinkSync(file) } : undefined;
  } catch {
    return 'missing';
  }
}
