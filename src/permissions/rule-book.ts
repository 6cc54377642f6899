import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { AcpError } from '../base/errors.ts';
import { isRecord } from '../base/record.ts';
import { readRegularFile } from '../system/files/regular-file.ts';
import { replaceFile } from '../system/files/replace-file.ts';
import { type ParsedRules, parseRules, type Rule } from './rule.ts';

/** The name of the file with the rules of a project. */
export const projectFileName = '.acp-permissions';
const maxBytes = 256 * 1024;

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
}

const noRules: ParsedRules = { rules: [], problems: [] };

/**
 * All rules, in the order in which they count: those of the session, of the configuration, of the user, of the project.
 * The rules of a project count only after the user trusted exactly this content: the agent could have written it.
 */
export class RuleBook {
  private readonly sources: () => RuleSources;
  private readonly report: (source: string, problems: readonly string[]) => void;
  private readonly sessionRules = new Map<number, Rule[]>();
  /** The last content of each file, and its rules. */
  private readonly parsed = new Map<string, { readonly text: string; readonly rules: ParsedRules }>();

  /** `report` is called once for each content that has lines which are not rules. */
  constructor(
    sources: () => RuleSources,
    report: (source: string, problems: readonly string[]) => void = () => undefined,
  ) {
    this.sources = sources;
    this.report = report;
  }

  /** The rules of a chat in a folder. Files are read each time, because the user may edit them. */
  rulesFor(chat: number, cwd: string, added?: AddedRules): ChatRules {
    const { configured, userFile } = this.sources();
    const project = this.projectFile(cwd);
    const toAdd = (place: RulePlace) => ({ rules: added?.place === place ? added.rules : [], problems: [] });
    const parts = [
      toAdd('session'),
      { rules: this.sessionRules.get(chat) ?? [], problems: [] },
      this.parse(configured.join('\n'), 'the option permissions'),
      this.parse(readText(userFile) ?? '', userFile),
      toAdd('user'),
      project?.isTrusted ? this.parse(project.text, project.file) : noRules,
      toAdd('project'),
    ];
    return {
      rules: parts.flatMap(({ rules }) => rules),
      problems: parts.flatMap(({ problems }) => problems),
      project,
    };
  }

  // An agent may read many files, and the rules are applied to each.
  private parse(text: string, source: string): ParsedRules {
    const known = this.parsed.get(source);
    if (known?.text === text) return known.rules;
    const rules = parseRules(text, source);
    this.parsed.set(source, { text, rules });
    if (rules.problems.length > 0) this.report(source, rules.problems);
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
  }

  /** Adds rules to the file of the user. */
  async addToUser(...rules: readonly Rule[]): Promise<void> {
    // The file may be a link to a folder with settings; the link stays.
    const file = realPath(this.sources().userFile);
    const before = readText(file);
    if (before === undefined && fs.existsSync(file)) throw unreadable(file);
    await replaceFile(file, withRules(before ?? '', rules));
  }

  /** Whether rules can be added to the file of the project: the user trusts all of it, or there is none. */
  canAddToProject(cwd: string): boolean {
    const project = this.projectFile(cwd);
    return project ? project.isTrusted : !exists(path.join(cwd, projectFileName));
  }

  /** Adds rules to the file of a project. The user trusts its content; nothing happens if it has changed meanwhile. */
  async addToProject(cwd: string, ...rules: readonly Rule[]): Promise<boolean> {
    const file = path.join(cwd, projectFileName);
    // Read once: an agent may write the file at any time.
    const project = this.projectFile(cwd);
    if (project ? !project.isTrusted : exists(file)) return false;
    const text = withRules(project?.text ?? '', rules);
    await replaceFile(file, text);
    await this.rememberTrust(file, hashOf(text));
    return true;
  }

  /** Whether a file has rules, or decides which of them count. */
  isOwnFile(file: string): boolean {
    const { userFile, trustFile } = this.sources();
    return [userFile, trustFile].some((own) => file === own || file === realPath(own));
  }

  /** The file with the rules of a project, if there is one. */
  projectFile(cwd: string): ProjectFile | undefined {
    const file = path.join(cwd, projectFileName);
    const text = readText(file);
    if (text === undefined) return undefined;
    return { file, text, isTrusted: this.trusted()[file] === hashOf(text) };
  }

  /** The rules of this content count from now on. Nothing happens if the file has changed meanwhile. */
  async trust(cwd: string, hash: string): Promise<boolean> {
    const project = this.projectFile(cwd);
    if (!project || hashOf(project.text) !== hash) return false;
    await this.rememberTrust(project.file, hash);
    return true;
  }

  private async rememberTrust(file: string, hash: string): Promise<void> {
    const trusted = { ...this.trusted(), [file]: hash };
    await replaceFile(this.sources().trustFile, `${JSON.stringify(trusted, undefined, 2)}\n`);
  }

  private trusted(): Readonly<Record<string, unknown>> {
    try {
      const value: unknown = JSON.parse(readText(this.sources().trustFile) ?? '{}');
      return isRecord(value) ? value : {};
    } catch {
      return {};
    }
  }
}

function withRules(text: string, rules: readonly Rule[]): string {
  const lines = rules.map((rule) => `${rule.text}\n`).join('');
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${lines}`;
}

function unreadable(file: string): AcpError {
  return new AcpError('file_error', `${file} is not a readable file of less than ${maxBytes / 1024} kB`);
}

function exists(file: string): boolean {
  return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
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

/** The text of a small regular file; undefined if there is none. */
function readText(file: string): string | undefined {
  // Most files are missing, and an exception takes longer.
  if (!exists(file)) return undefined;
  try {
    return readRegularFile(file, maxBytes);
  } catch {
    return undefined;
  }
}
