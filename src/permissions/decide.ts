import os from 'node:os';
import path from 'node:path';
import { isInside, literalPath } from '../base/paths.ts';
import { isProgramName, shellQuote } from '../base/shell.ts';
import { isQuietAssignment } from '../model/tools/quiet-variables.ts';
import type { CommandArgument } from '../model/tools/tool-arguments.ts';
import type { AgentAction, Verdict } from '../ports/permissions.ts';
import { allowAllRule } from './allow-all.ts';
import { matchesCommand, matchesText, mayMatch } from './commands/command-pattern.ts';
import { hidesDestructive, isDestructive, mayBeDestructive } from './commands/destructive-commands.ts';
import { type FileFacts, LineFiles } from './commands/line-files.ts';
import { doesMoreThanRead, onlyReads } from './commands/reading-programs.ts';
import { hasWildcard, matchesPathPattern, matchesSimilarPath } from './path-pattern.ts';
import { type Rule, type RuleKind, ruleKinds } from './rule.ts';
import { readShellLine, type ShellCommand, type ShellLine } from './shell/shell.ts';
import { changesShell } from './shell/shell-builtins.ts';
import { type StartedCommands, startedCommands } from './shell/started-commands.ts';

/** What an agent wants to do, and what is known about the files of this machine. */
export interface PermissionSubject
  extends Omit<AgentAction, 'chat' | 'isProtected' | keyof FileFacts>,
    FileFacts {}

/** The verdict about all of it, and about each part. */
export interface Decision {
  readonly verdict: Verdict;
  readonly parts: readonly DecidedPart[];
}

export interface DecidedPart {
  /** What it is about, as the user would write it: a command, a path, a host. */
  readonly subject: string;
  readonly verdict: Verdict;
  /** Absent: no rule matches. */
  readonly rule: Rule | undefined;
  readonly reason: string;
  /** What a rule about it would name; absent: no rule can allow it. */
  readonly scope?: PartScope | undefined;
}

export type PathKind = 'read' | 'edit' | 'delete' | 'move' | 'search';

export type PartScope =
  | { readonly kind: 'command'; readonly command: ShellCommand }
  | { readonly kind: 'path'; readonly access: PathKind; readonly file: string }
  | { readonly kind: 'host'; readonly host: string }
  /** A call of which nothing but its kind and the name of its tool is known. */
  | { readonly kind: 'call'; readonly name: RuleKind };

/**
 * Applies the rules, the first that matches wins, to every part of what the agent wants: each command of a line, each file
 * it writes, each path. It is allowed only if every part is, and denied if one part is. What is unclear is asked.
 */
export function decide(subject: PermissionSubject, rules: readonly Rule[]): Decision {
  const own = rules.filter(({ agent }) => agent === undefined || agent === subject.agent);
  const parts = new Judgement(subject, subject.allowsAll ? [...own, allowAllRule] : own).parts();
  const verdicts = new Set(parts.map(({ verdict }) => verdict));
  const verdict = verdicts.has('deny') ? 'deny' : verdicts.has('ask') || parts.length === 0 ? 'ask' : 'allow';
  return { verdict, parts };
}

const maxDepth = 8;

class Judgement {
  private readonly subject: PermissionSubject;
  private readonly rules: readonly Rule[];
  private readonly decided: DecidedPart[] = [];
  private readonly files: LineFiles;

  constructor(subject: PermissionSubject, rules: readonly Rule[]) {
    this.subject = subject;
    this.rules = rules;
    this.files = new LineFiles(subject);
  }

  parts(): readonly DecidedPart[] {
    const { subject } = this;
    const unclear = subject.unclear ?? [];
    for (const reason of unclear) this.ask(subject.kind, reason);
    for (const name of subject.unknownArguments ?? []) this.judgeArgument(name);
    const doubts = this.decided.length;
    this.judgeKind();
    // Agents choose the kind: a change under another kind is still a change, an address a request, a command a command.
    if (subject.kind !== 'edit')
      for (const file of subject.changedPaths ?? []) this.judgePath('edit', subject.resolveLinks(file));
    for (const url of subject.urls) this.judgeHost(url);
    for (const command of subject.commands) this.judgeCommandArgument(command);
    if (this.decided.length === doubts) this.judgeTool();
    return this.decided;
  }

  private judgeKind(): void {
    const { kind, commands, paths, resolveLinks } = this.subject;
    switch (kind) {
      case 'execute':
      case 'fetch':
        return;
      case 'read':
      case 'edit':
      case 'delete':
      case 'move':
      case 'search':
        for (const file of paths) this.judgePath(kind, resolveLinks(file));
        return;
      default:
        if (commands.length === 0) this.judgeCall(kind);
        for (const file of paths) this.judgeUnknownAccess(kind, resolveLinks(file));
    }
  }

  /** Of an argument that is not understood only a rule about the tool can say something. */
  private judgeArgument(name: string): void {
    const rule = this.rules.find(
      (each) => this.isAboutTool(each) || (each.kind === 'any' && each.verdict !== 'allow'),
    );
    if (rule) this.add(name, rule);
    else this.ask(name, 'no rule covers this argument');
  }

  /** A file of a call that does not say what happens to it. */
  private judgeUnknownAccess(kind: 'think' | 'switch_mode' | 'other', file: string): void {
    const rule = this.find(
      (each) =>
        each.kind === callName(kind) ||
        (ruleKinds[each.kind] === 'path' && each.verdict !== 'allow' && this.matchesPath(each, file)),
    );
    const isOther = rule?.kind === 'other';
    if (rule?.verdict !== 'allow') return this.add(file, rule);
    if (rule.kind === 'think' || rule.kind === 'mode')
      return this.decide(file, 'ask', rule, 'the call does not say what happens to it', undefined);
    const problem = this.whyPathNotCovered(isOther ? { ...rule, isLimited: true } : rule, 'edit', file);
    if (problem !== undefined) return this.decide(file, 'ask', rule, problem, undefined);
    this.add(file, rule);
  }

  /** Of a call that names no file, host or command only a rule about its tool can say something. */
  private judgeTool(): void {
    const { tool, toolNames = [] } = this.subject;
    const [name = tool] = toolNames;
    const rule = this.rules.find((each) => this.isAboutTool(each));
    if (name !== undefined && rule) this.add(name, rule);
  }

  // Agents give names to their tools. A name that contradicts another one of the same call allows nothing.
  private isAboutTool({ kind, verdict, pattern }: Rule): boolean {
    if (kind !== 'tool') return false;
    const { tool, toolNames = [] } = this.subject;
    if (verdict === 'allow') return tool !== undefined && tool !== '' && matchesText(pattern, tool);
    return [...toolNames, tool ?? ''].some((name) => name !== '' && matchesText(pattern, name));
  }

  private judgeCall(kind: 'think' | 'switch_mode' | 'other'): void {
    const name = callName(kind);
    const rule = this.find((each) => each.kind === name);
    const scope = { kind: 'call', name } as const;
    // A mode may give the agent more power than the user has in mind.
    if (rule?.isLimited && name === 'mode')
      return this.decide(name, 'ask', rule, 'it changes the mode', scope);
    this.add(this.subject.tool ?? name, rule, scope);
  }

  private judgeCommandArgument(command: CommandArgument): void {
    const { cwd, resolveLinks } = this.subject;
    if (!this.isInside(resolveLinks(cwd)))
      this.ask(cwd, 'commands would run outside of the folders of the session');
    if (typeof command === 'string') return this.judgeLine(readShellLine(command), 0, command);
    const [name = ''] = command;
    if (command.length === 1 && !isProgramName(name)) {
      this.ask(name, 'it may be a program or a shell line');
      return this.judgeLine(readShellLine(name), 0, name);
    }
    const words = command.map((text) => ({ text }));
    this.judgeCommand({ words, assignments: [] }, 0);
  }

  private judgeLine(line: ShellLine, depth: number, text: string): void {
    for (const reason of line.unclear) this.ask(text, reason);
    if (line.commands.length === 0 && line.unclear.length === 0) this.ask(text, 'it has no command');
    this.judgeCommands(line, depth);
  }

  /** Commands with the files that they open. A change of the folder counts for all of them and for what follows. */
  private judgeCommands(line: StartedCommands, depth: number): void {
    const leave = this.files.enter(line);
    this.judgeRedirections(line);
    for (const command of line.commands) this.judgeCommand(command, depth);
    leave();
  }

  private judgeRedirections({ written, read }: Pick<ShellLine, 'written' | 'read'>): void {
    for (const file of written) this.judgeRedirection('edit', file);
    for (const file of read) this.judgeRedirection('read', file);
  }

  private judgeRedirection(kind: 'edit' | 'read', file: string): void {
    const { cwd, resolveLinks } = this.subject;
    if (this.files.hasMoved && !path.isAbsolute(file))
      this.ask(file, 'the folder changes before it is opened');
    else this.judgePath(kind, resolveLinks(literalPath(file, cwd)));
  }

  private judgeCommand(command: ShellCommand, depth: number): void {
    const text = commandText(command);
    if (depth > maxDepth) return this.ask(text, 'it is nested too deep');
    if (!/^[\x20-\x7e]+$/.test(command.words[0]?.text ?? '')) {
      return this.ask(text, 'the name of the program has unusual characters');
    }
    const rule = this.find((each) => each.kind === 'run' && matchesCommand(each, command));
    if (this.files.goesToOwnFolder(command) && (!rule || rule.verdict === 'allow')) return;
    const found = startedCommands(command);
    const started = rule?.command?.isExact && !found?.runsInput ? undefined : found;
    if (!started) {
      this.addCommand(text, rule, command);
      this.files.follow(command);
      return;
    }
    for (const reason of started.unclear) this.ask(text, reason);
    this.judgeCommands(started, depth + 1);
    // A starter that does nothing itself needs no rule, but a rule that denies it counts.
    if (!started.isTransparent || (rule && rule.verdict !== 'allow')) this.addCommand(text, rule, command);
  }

  private addCommand(text: string, rule: Rule | undefined, command: ShellCommand): void {
    const problem = rule?.verdict === 'allow' ? this.whyNotCovered(rule, command) : undefined;
    const scope = { kind: 'command', command } as const;
    if (problem !== undefined) return this.decide(text, 'ask', rule, problem, scope);
    this.add(text, rule, scope);
  }

  /** Why a rule that allows a command does not cover it all the same. */
  private whyNotCovered(rule: Rule, command: ShellCommand): string | undefined {
    const { words, assignments } = command;
    const plain = words.map((word) => word.text);
    const isOpen = words.some((word) => word.isOpen || word.isGlob);
    if (this.files.mayRunOutside(rule, command) && (rule.isLimited || !onlyReads(words)))
      return 'it may run outside of the folders of the session';
    const named = rule.command?.words.flatMap((word) => (word.isGlob ? [] : [word.text])) ?? [];
    const isRisky = isDestructive(plain, named) || (isOpen && mayBeDestructive(plain));
    if (isRisky && !rule.command?.isExact)
      return 'it is on the list of destructive commands, and the rule has a wildcard';
    if (changesShell(plain) && !rule.command?.isExact)
      return 'it changes the shell that runs it, and the rule has a wildcard';
    if (!rule.command && !assignments.every(isQuietAssignment))
      return 'it sets a variable that the rule does not name';
    // The rule names no program, so it is not known what the program does with its words.
    const isAnyProgram = !rule.command || rule.command.words.length === 0;
    const hasOpenWords = words.some((word) => word.isOpen);
    if (!isAnyProgram && !rule.command?.isExact && doesMoreThanRead(plain, hasOpenWords))
      return 'it may write files or run programs, and the rule has a wildcard';
    if (isAnyProgram && hidesDestructive(plain)) return 'its words contain a command of the destructive list';
    const similar = rule.command?.isExact ? undefined : this.similarRule(rule, command, isAnyProgram);
    if (similar) return `it may be what the rule "${similar.text}" is about`;
    return this.files.whyNotCovered(rule, command);
  }

  /** A rule before this one that does not allow, and that is perhaps about the command: `git -C . push`. */
  private similarRule(rule: Rule, { words }: ShellCommand, isAnyProgram: boolean): Rule | undefined {
    return this.rules
      .slice(0, this.rules.indexOf(rule))
      .find(
        ({ verdict, command }) => verdict !== 'allow' && command && mayMatch(command, words, isAnyProgram),
      );
  }

  private isInside(file: string): boolean {
    return this.subject.roots.some((root) => isInside(file, root));
  }

  private judgePath(kind: PathKind, file: string): void {
    const rule = this.find((each) => each.kind === kind && this.matchesPath(each, file));
    const problem = rule?.verdict === 'allow' ? this.whyPathNotCovered(rule, kind, file) : undefined;
    const scope = { kind: 'path', access: kind, file } as const;
    if (problem !== undefined) return this.decide(file, 'ask', rule, problem, scope);
    this.add(file, rule, scope);
  }

  private whyPathNotCovered(rule: Rule, kind: PathKind, file: string): string | undefined {
    const isChange = kind !== 'read' && kind !== 'search';
    if (isChange && this.subject.isProtected(file) && !isExactPath(rule))
      return 'other programs execute it, and the rule has a wildcard';
    if (rule.isLimited && !this.isInside(file)) return 'it is outside of the folders of the session';
    return undefined;
  }

  // A relative pattern is about the folders of the session only.
  private matchesPath({ pattern, verdict }: Rule, file: string): boolean {
    const isMatch = verdict === 'allow' ? matchesPathPattern : matchesSimilarPath;
    const full = pattern.startsWith('~/') ? path.join(os.homedir(), pattern.slice(2)) : pattern;
    if (path.isAbsolute(full)) return isMatch(full, file);
    return this.subject.roots.some(
      (root) => isInside(file, root) && (pattern === '*' || isMatch(full, path.relative(root, file))),
    );
  }

  private judgeHost(url: string): void {
    const host = hostOf(url);
    if (host === undefined) return this.judgeOtherAddress(url);
    this.add(
      host,
      this.find((rule) => rule.kind === 'fetch' && matchesText(rule.pattern.toLowerCase(), host)),
      { kind: 'host', host },
    );
  }

  // Servers of tools have addresses of their own, such as `docs://page`.
  private judgeOtherAddress(url: string): void {
    const rule =
      this.subject.kind === 'fetch' ? undefined : this.rules.find((each) => this.isAboutTool(each));
    if (rule) this.add(url, rule);
    else this.ask(url, 'it is not a plain address of a web page');
  }

  private find(matches: (rule: Rule) => boolean): Rule | undefined {
    return this.rules.find((rule) => rule.kind === 'any' || this.isAboutTool(rule) || matches(rule));
  }

  private add(subject: string, rule: Rule | undefined, scope?: PartScope): void {
    const reason = rule ? `the rule "${rule.text}"` : 'no rule matches';
    this.decide(subject, rule?.verdict ?? 'ask', rule, reason, scope);
  }

  private ask(subject: string, reason: string): void {
    this.decide(subject, 'ask', undefined, reason, undefined);
  }

  private decide(
    subject: string,
    verdict: Verdict,
    rule: Rule | undefined,
    reason: string,
    scope: PartScope | undefined,
  ): void {
    this.decided.push({ subject, verdict, rule, reason, scope });
  }
}

function callName(kind: 'think' | 'switch_mode' | 'other') {
  return kind === 'switch_mode' ? 'mode' : kind;
}

function isExactPath({ kind, pattern }: Rule): boolean {
  return kind !== 'any' && kind !== 'tool' && !hasWildcard(pattern);
}

// Programs read unusual addresses differently: `https://a\\@b` is one of a or of b. So only plain ones are covered.
const plainAddress = /^https?:\/\/([a-z0-9.-]+)(?::\d+)?(?:[/?#][^\s\\\p{Cc}]*)?$/iu;

function hostOf(url: string): string | undefined {
  const host = plainAddress.exec(url)?.[1]?.toLowerCase();
  if (host === undefined || host.includes('..')) return undefined;
  try {
    // The dot at the end of `example.org.` changes nothing.
    return new URL(url).hostname === host ? host.replace(/\.$/, '') : undefined;
  } catch {
    return undefined;
  }
}

function commandText({ words, assignments }: ShellCommand): string {
  const shown = words.map(({ text, isOpen, isGlob }) => (isOpen ? '…' : isGlob ? text : shellQuote(text)));
  return [...assignments, ...shown].join(' ');
}
