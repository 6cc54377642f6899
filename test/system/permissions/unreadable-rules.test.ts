import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { AuditLog } from '../../../src/permissions/audit-log.ts';
import { RulePolicy } from '../../../src/permissions/policy.ts';
import { parseRule, type Rule } from '../../../src/permissions/rule.ts';
import { hashOf, RuleBook } from '../../../src/permissions/rule-book.ts';
import { ManualClock } from '../../support/doubles/clock.ts';
import { LogDouble } from '../../support/doubles/log.ts';
import { runInSeparateProcess } from '../../support/system/separate-process.ts';
import { aFolder } from '../../support/system/temp.ts';

const projectRules = 'allow run b\n';
const aRule = (text: string) => parseRule(text, 'test') as Rule;

/** A project with rules that count, those of the user and a configuration that allows everything. */
function aUser() {
  const folder = aFolder();
  const project = path.join(folder, 'project');
  const files = {
    user: path.join(folder, 'config/rules'),
    trust: path.join(folder, 'state/trust.json'),
    project: path.join(project, '.acp-permissions'),
  };
  for (const file of Object.values(files)) fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(files.user, 'deny run secret\nallow any\n');
  fs.writeFileSync(files.project, projectRules);
  fs.writeFileSync(files.trust, JSON.stringify({ [files.project]: hashOf(projectRules), '/other': 'hash' }));
  const said: (readonly string[])[] = [];
  const sources = { configured: ['deny run rm *'], userFile: files.user, trustFile: files.trust };
  const book = new RuleBook(() => sources, { onUnreadable: (_, problems) => void said.push(problems) });
  const audit = new AuditLog(() => path.join(folder, 'log'), new ManualClock(), new LogDouble());
  const policy = new RulePolicy({ book, audit, isProtected: () => false });
  const action = { chat: 1, agent: 'a', commands: [], urls: [], paths: [], cwd: project, roots: [project] };
  return {
    ...{ book, policy, files, project, said },
    run: (command: string) => ({ ...action, kind: 'execute', commands: [command] }) as const,
    read: (name: string) => ({ ...action, kind: 'read', paths: [path.join(project, name)] }) as const,
  };
}

/** Ways in which a file can be there and not be read. */
const damages: Readonly<Record<string, (file: string) => void>> = {
  'a folder in its place': (file) => {
    fs.rmSync(file);
    fs.mkdirSync(file);
  },
  'a pipe in its place': (file) => {
    fs.rmSync(file);
    execFileSync('mkfifo', [file]);
  },
  'a link to itself': (file) => {
    fs.rmSync(file);
    fs.symlinkSync(file, file);
  },
  'a link to nothing': (file) => {
    fs.rmSync(file);
    fs.symlinkSync(`${file}.gone`, file);
  },
  'more than 256 kB': (file) => fs.writeFileSync(file, '# long\n'.repeat(40_000)),
  'bytes that are no text': (file) => fs.writeFileSync(file, Buffer.from('deny run \xff\xfe\n', 'latin1')),
  'the zeros that a crash of the system left': (file) => fs.writeFileSync(file, Buffer.alloc(200)),
};

/** What stands at a path, read without opening pipes. */
function standing(file: string): string {
  const facts = fs.lstatSync(file);
  return facts.isFile() ? fs.readFileSync(file, 'latin1') : `${facts.mode} ${facts.ino}`;
}

describe.each(['user', 'trust', 'project'] as const)(
  'the rules, if the file of the %s can not be read',
  (which) => {
    it.each(Object.entries(damages))('ask about everything because of %s, and say so once', (_, damage) => {
      const { policy, files, said, run, read } = aUser();
      expect(policy.decide(run('ls')).verdict).toBe('allow');
      expect(policy.ruleAbout(read('a'))).toBe('allow');
      damage(files[which]);
      expect(policy.decide(run('ls')).verdict).toBe('ask');
      expect(policy.decide({ ...run('ls'), allowsAll: true }).verdict).toBe('ask');
      expect(policy.ruleAbout(read('a'))).toBe('ask');
      expect(policy.decide(run('rm x')).verdict).toBe('deny');
      expect(policy.decide(run('ls')).reasons.join()).toContain(files[which]);
      expect(said).toEqual([[expect.stringContaining(files[which]) as unknown]]);
    });

    it.each(Object.entries(damages))('write nothing over %s', async (_, damage) => {
      const { book, files, project } = aUser();
      damage(files[which]);
      const before = Object.values(files).map(standing);
      const attempts = await Promise.allSettled([
        which === 'user' ? book.addToUser(aRule('allow run c')) : undefined,
        book.addToProject(project, aRule('allow run c')),
        book.trust(project, hashOf(projectRules)),
      ]);
      const changed = which === 'user' ? [files.project, files.trust] : [];
      for (const [at, file] of Object.values(files).entries())
        if (!changed.includes(file)) expect(standing(file)).toBe(before[at]);
      expect(attempts.some(({ status }) => status === 'rejected')).toBe(true);
      if (which !== 'user') expect(book.canAddToProject(project)).toBe(false);
    });

    it('count again when it can be read, and say so again when it can not', () => {
      const { policy, files, said, run } = aUser();
      const text = fs.readFileSync(files[which]);
      const damage = () => damages['a folder in its place']!(files[which]);
      damage();
      expect(policy.decide(run('ls')).verdict).toBe('ask');
      fs.rmdirSync(files[which]);
      fs.writeFileSync(files[which], text);
      expect(policy.decide(run('ls')).verdict).toBe('allow');
      damage();
      expect(policy.decide(run('ls')).verdict).toBe('ask');
      expect(said).toHaveLength(2);
    });
  },
);

describe('a trust file', () => {
  it.each(['{ damaged', '[]', '"text"', ''])('with %j is kept, and asked about', async (content) => {
    const { book, policy, files, project, run } = aUser();
    fs.writeFileSync(files.trust, content);
    expect(policy.decide(run('ls')).verdict).toBe('ask');
    await expect(book.trust(project, hashOf(projectRules))).rejects.toThrow(files.trust);
    expect(fs.readFileSync(files.trust, 'utf8')).toBe(content);
  });

  it('keeps the other projects when one is trusted', async () => {
    const { book, files, project } = aUser();
    fs.writeFileSync(files.project, 'allow run c\n');
    expect(await book.trust(project, hashOf('allow run c\n'))).toBe(true);
    expect(JSON.parse(fs.readFileSync(files.trust, 'utf8'))).toEqual({
      [files.project]: hashOf('allow run c\n'),
      '/other': 'hash',
    });
  });

  it('keeps both of two projects that are trusted at once', async () => {
    const { book, files, project } = aUser();
    const second = path.join(project, 'second');
    fs.mkdirSync(second);
    await Promise.all([
      book.addToProject(project, aRule('allow run c')),
      book.addToProject(second, aRule('allow run c')),
    ]);
    const trusted = JSON.parse(fs.readFileSync(files.trust, 'utf8')) as object;
    expect(Object.keys(trusted)).toContain(path.join(second, '.acp-permissions'));
    expect(Object.keys(trusted)).toHaveLength(3);
    expect(book.projectFile(project)?.isTrusted).toBe(true);
  });
});

describe('files that do not exist', () => {
  it('are no reason to ask', () => {
    const { policy, files, said, run } = aUser();
    fs.writeFileSync(files.user, 'allow any\n');
    fs.rmSync(files.trust);
    fs.rmSync(files.project);
    expect(policy.decide(run('ls')).verdict).toBe('allow');
    expect(said).toEqual([]);
  });
});

describe('a process without file descriptors', () => {
  it('can not read rules that are there, and can later', async () => {
    const { files, project } = aUser();
    const code = `
      import fs from 'node:fs';
      const files = ${JSON.stringify(files)};
      const sources = { configured: [], userFile: files.user, trustFile: files.trust };
      const book = new ours.RuleBook(() => sources);
      const count = () => book.rulesFor(1, ${JSON.stringify(project)}).unreadable.length;
      const [before, open] = [count(), []];
      try {
        for (;;) open.push(fs.openSync('/dev/null'));
      } catch {}
      const without = count();
      for (const one of open) fs.closeSync(one);
      process.stdout.write(JSON.stringify([before, without, count()]));`;
    const module = 'src/permissions/rule-book.ts';
    const said = await runInSeparateProcess({ folder: aFolder(), module, code, limits: 'ulimit -n 64' });
    expect(JSON.parse(said)).toEqual([0, 3, 0]);
  });
});
