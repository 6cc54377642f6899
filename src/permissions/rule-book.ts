import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { messageOf } from '../base/errors.ts';
import { SerialQueue } from '../base/serial-queue.ts';
import { replaceFile } from '../system/files/replace-file.ts';
import { type ParsedRules, parseRules, type Rule } from './rule.ts';
import { readRules, readTrust } from './rule-files.ts';

/** The name of the file with the rules of a project. */
export const projectFileName = '.acp-permissions';

/** Where the rules stand. */
export interface RuleSources {
  /** The option `permissions`. */
  readonly configured: readonly string[];
  /** The rules of the user for every project. */
  readonly userFile: string;
  /** The project files that the user trusts, each with the hash of its content. */
  readonly trustFile: string;
}

export interface ProjectFile {
  readonly file: string;
  readonly text: string;
  readonly isTrusted: boolean;
}

/** Where the user can save a rule. */
export type RulePlace = 'session' | 'user' | 'project';

/** Rules that the user may add, and where. */
export interface AddedRules {
  readonly place: RulePlace;
  readonly rules: readonly Rule[];
}

/** The rules of a chat, and the file of its project as it was when they were read. */
interface ChatRules extends ParsedRules {
  readonly project: ProjectFile | undefined;
  /** Why files that are there could not be read. They may forbid anything, so everything is asked about. */
  readonly unreadable: readonly string[];
}

interface RuleReports {
  /** A content has lines which are not rules: called once for each. */
  onProblems?(source: string, problems: readonly string[]): void;
  /** Files of a chat can't be read: called once until they can. */
  onUnreadable?(chat: number, problems: readonly string[]): void;
}

const noRules: ParsedRules = { rules: [], problems: [] };

/**
 * All rules, in the order in which they count: those of the session, of the configuration, of the user, of the project.
 * The rules of a project count only after the user trusted exactly this content: the agent could have written it.
 */
export class RuleBook {
  private readonly sources: () => RuleSources;
  private readonly reports: RuleReports;
  private readonly sessionRules = new Map<number, Rule[]>();
  /** The last content of each file, and its rules. */
  private readonly parsed = new Map<string, { readonly text: string; readonly rules: ParsedRules }>();

  /** The problems of each chat that were reported. */
  private readonly told = new Map<number, string>();
  private readonly writes = new SerialQueue();

  constructor(sources: () => RuleSources, reports: RuleReports = {}) {
    this.sources = sources;
    this.reports = reports;
  }

  /** The rules of a chat in a folder. Files are read each time, because the user may edit them. */
  rulesFor(chat: number, cwd: string, added?: AddedRules): ChatRules {
    const { configured, userFile } = this.sources();
    const { user, project, unreadable } = this.readFiles(cwd);
    this.noteUnreadable(chat, unreadable);
    const toAdd = (place: RulePlace) => ({ rules: added?.place === place ? added.rules : [], problems: [] });
    const parts = [
      toAdd('session'),
      { rules: this.sessionRules.get(chat) ?? [], problems: [] },
      this.parse(configured.join('\n'), 'the option permissions'),
      this.parse(user ?? '', userFile),
      toAdd('user'),
      project?.isTrusted ? this.parse(project.text, project.file) : noRules,
      toAdd('project'),
    ];
    return {
      rules: parts.flatMap(({ rules }) => rules),
      problems: parts.flatMap(({ problems }) => problems),
      project,
      unreadable,
    };
  }

  /** Why files with rules for this folder can't be read. */
  unreadableIn(cwd: string): readonly string[] {
    return this.readFiles(cwd).unreadable;
  }

  private readFiles(cwd: string) {
    const unreadable: string[] = [];
    const attempt = <T>(read: () => T): T | undefined => {
      try {
        return read();
      } catch (error) {
        unreadable.push(messageOf(error));
        return undefined;
      }
    };
    const { userFile, trustFile } = this.sources();
    const file = path.join(cwd, projectFileName);
    const user = attempt(() => readRules(userFile));
    const trusted = attempt(() => readTrust(trustFile)) ?? {};
    const text = attempt(() => readRules(file));
    return { user, project: projectOf(file, text, trusted), unreadable };
  }

  private noteUnreadable(chat: number, problems: readonly string[]): void {
    const key = problems.join('\n');
    if ((this.told.get(chat) ?? '') === key) return;
    this.told.set(chat, key);
    if (problems.length > 0) this.reports.onUnreadable?.(chat, problems);
  }

  // An agent may read many files, and the rules are applied to each.
  private parse(text: string, source: string): ParsedRules {
    const known = this.parsed.get(source);
    if (known?.text === text) return known.rules;
    const rules = parseRules(text, source);
    this.parsed.set(source, { text, rules });
    if (rules.problems.length > 0) this.reports.onProblems?.(source, rules.problems);
    return rules;
  }

  /** Rules for one chat, before all others. */
  addToSession(chat: number, ...rules: readonly Rule[]): void {
    this.sessionRules.set(chat, [...rules, ...(this.sessionRules.get(chat) ?? [])]);
  }

  /** Removes the rules of one chat with this text. False if there is none. */
  removeFromSession(chat: number, text: string): boolean {
    const before = this.sessionRules.get(chat) ?? [];
    const rest = before.filter((rule) => rule.text !== text);
    this.sessionRules.set(chat, rest);
    return rest.length < before.length;
  }

  forgetSession(chat: number): void {
    this.sessionRules.delete(chat);
    this.told.delete(chat);
  }

  /** Adds rules to the file of the user. */
  addToUser(...rules: readonly Rule[]): Promise<void> {
    return this.writes.run(async () => {
      // The file may be a link to a folder with settings; the link stays.
      const file = realPath(this.sources().userFile);
      await replaceFile(file, withRules(readRules(file) ?? '', rules));
    });
  }

  /** Whether rules can be added to the file of the project: the user trusts all of it, or there is none. */
  canAddToProject(cwd: string): boolean {
    const { project, unreadable } = this.readFiles(cwd);
    return project ? project.isTrusted : unreadable.length === 0;
  }

  /** Adds rules to the file of a project. The user trusts its content; nothing happens if it has changed meanwhile. */
  addToProject(cwd: string, ...rules: readonly Rule[]): Promise<boolean> {
    return this.writes.run(async () => {
      const file = path.join(cwd, projectFileName);
      // Read once: an agent may write the file at any time.
      const project = this.projectFile(cwd);
      if (project && !project.isTrusted) return false;
      const text = withRules(project?.text ?? '', rules);
      await replaceFile(file, text);
      await this.rememberTrust(file, hashOf(text));
      return true;
    });
  }

  /** Whether a file has rules, or decides which of them count. */
  isOwnFile(file: string): boolean {
    const { userFile, trustFile } = this.sources();
    return [userFile, trustFile].some((own) => file === own || file === realPath(own));
  }

  /** The file with the rules of a project, if there is one. Throws if it, or which ones are trusted, can't be read. */
  projectFile(cwd: string): ProjectFile | undefined {
    const file = path.join(cwd, projectFileName);
    return projectOf(file, readRules(file), readTrust(this.sources().trustFile));
  }

  /** The rules of this content count from now on. Nothing happens if the file has changed meanwhile. */
  trust(cwd: string, hash: string): Promise<boolean> {
    return this.writes.run(async () => {
      const project = this.projectFile(cwd);
      if (!project || hashOf(project.text) !== hash) return false;
      await this.rememberTrust(project.file, hash);
      return true;
    });
  }

  private async rememberTrust(file: string, hash: string): Promise<void> {
    const { trustFile } = this.sources();
    const trusted = { ...readTrust(trustFile), [file]: hash };
    await replaceFile(trustFile, `${JSON.stringify(trusted, undefined, 2)}\n`);
  }
}

function projectOf(
  file: string,
  text: string | undefined,
  trusted: Readonly<Record<string, unknown>>,
): ProjectFile | undefined {
  return text === undefined ? undefined : { file, text, isTrusted: trusted[file] === hashOf(text) };
}

function withRules(text: string, rules: readonly Rule[]): string {
  const lines = rules.map((rule) => `${rule.text}\n`).join('');
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${lines}`;
}

function realPath(file: string): string {
  try {
    return fs.realpathSync(file);
  } catch {
    return file;
  }
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
