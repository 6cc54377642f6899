import os from 'node:os';
import path from 'node:path';
import { replaceInvisible } from '../base/invisible-characters.ts';
import { isInside } from '../base/paths.ts';
import { commandLevels, deniedCommand } from './commands/command-candidates.ts';
import { type DecidedPart, decide, type PartScope, type PermissionSubject } from './decide.ts';
import { hasWildcard } from './path-pattern.ts';
import { parseRule, type Rule } from './rule.ts';

/** Rules that the user can make from a question. Together they answer it. */
export interface RuleCandidate {
  readonly verdict: 'allow' | 'deny';
  readonly rules: readonly Rule[];
  /** What they cover, in words. */
  readonly note: string;
}

/** The pattern of a rule with its kind, such as `run npm test *`. */
export interface RuleLevel {
  readonly text: string;
  readonly note: string;
}

interface Draft {
  readonly verdict: 'allow' | 'deny';
  readonly levels: readonly RuleLevel[];
}

const maxLength = 400;
const maxParts = 6;

/**
 * Rules that would answer a request, from narrow to wide, then one that denies it. Each was tried: it decides about this
 * request before the given rules.
 */
export function ruleCandidates(
  subject: PermissionSubject,
  rules: readonly Rule[] = [],
): readonly RuleCandidate[] {
  const asked = decide({ ...subject, allowsAll: false }, rules).parts.filter(
    ({ verdict }) => verdict === 'ask',
  );
  const drafts = [
    ...allowingDrafts(subject, asked),
    ...toolDrafts(subject),
    ...denyingDrafts(subject, asked),
  ];
  const seen = new Set<string>();
  return drafts.flatMap((draft) => {
    const candidate = parseDraft(draft);
    const name = candidate?.rules.map(({ text }) => text).join('\n') ?? '';
    if (!candidate || seen.has(name)) return [];
    seen.add(name);
    const { verdict } = decide({ ...subject, allowsAll: false }, [...candidate.rules, ...rules]);
    return verdict === candidate.verdict ? [candidate] : [];
  });
}

function parseDraft({ verdict, levels }: Draft): RuleCandidate | undefined {
  const texts = [...new Set(levels.map(({ text }) => `${verdict} ${text}`))];
  const rules = texts.map((text) => (isReadable(text) ? parseRule(text, 'this session') : undefined));
  // A text that is read back as another rule is none that the user has seen.
  const parsed = rules.flatMap((rule, at) =>
    rule && !('problem' in rule) && rule.text === texts[at] ? [rule] : [],
  );
  if (parsed.length !== texts.length || texts.length === 0) return undefined;
  return { verdict, rules: parsed, note: levels.length === 1 ? levels[0]!.note : '' };
}

// One line that shows all of its characters.
function isReadable(text: string): boolean {
  return text.length <= maxLength && !/[\r\n\t]/.test(text) && replaceInvisible(text, () => '') === text;
}

function allowingDrafts(subject: PermissionSubject, asked: readonly DecidedPart[]): readonly Draft[] {
  const parts = asked.map(({ scope }) => (scope ? levelsOf(subject, scope) : []));
  if (parts.length === 0 || parts.length > maxParts || parts.some((levels) => levels.length === 0)) return [];
  const most = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: most }, (_, at) => ({
    verdict: 'allow',
    levels: parts.map((levels) => levels[Math.min(at, levels.length - 1)]!),
  }));
}

function levelsOf(subject: PermissionSubject, scope: PartScope): readonly RuleLevel[] {
  switch (scope.kind) {
    case 'command':
      return commandLevels(scope.command);
    case 'path':
      return pathLevels(subject, scope);
    case 'host':
      return [{ text: `fetch ${scope.host}`, note: 'this host' }];
    case 'call':
      // `allow other` would cover whatever the agent calls so.
      return scope.name === 'think' ? [{ text: 'think', note: 'every thought' }] : toolLevels(subject);
  }
}

function pathLevels(
  { roots, isProtected }: PermissionSubject,
  { access, file }: Extract<PartScope, { kind: 'path' }>,
): readonly RuleLevel[] {
  const root = roots.find((each) => isInside(file, each));
  const shown = root === undefined ? file : path.relative(root, file);
  const exact = isPlainPath(shown) ? [{ text: `${access} ${shown}`, note: 'this file' }] : [];
  const isChange = access !== 'read' && access !== 'search';
  if (access === 'delete' || (isChange && isProtected(file))) return exact;
  const folder = path.dirname(shown);
  const isFolder = folder !== '.' && isPlainPath(folder) && !isWide(folder);
  return [
    ...exact,
    ...(isFolder ? [{ text: `${access} ${folder}/**`, note: `everything in ${folder}` }] : []),
    ...(root === undefined
      ? []
      : [{ text: `${access} **`, note: 'everything in the folders of the session' }]),
  ];
}

function isPlainPath(shown: string): boolean {
  return shown !== '' && shown === shown.trim() && !hasWildcard(shown) && !shown.startsWith('~');
}

/** Whether the user's own files are in it. */
function isWide(folder: string): boolean {
  return path.isAbsolute(folder) && isInside(os.homedir(), folder);
}

function toolDrafts(subject: PermissionSubject): readonly Draft[] {
  return toolLevels(subject).map((level) => ({ verdict: 'allow', levels: [level] }));
}

function toolLevels({ tool = '', kind }: PermissionSubject): readonly RuleLevel[] {
  const server = /^(mcp__[\w-]+?__)[\w.-]+$/.exec(tool)?.[1];
  if (server !== undefined) {
    return [
      { text: `tool ${tool}`, note: 'this tool, whatever its arguments' },
      { text: `tool ${server}*`, note: 'every tool of this server' },
    ];
  }
  // The tools of the agent itself are better named by what they do.
  const isNamed = /^[\w.:-]+$/.test(tool) && kind === 'other';
  return isNamed ? [{ text: `tool ${tool}`, note: 'this tool, whatever its arguments' }] : [];
}

function denyingDrafts(subject: PermissionSubject, asked: readonly DecidedPart[]): readonly Draft[] {
  const scope = asked.find((part) => part.scope)?.scope;
  const level =
    scope?.kind === 'command' ? deniedCommand(scope.command) : scope && levelsOf(subject, scope)[0];
  const found = level ?? toolLevels(subject)[0];
  return found ? [{ verdict: 'deny', levels: [{ ...found, note: 'and do not ask again' }] }] : [];
}
