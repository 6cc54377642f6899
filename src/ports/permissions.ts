import type { ToolKind } from '../model/entries.ts';
import type { CommandArgument } from '../model/tool-arguments.ts';

/** What an agent wants to do, as far as its request tells. */
export interface AgentAction {
  readonly chat: number;
  readonly agent: string;
  readonly kind: ToolKind;
  /** The name of the tool, such as that of an MCP server. */
  readonly tool?: string | undefined;
  /** Shell lines, or programs with their arguments. */
  readonly commands: readonly CommandArgument[];
  /** Absolute. */
  readonly paths: readonly string[];
  readonly urls: readonly string[];
  /** Other programs execute the files; only a rule that names them allows a change. */
  readonly isProtected?: boolean | undefined;
  /** The folder that commands run in. */
  readonly cwd: string;
  /** The folders of the session. */
  readonly roots: readonly string[];
}

/** `allow` and `deny` come from a rule of the user; `ask` means that the user decides. */
export type Verdict = 'allow' | 'ask' | 'deny';

export interface PolicyDecision {
  readonly verdict: Verdict;
  /** One line for each part of the action: what it is, the verdict, and the rule or the reason. */
  readonly reasons: readonly string[];
}

/** Decides by the user's rules what agents may do, and keeps a record of every decision. */
export interface PermissionPolicy {
  decide(action: AgentAction): PolicyDecision;
  /** Records what the user has decided. */
  recordAnswer(action: AgentAction, answer: string): void;
}
