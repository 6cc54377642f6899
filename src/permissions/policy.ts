import fs from 'node:fs';
import path from 'node:path';
import { shorten } from '../base/text.ts';
import type { AgentAction, PermissionPolicy, PolicyDecision } from '../ports/permissions.ts';
import type { AuditLog } from './audit-log.ts';
import { type Decision, decide } from './decide.ts';
import type { RuleBook } from './rule-book.ts';

interface PolicyParts {
  readonly book: RuleBook;
  readonly audit: AuditLog;
  isProtected(file: string): boolean;
}

const maxReason = 300;

/** Applies the rules of the user to what agents want to do. */
export class RulePolicy implements PermissionPolicy {
  private readonly parts: PolicyParts;
  private readonly last = new Map<number, PolicyDecision>();

  constructor(parts: PolicyParts) {
    this.parts = parts;
  }

  decide(action: AgentAction): PolicyDecision {
    const decision = describe(this.tryOut(action));
    this.last.set(action.chat, decision);
    if (decision.verdict !== 'ask')
      this.parts.audit.record(action, decision.verdict, 'rule', decision.reasons);
    return decision;
  }

  /** What the rules say, without a record of it. */
  tryOut(action: AgentAction): Decision {
    const { rules } = this.parts.book.rulesFor(action.chat, action.cwd);
    const isProtected = (file: string) => action.isProtected === true || this.parts.isProtected(file);
    // Paths are compared without links, so the folders must be too.
    const roots = action.roots.map((root) => resolveLinks(root));
    return decide({ ...action, roots, resolveLinks: (file) => resolveLinks(file), isProtected }, rules);
  }

  recordAnswer(action: AgentAction, answer: string): void {
    const reasons = this.last.get(action.chat)?.reasons ?? [];
    this.parts.audit.record(action, answer, 'user', reasons);
  }

  /** The last decision of a chat, for `:AcpWhy`. */
  lastDecision(chat: number): PolicyDecision | undefined {
    return this.last.get(chat);
  }

  forget(chat: number): void {
    this.last.delete(chat);
    this.parts.book.forgetSession(chat);
  }
}

function describe({ verdict, parts }: Decision): PolicyDecision {
  return {
    verdict,
    reasons: parts.map(
      (part) => `${shorten(part.subject, maxReason)}: ${part.verdict}, ${part.reason}${sourceOf(part)}`,
    ),
  };
}

function sourceOf({ rule }: Decision['parts'][number]): string {
  return rule ? ` (${rule.source})` : '';
}

const maxLinks = 40;

/** The real path of a file; of a missing one, that of its nearest folder with the rest of the path. */
export function resolveLinks(file: string, links = 0): string {
  const rest: string[] = [];
  for (let at = path.resolve(file); ; at = path.dirname(at)) {
    try {
      return path.join(fs.realpathSync(at), ...rest);
    } catch {
      if (path.dirname(at) === at || links > maxLinks) return file;
      // A link to a file that does not exist yet leads there when it is written.
      const target = linkTarget(at);
      if (target !== undefined) return path.join(resolveLinks(target, links + 1), ...rest);
      rest.unshift(path.basename(at));
    }
  }
}

function linkTarget(file: string): string | undefined {
  try {
    return path.resolve(path.dirname(file), fs.readlinkSync(file));
  } catch {
    return undefined;
  }
}
