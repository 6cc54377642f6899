import type { ToolKind } from '../model/entries.ts';
import type { CommandArgument } from '../model/tools/tool-arguments.ts';

/** What an agent wants to do, as far as its request tells. */
export interface AgentAction {
  readonly chat: number;
  readonly agent: string;
  readonly kind: ToolKind;
  /** The name of the tool, such as that of an MCP server, as the agent says. */
  readonly tool?: string | undefined;
  /** Every name that the agent gives the tool. If they differ, `tool` is absent. */
  readonly toolNames?: readonly string[] | undefined;
  /** Shell lines, or programs with their arguments. */
  readonly commands: readonly CommandArgument[];
  /** Absolute. */
  readonly paths: readonly string[];
  /** Those of `paths` whose content changes, whatever the kind. Absent: the kind says what happens to them. */
  readonly changedPaths?: readonly string[] | undefined;
  readonly urls: readonly string[];
  /** Other programs execute the files; only a rule that names them allows a change. */
  readonly isProtected?: boolean | undefined;
  /** The folder that commands run in. */
  readonly cwd: string;
  /** The folders of the session. */
  readonly roots: readonly string[];
  /** Why no rule can allow it. */
  readonly unclear?: readonly string[] | undefined;
  /** Arguments that may change what it does; only a rule about the tool covers them. */
  readonly unknownArguments?: readonly string[] | undefined;
  /** The user has set the session to allow everything but what is destructive, unclear or outside of its folders. */
  readonly allowsAll?: boolean | undefined;
}

/** `allow` and `deny` come from a rule of the user; `ask` means that the user decides. */
export type Verdict = 'allow' | 'ask' | 'deny';

export interface PolicyDecision {
  readonly verdict: Verdict;
  /** One line for each part of the action: what it is, the verdict, and the rule or the reason. */
  readonly reasons: readonly string[];
  /** A rule says so. Otherwise the user is asked because no rule matches, or because the action is unclear. */
  readonly isByRule: boolean;
}

export type OfferedVerdicts = Readonly<Record<'allow' | 'deny', boolean>>;

/** Decides by the user's rules what agents may do, and keeps a record of every decision. */
export interface PermissionPolicy {
  /** `offers`: whether the question can be answered so; if not, the user is asked. */
  decide(action: AgentAction, offers?: OfferedVerdicts): PolicyDecision;
  /** What a rule says about the action, without a record of it; undefined if no rule decides. */
  ruleAbout(action: AgentAction): Verdict | undefined;
  /** Records what the user has decided. `decision` is what the rules said. */
  recordAnswer(action: AgentAction, answer: string, decision: PolicyDecision | undefined): void;
  /** The chat is closed. */
  forget(chat: number): void;
}
