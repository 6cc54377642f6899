import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRunFile } from '../../../src/model/run-files.ts';
import { decide } from '../../../src/permissions/decide.ts';
import { namesIn, resolveLinks } from '../../../src/permissions/policy.ts';
import { parseRules } from '../../../src/permissions/rule.ts';
import { aFolder } from '../../support/system/temp.ts';

/** A folder of a session with files that no rule protects. */
function aProject(files: Readonly<Record<string, string>> = {}) {
  const work = fs.realpathSync(aFolder());
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(work, name)), { recursive: true });
    fs.writeFileSync(path.join(work, name), text);
  }
  const run = (line: string) => spawnSync('bash', ['-c', line], { cwd: work });
  const verdictOf = (line: string, rules: string) =>
    decide(
      {
        ...{ agent: 'tester', kind: 'execute', commands: [line], paths: [], urls: [], cwd: work },
        ...{ roots: [work], resolveLinks, namesIn, isProtected: isRunFile },
      },
      parseRules(rules, 'test').rules,
    ).verdict;
  const has = (name: string) => fs.existsSync(path.join(work, name));
  return { work, run, verdictOf, has };
}

const aBareRepository = (fsmonitor: string) => ({
  HEAD: 'ref: refs/heads/main\n',
  config: `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "${fsmonitor}"\n`,
  'objects/note.txt': '',
  'refs/note.txt': '',
});
const inFolder = (folder: string, files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));

describe('a line that is allowed for what it names runs nothing else', () => {
  it.each(['BASH_ENV=evil.sh bash -c', 'env BASH_ENV=evil.sh bash -c'])('%s', (shell) => {
    const { run, verdictOf, has } = aProject({ 'evil.sh': 'touch ran\n' });
    const line = `${shell} 'git status'`;
    run(line);
    expect(has('ran')).toBe(true);
    expect(verdictOf(line, 'preset edits')).toBe('ask');
    expect(verdictOf("CI=1 PAGER=cat bash -c 'git status'", 'preset edits')).toBe('allow');
    expect(verdictOf("env CI=1 sh -c 'git status'", 'preset edits')).toBe('allow');
  });

  it('PATH before eval', () => {
    const { verdictOf } = aProject();
    expect(verdictOf("PATH=. eval 'git status'", 'preset edits')).toBe('ask');
  });

  it.each(['git -C sub status', 'cd sub && git status', 'git -C sub/deep/er status'])(
    'git in a repository without a work tree: %s',
    (line) => {
      const { run, verdictOf, has } = aProject(inFolder('sub', aBareRepository('touch ran; false')));
      run('mkdir -p sub/deep/er');
      run(line);
      expect(has('sub/ran')).toBe(true);
      expect(verdictOf(line, 'allow run git *\nallow run cd *')).toBe('ask');
    },
  );

  it('git in a folder of a session that becomes a repository', () => {
    const { run, verdictOf, has } = aProject(aBareRepository('touch ran; false'));
    run('git status');
    expect(has('ran')).toBe(true);
    expect(verdictOf('git status', 'preset read-only')).toBe('ask');
  });

  it('git in an ordinary repository is allowed, whatever it contains', () => {
    const { work, verdictOf } = aProject({ HEAD: 'x', 'src/a.txt': 'a' });
    execFileSync('git', ['init', '-q'], { cwd: work });
    expect(verdictOf('git status', 'preset read-only')).toBe('allow');
    expect(verdictOf('cd src && git status', 'allow run cd *\npreset read-only')).toBe('allow');
  });
});

it('a name below /proc counts for the process that opens it', () => {
  const { work, run, verdictOf, has } = aProject({ '.husky/note': '' });
  const before = process.cwd();
  process.chdir(work);
  try {
    const line = 'cd .husky && echo evil > /proc/self/cwd/pre-commit';
    const rules = 'preset edits\nallow run echo *\nallow run cd *\nallow run tee *';
    run(line);
    expect(has('.husky/pre-commit')).toBe(true);
    expect(verdictOf(line, rules)).toBe('ask');
    expect(verdictOf('cd .husky && echo evil | tee /proc/thread-self/cwd/pre-commit', rules)).toBe('ask');
    expect(resolveLinks(`/proc/self/cwd/../..${work}/x`)).toMatch(/^\/proc\/self\/cwd\//);
    expect(resolveLinks(`/proc/../${work}/x`)).toBe(`${work}/x`);
  } finally {
    process.chdir(before);
  }
});
