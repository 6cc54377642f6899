import type { ToolKind } from '../model/entries.ts';
import type { Verdict } from '../ports/permissions.ts';
import { presets } from './presets.ts';
import { readShellLine, type ShellWord } from './shell/shell.ts';

/** What a rule is about: a kind of tool call, the name of a tool, or anything. */
export type RuleKind = Exclude<ToolKind, 'execute' | 'switch_mode'> | 'run' | 'mode' | 'tool' | 'any';

/** A line such as `allow run npm test *` or `deny claude:edit secrets/**`. */
export interface Rule {
  readonly text: string;
  readonly verdict: Verdict;
  /** Absent: every agent. */
  readonly agent: string | undefined;
  readonly kind: RuleKind;
  /** A path, a host or the name of a tool, with wildcards; `*` means all. */
  readonly pattern: string;
  /** The words of a command. */
  readonly command: CommandPattern | undefined;
  /** Where it stands, for the user. */
  readonly source: string;
  /** It covers only what is in the folders of the session and sets no variables or modes. */
  readonly isLimited?: true;
}

export interface CommandPattern {
  /** Variables that the command must set, such as `NODE_ENV=test`. */
  readonly assignments: readonly string[];
  readonly words: readonly ShellWord[];
  /** It ends with `*`: more arguments may follow. */
  readonly isOpen: boolean;
  /** No word has a wildcard. */
  readonly isExact: boolean;
}

export type ParsedRule = Rule | { readonly problem: string };

const verdicts: ReadonlySet<string> = new Set<Verdict>(['allow', 'ask', 'deny']);
/** The kinds of rules, and what their pattern is. */
export const ruleKinds: Readonly<Record<RuleKind, 'path' | 'command' | 'host' | 'name' | 'nothing'>> = {
  read: 'path',
  edit: 'path',
  delete: 'path',
  move: 'path',
  search: 'path',
  run: 'command',
  fetch: 'host',
  think: 'nothing',
  mode: 'nothing',
  other: 'nothing',
  tool: 'name',
  any: 'nothing',
};

const ruleLine = /^(\S+)\s+(?:([\w.-]+):)?(\S+)(?:\s+(.*))?$/;

/** Reads one rule. The problem names what is wrong and what is expected. */
export function parseRule(line: string, source: string): ParsedRule {
  const text = line.trim();
  const [, verdict = '', agent, kind = '', pattern = ''] = ruleLine.exec(text) ?? [];
  if (!verdicts.has(verdict)) return problem(text, 'it must begin with allow, ask or deny');
  if (!Object.hasOwn(ruleKinds, kind)) {
    return problem(text, `"${kind}" is not one of ${Object.keys(ruleKinds).join(', ')}`);
  }
  const base = { text, verdict: verdict as Verdict, agent, kind: kind as RuleKind, source };
  const wanted = ruleKinds[base.kind];
  if (wanted === 'nothing' && pattern !== '') return problem(text, `nothing may follow ${kind}`);
  if (wanted !== 'nothing' && pattern === '' && verdict === 'allow')
    return problem(text, `the pattern is missing; "${text} *" allows everything`);
  if (wanted === 'path' && pattern.split('/').includes('..'))
    return problem(text, 'a path may not contain ..');
  if (wanted !== 'command') return { ...base, pattern: pattern === '' ? '*' : pattern, command: undefined };
  const command = parseCommandPattern(pattern === '' ? '*' : pattern);
  if (typeof command === 'string') return problem(text, command);
  return { ...base, pattern, command };
}

function problem(text: string, reason: string): ParsedRule {
  return { problem: `"${text}" is not a rule: ${reason}` };
}

function parseCommandPattern(pattern: string): CommandPattern | string {
  const { commands, written, read, unclear } = readShellLine(pattern, { isPattern: true });
  const [command] = commands;
  if (commands.length !== 1 || !command || written.length + read.length > 0 || unclear.length > 0) {
    return 'after run stands one command, with * for arguments';
  }
  const isOpen = isStar(command.words.at(-1));
  const words = isOpen ? command.words.slice(0, -1) : command.words;
  if (words[0]?.isGlob) return 'the name of the program may not have wildcards';
  return {
    assignments: command.assignments,
    words,
    isOpen,
    isExact: !isOpen && words.every(({ isGlob }) => !isGlob),
  };
}

function isStar(word: ShellWord | undefined): boolean {
  return word?.isGlob === true && word.text === '*';
}

export interface ParsedRules {
  readonly rules: readonly Rule[];
  readonly problems: readonly string[];
}

/** The rules of a text, one per line. Empty lines and lines that begin with # are left out. */
export function parseRules(text: string, source: string): ParsedRules {
  return parseRuleLines(text.split('\n'), source);
}

export function parseRuleLines(lines: readonly string[], source: string): ParsedRules {
  const rules: Rule[] = [];
  const problems: string[] = [];
  for (const line of lines) {
    if (line.trim() === '' || line.trim().startsWith('#')) continue;
    const preset = /^\s*preset\s+(\S+)\s*$/.exec(line)?.[1];
    if (preset !== undefined) {
      const found = parsePreset(preset, source);
      rules.push(...found.rules);
      problems.push(...found.problems);
      continue;
    }
    const rule = parseRule(line, source);
    if ('problem' in rule) problems.push(rule.problem);
    else rules.push(rule);
  }
  return { rules, problems };
}

function parsePreset(name: string, source: string): ParsedRules {
  if (Object.hasOwn(presets, name)) return parseRuleLines(presets[name]!.rules, `${source}, preset ${name}`);
  const names = Object.keys(presets).join(', ');
  return { rules: [], problems: [`"preset ${name}" is not a rule: the presets are ${names}`] };
}
