import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { AuditLog } from '../../../src/permissions/audit-log.ts';
import { RulePolicy, resolveLinks } from '../../../src/permissions/policy.ts';
import { parseRule, type Rule } from '../../../src/permissions/rule.ts';
import { hashOf, RuleBook } from '../../../src/permissions/rule-book.ts';
import { ManualClock } from '../../support/doubles/clock.ts';
import { LogDouble } from '../../support/doubles/log.ts';
import { aFolder } from '../../support/system/temp.ts';

function aBook(configured: readonly string[] = []) {
  const folder = aFolder();
  const project = path.join(folder, 'project');
  fs.mkdirSync(project);
  const [userFile, trustFile] = [path.join(folder, 'config/rules'), path.join(folder, 'state/trust.json')];
  const sources = () => ({ configured, userFile, trustFile });
  const book = new RuleBook(sources);
  const texts = (chat = 1) => book.rulesFor(chat, project).rules.map(({ text }) => text);
  return {
    book,
    sources,
    folder,
    project,
    userFile,
    trustFile,
    texts,
    projectFile: path.join(project, '.acp-permissions'),
  };
}

const aRule = (text: string) => parseRule(text, 'test') as Rule;

describe('the rules of a chat', () => {
  it('count in the order session, configuration, user, project', async () => {
    const { book, project, texts, projectFile } = aBook(['allow run b']);
    book.addToSession(1, aRule('allow run a'));
    await book.addToUser(aRule('allow run c'));
    fs.writeFileSync(projectFile, 'allow run d\n');
    await book.trust(project, hashOf('allow run d\n'));
    expect(texts()).toEqual(['allow run a', 'allow run b', 'allow run c', 'allow run d']);
    expect(texts(2)).toEqual(['allow run b', 'allow run c', 'allow run d']);
    book.forgetSession(1);
    expect(texts()).toEqual(['allow run b', 'allow run c', 'allow run d']);
  });

  it('do not contain those of a project that the user does not trust, or that have changed', async () => {
    const { book, project, texts, projectFile } = aBook();
    fs.writeFileSync(projectFile, 'allow run a\n');
    expect(texts()).toEqual([]);
    expect(await book.trust(project, hashOf('allow run b\n'))).toBe(false);
    expect(texts()).toEqual([]);
    expect(await book.trust(project, hashOf('allow run a\n'))).toBe(true);
    expect(texts()).toEqual(['allow run a']);
    fs.writeFileSync(projectFile, 'allow run *\n');
    expect(texts()).toEqual([]);
  });

  it('come with the file of the project as it was read, so that nobody reads it again', () => {
    const { book, project, projectFile } = aBook();
    expect(book.rulesFor(1, project).project).toBeUndefined();
    fs.writeFileSync(projectFile, 'allow run d\n');
    const file = { file: projectFile, text: 'allow run d\n', isTrusted: false };
    expect(book.rulesFor(1, project)).toMatchObject({ rules: [], project: file });
  });

  it('are kept in files that only the user may read', async () => {
    const { book, userFile, folder } = aBook();
    await book.addToUser(aRule('allow run a'));
    await book.addToUser(aRule('allow run b'));
    expect(fs.readFileSync(userFile, 'utf8')).toBe('allow run a\nallow run b\n');
    expect(fs.statSync(userFile).mode & 0o077).toBe(0);
    expect(fs.readdirSync(path.join(folder, 'config'))).toEqual(['rules']);
  });
});

describe('lines that are not rules', () => {
  it('are reported once for each content, also a single one', () => {
    const { sources, project, userFile } = aBook(['allow run a']);
    const reported: (readonly [string, readonly string[]])[] = [];
    const book = new RuleBook(sources, { onProblems: (...report) => void reported.push(report) });
    const write = (text: string) => {
      fs.mkdirSync(path.dirname(userFile), { recursive: true });
      fs.writeFileSync(userFile, text);
      return book.rulesFor(1, project).rules.map((rule) => rule.text);
    };
    expect(write('allow run b\n')).toEqual(['allow run a', 'allow run b']);
    expect(reported).toEqual([]);
    expect(write('alow run b\n')).toEqual(['allow run a']);
    write('alow run b\n');
    const problem = (line: string) => `"${line}" is not a rule: it must begin with allow, ask or deny`;
    expect(reported).toEqual([[userFile, [problem('alow run b')]]]);
    write('alow run b\nalow run c\n');
    expect(reported.slice(1)).toEqual([[userFile, [problem('alow run b'), problem('alow run c')]]]);
  });
});

describe('a rule that is added', () => {
  it('to the file of a project makes its content trusted, and not if that was not trusted', async () => {
    const { book, project, texts, projectFile } = aBook();
    expect(await book.addToProject(project, aRule('allow run a'))).toBe(true);
    expect(texts()).toEqual(['allow run a']);
    expect(await book.addToProject(project, aRule('allow run b'))).toBe(true);
    expect(fs.readFileSync(projectFile, 'utf8')).toBe('allow run a\nallow run b\n');
    fs.appendFileSync(projectFile, 'allow any\n');
    expect(await book.addToProject(project, aRule('allow run c'))).toBe(false);
    expect(texts()).toEqual([]);
    expect(fs.readFileSync(projectFile, 'utf8')).not.toContain('run c');
  });

  it.each(['a link', 'a folder'])('to a project is not written where %s stands', async (what) => {
    const { book, project, folder, projectFile } = aBook();
    const target = path.join(folder, 'target');
    if (what === 'a link') fs.symlinkSync(target, projectFile);
    else fs.mkdirSync(projectFile);
    await expect(book.addToProject(project, aRule('allow run a'))).rejects.toThrow(projectFile);
    expect(fs.existsSync(target)).toBe(false);
  });

  it('to the file of the user keeps what stands there, also behind a link', async () => {
    const { book, folder, userFile, texts } = aBook();
    const dotfiles = path.join(folder, 'dotfiles');
    fs.writeFileSync(dotfiles, '# mine');
    fs.mkdirSync(path.dirname(userFile));
    fs.symlinkSync(dotfiles, userFile);
    await book.addToUser(aRule('allow run a'), aRule('allow run b'));
    expect(fs.readFileSync(dotfiles, 'utf8')).toBe('# mine\nallow run a\nallow run b\n');
    expect(fs.lstatSync(userFile).isSymbolicLink()).toBe(true);
    expect(texts()).toEqual(['allow run a', 'allow run b']);
  });

  it('to the file of the user replaces nothing that can not be read as rules', async () => {
    const { book, userFile } = aBook();
    fs.mkdirSync(userFile, { recursive: true });
    await expect(book.addToUser(aRule('allow run a'))).rejects.toThrow(
      "can't be read: it is not a regular file",
    );
  });

  it('is tried where it would stand', () => {
    const { book, project } = aBook(['ask run a']);
    const order = (place: 'session' | 'user' | 'project') =>
      book.rulesFor(1, project, { place, rules: [aRule('allow run a')] }).rules.map(({ text }) => text);
    expect(order('session')).toEqual(['allow run a', 'ask run a']);
    expect(order('user')).toEqual(['ask run a', 'allow run a']);
    expect(order('project')).toEqual(['ask run a', 'allow run a']);
  });
});

describe('resolveLinks', () => {
  it('follows links, also of files that do not exist yet, and ends in a loop', () => {
    const folder = aFolder();
    fs.mkdirSync(path.join(folder, 'real'));
    fs.symlinkSync(path.join(folder, 'real'), path.join(folder, 'link'));
    fs.symlinkSync('/etc/made-later', path.join(folder, 'dangling'));
    fs.symlinkSync('b', path.join(folder, 'a'));
    fs.symlinkSync('a', path.join(folder, 'b'));
    expect(resolveLinks(path.join(folder, 'link/new/file'))).toBe(path.join(folder, 'real/new/file'));
    expect(resolveLinks(path.join(folder, 'dangling'))).toBe('/etc/made-later');
    expect(resolveLinks(path.join(folder, 'a'))).toMatch(/^\//);
  });
});

describe('RulePolicy', () => {
  it('knows the files of a folder that is reached through a link', () => {
    const { book, folder, project } = aBook(['allow edit src/**']);
    const link = path.join(folder, 'link');
    fs.symlinkSync(project, link);
    const audit = new AuditLog(() => path.join(folder, 'log'), new ManualClock(), new LogDouble());
    const policy = new RulePolicy({ book, audit, isProtected: () => false });
    const action = {
      chat: 1,
      agent: 'a',
      kind: 'edit',
      commands: [],
      urls: [],
      cwd: link,
      roots: [link],
    } as const;
    const verdict = (file: string) => policy.tryOut({ ...action, paths: [file] }).verdict;
    expect(verdict(path.join(link, 'src/a.ts'))).toBe('allow');
    expect(verdict(path.join(project, 'src/a.ts'))).toBe('allow');
    fs.mkdirSync(path.join(project, 'src'));
    fs.symlinkSync('/etc', path.join(project, 'src/out'));
    expect(verdict(path.join(link, 'src/out/hosts'))).toBe('ask');
  });
});

describe('RulePolicy and its files', () => {
  const action = { chat: 1, agent: 'a', kind: 'edit', commands: [], urls: [], paths: [] } as const;
  const policyOf = (made: ReturnType<typeof aBook>) => {
    const audit = new AuditLog(() => path.join(made.folder, 'log'), new ManualClock(), new LogDouble());
    return new RulePolicy({ book: made.book, audit, isProtected: () => false });
  };

  it('lets no rule with a wildcard change the files that say which rules count', () => {
    const made = aBook(['allow edit **', 'allow edit /**', 'allow any']);
    const place = { cwd: made.folder, roots: [made.folder] };
    const verdict = (file: string) => policyOf(made).tryOut({ ...action, ...place, paths: [file] }).verdict;
    expect(verdict(made.userFile)).toBe('ask');
    expect(verdict(made.trustFile)).toBe('ask');
    expect(verdict(path.join(made.folder, 'config/other'))).toBe('allow');
  });

  it('uses the rules of the folder of the session, not of the folder that a command names', async () => {
    const made = aBook();
    const other = path.join(made.project, 'other');
    fs.mkdirSync(other);
    await made.book.addToProject(other, aRule('allow run make'));
    const run = {
      ...action,
      kind: 'execute',
      commands: ['make'],
      cwd: other,
      roots: [made.project],
    } as const;
    expect(policyOf(made).tryOut(run).verdict).toBe('ask');
    await made.book.addToProject(made.project, aRule('allow run make'));
    expect(policyOf(made).tryOut(run).verdict).toBe('allow');
  });

  it('forgets the rules of a chat that is closed', () => {
    const made = aBook();
    const policy = policyOf(made);
    const run = {
      ...action,
      kind: 'execute',
      commands: ['make'],
      cwd: made.project,
      roots: [made.project],
    } as const;
    made.book.addToSession(1, aRule('allow run make'));
    expect(policy.decide(run).verdict).toBe('allow');
    policy.forget(1);
    expect(policy.decide(run).verdict).toBe('ask');
  });
});

describe('the record of decisions', () => {
  it('has a private line for each decision', () => {
    const file = path.join(aFolder(), 'state', 'decisions.log');
    const audit = new AuditLog(() => file, new ManualClock(), new LogDouble());
    const action = {
      chat: 1,
      agent: 'a',
      kind: 'execute',
      commands: ['ls'],
      paths: [],
      urls: [],
      cwd: '/',
      roots: ['/'],
    } as const;
    audit.record(action, 'allow', 'rule', ['ls: allow']);
    audit.record(action, 'Reject', 'user', []);
    const lines = fs
      .readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([
      { verdict: 'allow', by: 'rule', commands: ['ls'], reasons: ['ls: allow'] },
      { verdict: 'Reject', by: 'user' },
    ]);
    expect(fs.statSync(file).mode & 0o077).toBe(0);
  });
});
