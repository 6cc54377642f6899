import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRunFile } from '../../../src/model/run-files.ts';
import { decide, type PermissionSubject } from '../../../src/permissions/decide.ts';
import { parseRules } from '../../../src/permissions/rule.ts';
import { aPermissionSubject } from '../../support/builders.ts';

/** The files of the session folder, one of them a link that leads out. */
const names: Readonly<Record<string, readonly string[]>> = {
  '/': ['etc', 'work'],
  '/work/app': ['.envrc', '.git', '.github', 'a.txt', 'linked', 'my link', 'src', 'Jenkinsfile'],
  '/work/app/src': ['a.ts', 'deep', 'linked2'],
  '/work/app/src/deep': ['mise.toml'],
};

const place: Partial<PermissionSubject> = {
  kind: 'execute',
  resolveLinks: (file) =>
    file.replace(/^\/work\/app\/(linked|my link|src\/linked2)/, '/etc').replace(/\/[^/]+\/\.\.(?=\/|$)/g, ''),
  namesIn: (folder) => names[path.posix.resolve(folder)] ?? [],
  isProtected: isRunFile,
};

function decisionAbout(line: string, rules = '', more: Partial<PermissionSubject> = {}) {
  const { rules: parsed, problems } = parseRules(rules, 'test');
  expect(problems).toEqual([]);
  const subject = aPermissionSubject({ ...place, commands: [line], allowsAll: rules === '', ...more });
  return decide(subject, parsed);
}

const verdictOf = (...args: Parameters<typeof decisionAbout>) => decisionAbout(...args).verdict;

/** Each names a file that other programs execute, for a program that may change it. */
const changing = [
  'cp evil .git/hooks/pre-commit',
  'echo x | tee .envrc',
  'sed -i s/a/b/ .git/config',
  'touch .nvim.lua',
  'ln -s evil .git/hooks/post-commit',
  'mv x .envrc',
  'install x .git/hooks/y',
  'chmod +x .git/hooks/x',
  "vim -c 'w! .envrc'",
  "vim '+w!.envrc' a",
  "ex -s -c 'w .envrc' a",
  'git init --template=evil .git',
  'tool --output=.envrc',
  'tool --output .envrc',
  'tool -o.envrc',
  'tool -xo.envrc',
  'tool -omise.toml',
  'tool file:.envrc',
  'tool "out=.envrc"',
  'tool a,.envrc',
  'tool ./.ENVRC',
  'tool src/../.envrc',
  'awk \'{ print > ".envrc" }\' a.txt',
  'sed -n w.envrc a.txt',
  'sed -n wmise.toml a.txt',
  'sed -n -e p -ewmise.toml a.txt',
  "sed 's/a/b/wmise.toml' a.txt",
  "sed -n '/x/wJenkinsfile' a.txt",
  'ex -s -c wmise.toml a.txt',
  "vim -c 'w!Jenkinsfile' a.txt",
  "node -e \"require('fs').writeFileSync('.envrc', '')\"",
  'tool .envr?',
  'tool ./Jenkin*',
  'tool .g*/hooks/x',
  'tool src/**/mise.*',
  'cp -r evil .git',
  'cd .git && touch config',
  'cd .claude && cp evil settings.json',
  'cd src && cd ../.claude && cp evil settings.json',
  'tar -xf a.tar -C .git/hooks',
  'make -C .claude settings.json',
  'make --directory=.claude settings.json',
  'tool -C.claude settings.json',
  './.git/hooks/pre-commit',
  'echo .envrc | xargs touch',
  'echo .envrc | xargs -n 1 cp evil',
  'find . -name .envrc -exec touch {} +',
  'git ls-files .github/workflows | xargs prettier --write',
  "echo .envrc | sh -c 'xargs touch'",
  'ls .git; touch .git/x',
];

describe('a file that other programs execute is asked about when a command names it', () => {
  it.each(changing)('under allow-all: %s', (line) => expect(verdictOf(line)).toBe('ask'));

  it.each(changing.filter((line) => !/^(awk|sed|git|tar|find|vim|node|\.)/.test(line)))(
    'with wildcard rules: %s',
    (line) => {
      const programs = 'cp tee touch ln mv install chmod ex tool cd make xargs echo ls prettier sh';
      const rules = programs.split(' ').map((program) => `allow run ${program} *`);
      expect(verdictOf(line, `${rules.join('\n')}\nallow run git ls-files *`)).toBe('ask');
    },
  );

  it('also if only the file behind a link is one, or if wildcards stand for too many to tell', () => {
    const resolveLinks = (file: string) => file.replace('/work/app/other', '/work/app/.git/hooks');
    expect(verdictOf('cp evil other/x', 'allow run cp *', { resolveLinks })).toBe('ask');
    const many = Array.from({ length: 3_000 }, (_, at) => `${at}.txt`);
    expect(verdictOf('cp a ./*.txt', 'allow run cp *', { namesIn: () => many })).toBe('ask');
    expect(verdictOf('cp a ./*.txt', 'allow run cp *', { namesIn: () => many.slice(0, 20) })).toBe('allow');
  });

  it('for that reason', () => {
    const { parts } = decisionAbout('cp evil .envrc', 'allow run cp *');
    expect(parts.map(({ reason }) => reason)).toEqual([
      'it names a file that other programs execute, and the rule has a wildcard',
    ]);
  });
});

describe('the same file is not asked about', () => {
  it.each([
    'cat .envrc',
    'head -5 .github/workflows/test.yml | grep x',
    'grep -rn x .github .git/config',
    "sed -n '1,5p' .envrc",
    "awk '{ print $1 }' .envrc",
    'diff .envrc a.txt',
    'ls -la .git',
    'find .github -name "*.yml"',
    "find . -not -path './.git/*' -name '*.ts'",
    'find .github -exec cat {} +',
    'rg x .envrc',
    'wc -l .git*',
    'cd .github && ls',
    'git add .github/workflows/test.yml',
    'git diff .envrc',
    'git log --oneline -- .envrc',
    'git commit -m "change .envrc and mise.toml"',
    'echo "see .envrc"',
    'ls .github | xargs cat',
    'cp a.txt b.txt',
    'cp src/a.ts src/b.ts',
    'npm test .gitignore',
    'tool https://example.org/x/.git/config',
    'tool my.envrc',
    'tool src/*.ts',
    'tool ./*.txt',
  ])('where it is only read, or another one: %s', (line) => expect(verdictOf(line)).toBe('allow'));

  it('where the rule names it', () => {
    expect(verdictOf('cp evil .envrc', 'allow run cp evil .envrc')).toBe('allow');
    expect(
      verdictOf('actionlint -x .envrc', 'allow run actionlint .envrc *\nallow run actionlint * .envrc'),
    ).toBe('allow');
    expect(verdictOf('./.husky/pre-push -v', 'allow run ./.husky/pre-push *')).toBe('allow');
    expect(verdictOf('cd src && cp evil .envrc', 'allow run cd *\nallow run cp evil .envrc *')).toBe('ask');
  });

  it('in a session whose own folder is one of those, unless its name there is', () => {
    const config = { cwd: '/home/me/.config/nvim', roots: ['/home/me/.config/nvim'] };
    expect(verdictOf('stylua lua/a.lua', '', config)).toBe('allow');
    expect(verdictOf('touch .envrc', '', config)).toBe('ask');
    expect(verdictOf('cp a .git/config', '', config)).toBe('ask');
  });
});

describe('a file outside is asked about under allow-all', () => {
  it.each([
    'make -C../x',
    'make -C..',
    'tool -o../x',
    'tool -C/etc x',
    'tool -xC.. y',
    'git -C.. status',
    'git -C .. status',
    'cat .*/x',
    'cat .?/x',
    'cat ./.*/x',
    'cat src/.*/.?/x',
    'cat linke?/passwd',
    'cat s*/linked?/passwd',
    'cat src/**/passwd',
    'cat "my link/passwd"',
    'tool --file="my link/passwd"',
    "vim -c 'w!/etc/x'",
    'vim -c w/etc/x a.txt',
    'sed -n w/etc/x a.txt',
    "sed 's/x/y/w/etc/z' a.txt",
    'sed -n r/etc/passwd a.txt',
    'sed -n wlinked/x a.txt',
    'cd src && cat ../../x',
    'cd src && cat linked2/x',
    'cd src/deep && cat ../linked2/x',
    'make --directory=src ../../x',
    'tool -C src linked2/passwd',
  ])('%s', (line) => expect(verdictOf(line)).toBe('ask'));

  it.each([
    'make -Csrc',
    'make -j4',
    'gcc -O2 -Iinclude a.c',
    "sed -i 's/for/x/g; s/word/w/' a.txt",
    "sed -i 's/r/etc/' a.txt",
    'cat s*/a.ts',
    'cd src && cat a.ts',
    'grep -C3 x a.txt',
    'tool src/.e*',
  ])('but not inside: %s', (line) => expect(verdictOf(line)).toBe('allow'));
});

describe('a command in another folder by an option', () => {
  it.each([
    'make -C/etc',
    'make -C ../x',
    'make --directory=/etc',
    'git -C /etc commit -m x',
    'npm --cwd /etc test',
  ])('is asked about if the folder is outside, unless the rule names it: %s', (line) => {
    expect(verdictOf(line, 'allow run make *\nallow run git *\nallow run npm *')).toBe('ask');
    expect(verdictOf(line, `allow run ${line}`)).toBe('allow');
  });

  it.each(['make -C src', 'make -Csrc test', 'git -C src log', 'make -C /work/lib'])(
    'is covered inside: %s',
    (line) => {
      expect(verdictOf(line, 'allow run make *\nallow run git *')).toBe('allow');
    },
  );
});
