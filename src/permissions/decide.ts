import os from 'node:os';
import path from 'node:path';
import picomatch from 'picomatch';
import { absolutePath, isInside } from '../base/paths.ts';
import { shellQuote } from '../base/shell.ts';
import type { CommandArgument } from '../model/tool-arguments.ts';
import type { AgentAction, Verdict } from '../ports/permissions.ts';
import { isDestructive, mayBeDestructive } from './destructive-commands.ts';
import type { CommandPattern, Rule, RuleKind } from './rule.ts';
import { readShellLine, type ShellCommand, type ShellLine, type ShellWord } from './shell.ts';
import { startedCommands } from './started-commands.ts';

/** What an agent wants to do, and what is known about the files of this machine. */
export interface PermissionSubject extends Omit<AgentAction, 'chat' | 'isProtected'> {
  /** Resolves the links of an absolute path; of a missing file, those of its folder. */
  resolveLinks(file: string): string;
  /** Other programs execute the file or read their settings from it. */
  isProtected(file: string): boolean;
}

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
}

/**
 * Applies the rules, the first that matches wins, to every part of what the agent wants: each command of a line, each file
 * it writes, each path. It is allowed only if every part is, and denied if one part is. What is unclear is asked.
 */
export function decide(subject: PermissionSubject, rules: readonly Rule[]): Decision {
  const own = rules.filter(({ agent }) => agent === undefined || agent === subject.agent);
  const parts = new Judgement(subject, own).parts();
  const verdicts = new Set(parts.map(({ verdict }) => verdict));
  const verdict = verdicts.has('deny') ? 'deny' : verdicts.has('ask') || parts.length === 0 ? 'ask' : 'allow';
  return { verdict, parts };
}

const maxDepth = 8;

class Judgement {
  private readonly subject: PermissionSubject;
  private readonly rules: readonly Rule[];
  private readonly decided: DecidedPart[] = [];

  constructor(subject: PermissionSubject, rules: readonly Rule[]) {
    this.subject = subject;
    this.rules = rules;
  }

  parts(): readonly DecidedPart[] {
    const { subject } = this;
    const isTool = subject.tool !== undefined && this.judgeTool(subject.tool);
    if (isTool) return this.decided;
    switch (subject.kind) {
      case 'execute':
        for (const command of subject.commands) this.judgeCommandArgument(command);
        break;
      case 'fetch':
        for (const url of subject.urls) this.judgeHost(url);
        break;
      case 'read':
      case 'edit':
      case 'delete':
      case 'move':
      case 'search':
        for (const file of subject.paths) this.judgePath(subject.kind, subject.resolveLinks(file));
        // A command under another name is still a command.
        for (const command of subject.commands) this.judgeCommandArgument(command);
        break;
      default:
        this.judgePlain(subject.kind === 'switch_mode' ? 'mode' : subject.kind);
    }
    return this.decided;
  }

  /** A rule about the tool decides alone. Without one the kind of the call decides. */
  private judgeTool(tool: string): boolean {
    const rule = this.rules.find(({ kind, pattern }) => kind === 'tool' && matchesText(pattern, tool));
    if (!rule) return false;
    this.add(tool, rule);
    return true;
  }

  private judgePlain(kind: RuleKind): void {
    if (this.subject.commands.length > 0) {
      for (const command of this.subject.commands) this.judgeCommandArgument(command);
      return;
    }
    this.add(
      kind,
      this.find((rule) => rule.kind === kind),
    );
  }

  private judgeCommandArgument(command: CommandArgument): void {
    if (typeof command === 'string') return this.judgeLine(readShellLine(command), 0, command);
    const words = command.map((text) => ({ text }));
    this.judgeCommand({ words, assignments: [] }, 0);
  }

  private judgeLine(line: ShellLine, depth: number, text: string): void {
    for (const reason of line.unclear) this.ask(text, reason);
    if (line.commands.length === 0 && line.unclear.length === 0) this.ask(text, 'it has no command');
    this.judgeRedirections(line);
    for (const command of line.commands) this.judgeCommand(command, depth);
  }

  private judgeRedirections({
    written,
    read,
    commands,
  }: Pick<ShellLine, 'written' | 'read' | 'commands'>): void {
    const isMoved = commands.some(({ words }) => /^(cd|pushd|popd)$/.test(words[0]?.text ?? ''));
    for (const [kind, files] of [
      ['edit', written],
      ['read', read],
    ] as const) {
      for (const file of files) {
        if (isMoved && !path.isAbsolute(file)) this.ask(file, 'the folder changes before it is opened');
        else this.judgePath(kind, this.subject.resolveLinks(absolutePath(file, this.subject.cwd)));
      }
    }
  }

  private judgeCommand(command: ShellCommand, depth: number): void {
    const text = commandText(command);
    if (depth > maxDepth) return this.ask(text, 'it is nested too deep');
    if (!/^[\x20-\x7e]+$/.test(command.words[0]?.text ?? '')) {
      return this.ask(text, 'the name of the program has unusual characters');
    }
    const rule = this.find((each) => each.kind === 'run' && matchesCommand(each, command));
    const started = rule?.command?.isExact ? undefined : startedCommands(command);
    if (!started) return this.addCommand(text, rule, command);
    for (const reason of started.unclear) this.ask(text, reason);
    this.judgeRedirections(started);
    for (const each of started.commands) this.judgeCommand(each, depth + 1);
    // A starter that does nothing itself needs no rule, but a rule that denies it counts.
    if (!started.isTransparent || (rule && rule.verdict !== 'allow')) this.addCommand(text, rule, command);
  }

  private addCommand(text: string, rule: Rule | undefined, { words }: ShellCommand): void {
    const plain = words.map((word) => word.text);
    const isOpen = words.some((word) => word.isOpen || word.isGlob);
    const isRisky = isDestructive(plain) || (isOpen && mayBeDestructive(plain));
    if (rule?.verdict === 'allow' && isRisky && !rule.command?.isExact) {
      return this.decide(
        text,
        'ask',
        rule,
        'it is on the list of destructive commands, and the rule has a wildcard',
      );
    }
    this.add(text, rule);
  }

  private judgePath(kind: 'read' | 'edit' | 'delete' | 'move' | 'search', file: string): void {
    const rule = this.find((each) => each.kind === kind && this.matchesPath(each.pattern, file));
    const isChange = kind !== 'read' && kind !== 'search';
    if (rule?.verdict === 'allow' && isChange && this.subject.isProtected(file) && !isExactPath(rule)) {
      return this.decide(file, 'ask', rule, 'other programs execute it, and the rule has a wildcard');
    }
    this.add(file, rule);
  }

  // A relative pattern is about the folders of the session only.
  private matchesPath(pattern: string, file: string): boolean {
    const full = pattern.startsWith('~/') ? path.join(os.homedir(), pattern.slice(2)) : pattern;
    if (path.isAbsolute(full)) return isGlobMatch(full, file);
    return this.subject.roots.some(
      (root) => isInside(file, root) && (pattern === '*' || isGlobMatch(full, path.relative(root, file))),
    );
  }

  private judgeHost(url: string): void {
    const host = hostOf(url);
    if (host === undefined) return this.ask(url, 'it is not a valid URL');
    this.add(
      host,
      this.find((rule) => rule.kind === 'fetch' && matchesText(rule.pattern, host)),
    );
  }

  private find(matches: (rule: Rule) => boolean): Rule | undefined {
    return this.rules.find((rule) => rule.kind === 'any' || matches(rule));
  }

  private add(subject: string, rule: Rule | undefined): void {
    this.decide(subject, rule?.verdict ?? 'ask', rule, rule ? `the rule "${rule.text}"` : 'no rule matches');
  }

  private ask(subject: string, reason: string): void {
    this.decide(subject, 'ask', undefined, reason);
  }

  private decide(subject: string, verdict: Verdict, rule: Rule | undefined, reason: string): void {
    this.decided.push({ subject, verdict, rule, reason });
  }
}

function matchesCommand({ command: pattern }: Rule, command: ShellCommand): boolean {
  if (!pattern) return false;
  if (!isSameList(pattern.assignments, command.assignments)) return false;
  return matchesWords(pattern, command.words);
}

function matchesWords({ words, isOpen }: CommandPattern, given: readonly ShellWord[]): boolean {
  if (isOpen ? given.length < words.length : given.length !== words.length) return false;
  return words.every((word, index) => matchesWord(word, given[index]!));
}

function matchesWord(pattern: ShellWord, word: ShellWord): boolean {
  if (word.isOpen) return false;
  if (!pattern.isGlob) return !word.isGlob && pattern.text === word.text;
  return matchesText(pattern.text, word.text);
}

/** `*` stands for any text. */
function matchesText(pattern: string, text: string): boolean {
  const expression = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${expression.join('.*')}$`, 's').test(text);
}

function isExactPath({ kind, pattern }: Rule): boolean {
  return kind !== 'any' && !/[*?[{]/.test(pattern);
}

function isGlobMatch(pattern: string, file: string): boolean {
  return picomatch.isMatch(file, pattern, { dot: true });
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

function hostOf(url: string): string | undefined {
  try {
    const { hostname, username, password } = new URL(url);
    return username !== '' || password !== '' ? undefined : hostname;
  } catch {
    return undefined;
  }
}

function commandText({ words, assignments }: ShellCommand): string {
  const shown = words.map(({ text, isOpen, isGlob }) => (isOpen ? '…' : isGlob ? text : shellQuote(text)));
  return [...assignments, ...shown].join(' ');
}
