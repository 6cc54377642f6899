import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { messageOf } from '../base/errors.ts';
import { isRecord } from '../base/record.ts';
import { replaceFile } from '../system/replace-file.ts';
import { type ParsedRules, parseRuleLines, parseRules, type Rule } from './rule.ts';

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

const noRules: ParsedRules = { rules: [], problems: [] };

/**
 * All rules, in the order in which they count: those of the session, of the configuration, of the user, of the project.
 * The rules of a project count only after the user trusted exactly this content: the agent could have written it.
 */
export class RuleBook {
  private readonly sources: () => RuleSources;
  private readonly sessionRules = new Map<number, Rule[]>();

  constructor(sources: () => RuleSources) {
    this.sources = sources;
  }

  /** The rules of a chat in a folder. Files are read each time, because the user may edit them. */
  rulesFor(chat: number, cwd: string): ParsedRules {
    const { configured, userFile } = this.sources();
    const project = this.projectFile(cwd);
    const parts = [
      { rules: this.sessionRules.get(chat) ?? [], problems: [] },
      parseRuleLines(configured, 'the option permissions'),
      readRules(userFile),
      project?.isTrusted ? parseRules(project.text, project.file) : noRules,
    ];
    return {
      rules: parts.flatMap(({ rules }) => rules),
      problems: parts.flatMap(({ problems }) => problems),
    };
  }

  /** A rule for one chat, before all others. */
  addToSession(chat: number, rule: Rule): void {
    this.sessionRules.set(chat, [rule, ...(this.sessionRules.get(chat) ?? [])]);
  }

  forgetSession(chat: number): void {
    this.sessionRules.delete(chat);
  }

  /** Adds a rule to the file of the user. */
  async addToUser({ text }: Rule): Promise<void> {
    const { userFile } = this.sources();
    const before = readText(userFile) ?? '';
    await replaceFile(userFile, `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${text}\n`);
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
    const trusted = { ...this.trusted(), [project.file]: hash };
    await replaceFile(this.sources().trustFile, `${JSON.stringify(trusted, undefined, 2)}\n`);
    return true;
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

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function readRules(file: string): ParsedRules {
  try {
    return parseRules(readText(file) ?? '', file);
  } catch (error) {
    return { rules: [], problems: [`${file}: ${messageOf(error)}`] };
  }
}

/** The text of a small regular file; undefined if there is none. A pipe would block, and a link may lead elsewhere. */
function readText(file: string): string | undefined {
  const flags = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0);
  let fd: number;
  try {
    fd = fs.openSync(file, flags);
  } catch {
    return undefined;
  }
  try {
    const facts = fs.fstatSync(fd);
    if (!facts.isFile() || facts.size > maxBytes) return undefined;
    return fs.readFileSync(fd, 'utf8');
  } finally {
    fs.closeSync(fd);
  }
}
