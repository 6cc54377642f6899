import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitSubcommands } from '../../../src/permissions/commands/git-commands.ts';
import { decide } from '../../../src/permissions/decide.ts';
import { parseRules } from '../../../src/permissions/rule.ts';
import { aPermissionSubject } from '../../support/builders.ts';

function verdictOf(line: string, rules: string): string {
  const { rules: parsed, problems } = parseRules(rules, 'test');
  expect(problems).toEqual([]);
  return decide(aPermissionSubject({ kind: 'execute', commands: [line], allowsAll: rules === '' }), parsed)
    .verdict;
}

describe('the rule "allow run git *" covers', () => {
  it.each([
    'git status',
    'git status -sb --porcelain=v2 -uno',
    'git log --oneline -5 --graph --all -- src',
    'git log -p -n 3 --since=yesterday --author "a b" -S text -L1,5:a.ts',
    'git --no-pager log --format=%H%n%an -G "a|b"',
    'git diff',
    'git diff --stat --cached HEAD~1..main -- src/a',
    'git diff -U3 -M90% --word-diff',
    'git show HEAD:src/a.ts',
    'git show --name-only abc123',
    'git blame -L 1,20 -w src/a.ts',
    'git grep -n -C3 text',
    'git ls-files -o --exclude-standard',
    'git rev-parse --abbrev-ref HEAD',
    'git branch -a -vv',
    'git branch feature/x main',
    'git tag v1',
    'git tag -a v1 -m "version 1"',
    'git remote -v',
    'git remote get-url origin',
    'git stash list',
    'git worktree list',
    'git submodule',
    'git add -A',
    'git add src/a.ts',
    'git commit -m "fix: push the button"',
    'git commit -am x --amend --no-edit',
    'git reset HEAD~1',
    'git reset --soft HEAD~1',
    'git fetch',
    'git fetch --all --prune',
    'git fetch origin feature/x',
    'git ls-remote --heads origin',
    'git checkout -b feature/x',
    'git switch -c feature/x',
    'git -C src log',
    'git --version',
    'git version',
    'git reflog',
    'git reflog show main',
    'git symbolic-ref HEAD --',
    'git log -',
    'git diff-tree --no-commit-id --name-only -r HEAD',
  ])('%s', (line) => {
    expect(verdictOf(line, 'allow run git *')).toBe('allow');
    expect(verdictOf(line, '')).toBe('allow');
  });
});

const more = [
  "git clone --config core.sshCommand='touch y' ssh://x/y z",
  'git clone -ccore.sshCommand=touch ssh://x/y z',
  "git clone -u 'touch y;git-upload-pack' . x",
  'git clone --template=./evil . x',
  'git clone --upload-pack=x . y',
  'git clone ext::sh x',
  'git init --template=./evil',
  'git init --separate-git-dir=x',
  "git remote-ext x 'touch y'",
  'git bundle create ~/.bashrc HEAD',
  'git credential-store --file=x get',
  'git fetch origin +main:main',
  'git fetch origin main:main',
  'git fetch -f origin',
  'git fetch --upload-pack=x origin',
  'git fetch ../other',
  'git fetch -',
  'git --no-pager --no-such-option log',
  'git cat-file -x',
  'git describe -x',
  'git describe -e',
  'git checkout --was x',
  'git fetch ssh://x/y',
  'git pull ssh://x/y',
  'git ls-remote ext::x',
  'git push',
  'git reset --hard',
  'git reset --merge',
  'git checkout -f main',
  'git checkout -B main',
  'git checkout -- a',
  'git checkout a b c',
  'git checkout .',
  'git switch -f main',
  'git switch -C main',
  'git restore a',
  'git branch -d x',
  'git branch -D x',
  'git branch -m a b',
  'git branch -f a b',
  'git branch --set-upstream-to=x',
  'git tag -d x',
  'git tag -f x',
  'git tag -F file',
  'git stash drop',
  'git stash pop',
  'git stash clear',
  'git remote add x y',
  'git remote set-url x y',
  'git worktree add x',
  'git worktree remove x',
  'git submodule foreach x',
  'git config x y',
  'git config --get x',
  'git reflog expire',
  'git reflog delete x',
  'git commit -n -m x',
  'git commit --no-verify -m x',
  'git commit -F /etc/shadow',
  'git commit --template=x',
  'git add -p',
  'git add -f secret',
  'git add -i',
  'git log --output=x',
  'git log -Ox',
  'git diff -oout',
  'git diff --no-index a b',
  'git diff /etc/shadow a',
  'git diff ~/x a',
  'git diff src/../../x a',
  'git diff --ext-diff',
  'git diff -- --output=x',
  'git log -S --output=x',
  'git log -S -- --output=x',
  'git grep -Otouch x',
  'git grep -f /etc/shadow',
  'git grep --no-index x',
  'git blame --contents /etc/shadow a',
  'git blame -S x a',
  'git symbolic-ref HEAD refs/heads/x',
  'git archive HEAD',
  'git format-patch HEAD~1',
  'git -c alias.x=!id x',
  'git -calias.x=!id x',
  'git --git-dir=x log',
  'git --exec-path=x log',
  'git --config-env=x=y log',
  'git -p log',
  'git',
  'git -C',
  'git x',
  'git --help',
  'git log --no-such-option',
  'git log --onelin',
  'git upload-pack .',
  'git update-index --cacheinfo x',
  'git hash-object -w x',
  'git read-tree x',
  'git constructor',
  'git-upload-pack .',
];

/** Covered by a rule that names the subcommand: `allow run git merge *`. */
const otherwise = [
  'git merge --no-ff -m x feature',
  'git merge --abort',
  'git pull --ff-only',
  'git pull --rebase origin main',
  'git stash',
  'git stash push -m x -u',
  'git stash -m list',
  'git stash -am show',
  'git stash apply',
  'git switch main',
  'git checkout main',
  'git checkout -b x main',
  'git cherry-pick -x abc',
  'git revert --no-edit abc',
  'git clone --depth 1 -b main https://example.org/a/b c',
  'git init --quiet x',
  'git mv a b',
  'git apply --check x.patch',
  'git am --abort',
];

describe('the rule "allow run git *" does not cover', () => {
  it.each([...more, ...otherwise])('%s', (line) => {
    expect(verdictOf(line, 'allow run git *')).toBe('ask');
    expect(verdictOf(line, '')).toBe('ask');
    if (line !== 'git') expect(verdictOf(line, `allow run ${line}`)).toBe('allow');
  });

  const named = (line: string) => `allow run ${line.split(' ').slice(0, 2).join(' ')} *`;

  it.each(otherwise)('which a rule with the subcommand covers: %s', (line) => {
    expect(verdictOf(line, named(line))).toBe('allow');
  });

  it.each(more.filter((line) => /^git [a-z]/.test(line)))(
    'nor does a rule with the subcommand: %s',
    (line) => {
      expect(verdictOf(line, named(line))).toBe('ask');
    },
  );
});

describe('a rule that names no program', () => {
  it.each(['flock f git push', 'flock f git -c a=b log', "watch 'git merge x'", 'flock f git commit -n'])(
    'does not cover git in the words of another: %s',
    (line) => expect(verdictOf(line, 'allow run *')).toBe('ask'),
  );

  it.each(['echo "git is a tool"', 'npm run git', 'tool --vcs git status', "watch 'git status -s'"])(
    'covers words that only look like it: %s',
    (line) => expect(verdictOf(line, 'allow run *')).toBe('allow'),
  );
});

describe('the rules "allow run curl *" and "allow run wget *"', () => {
  const rules = 'allow run curl *\nallow run wget *\nallow run http *\nallow run aria2c *';

  it.each([
    'curl https://example.org',
    'curl -sSfL -m 10 "https://example.org/a?b=c"',
    "curl -s -H 'Accept: application/json' https://example.org",
    'curl -I --max-time 5 localhost:8080/health',
    'curl -A agent --compressed http://example.org',
    'wget -qO- https://example.org',
    'wget -q -O - https://example.org',
    'wget --spider https://example.org',
    'wget --output-document - https://example.org',
    'wget --output-document=- https://example.org',
    'wget -SO- https://example.org',
    "curl -H 'Referer: https://a.org' https://example.org",
  ])('cover what only prints a page: %s', (line) => {
    expect(verdictOf(line, rules)).toBe('allow');
    expect(verdictOf(line, '')).toBe('allow');
  });

  it.each([
    ...[
      '--stderr F',
      '--libcurl F',
      '--etag-save F',
      '--hsts F',
      '--alt-svc F',
      '-o F',
      '-oF',
      '-O',
      '-OJ',
      '-D F',
    ],
    ...[
      '-H @file',
      '-H@file',
      '--header @file',
      '--url-query @file',
      '--variable a@file',
      '-b file',
      '-c file',
      '-K file',
    ],
    ...[
      '--unix-socket /var/run/docker.sock',
      '-d x',
      '-F a=b',
      '-T file',
      '-X POST',
      '--json x',
      '-x proxy',
      '-u a:b',
    ],
    ...['-n', '-E cert', '-w @file', "-w '%output{F}'", '--trace F', '-q -sSLo F', '--next', '--silen', '-k'],
  ])('do not cover curl %s', (options) => {
    expect(verdictOf(`curl ${options} https://example.org`, rules)).toBe('ask');
    expect(verdictOf(`curl ${options} https://example.org`, '')).toBe('ask');
  });

  it.each([
    'curl file:///etc/passwd',
    'curl FILE:/etc/passwd',
    'curl ftp://x/y',
    'curl dict://localhost:11211/stats',
    'curl --url file:///etc/passwd',
    'curl gopher://x',
    'curl ftp://x/https://y',
    'curl --url=file:///etc/passwd',
    'curl --header=@file https://example.org',
    'curl -sH@file https://example.org',
    'wget - https://example.org/.envrc',
    'wget https://example.org/-O -',
    'wget -OF - https://example.org',
    'wget --spider -O F https://example.org',
    'wget --spider --output-document=F https://example.org',
    'wget -qO- https://example.org ftp://x/y',
    'wget -qO F -O- https://example.org',
    'wget https://example.org/.envrc',
    'wget -O F https://example.org',
    'wget -O - -O F https://example.org',
    'wget -qO- -P x https://example.org',
    'wget -qO- -i list',
    'wget -qO- --post-file=x https://example.org',
    'wget -O-x https://example.org',
    'http POST x',
    'aria2c https://example.org/x',
  ])('do not cover %s', (line) => {
    expect(verdictOf(line, rules)).toBe('ask');
    expect(verdictOf(line, '')).toBe('ask');
  });
});

it.each([
  'tar xPf a',
  'tar -xPf a',
  'tar x -C /home/u -f a',
  'tar -C x -xf a',
  'tar --directory=x -xf a',
  'tar --absolute-n -xf a',
  'tar --xform=s,a,b, -xf a',
  'tar --one-top-level=x -xf a',
])('the rule "allow run tar *" does not cover %s', (line) => {
  expect(verdictOf(line, 'allow run tar *')).toBe('ask');
  expect(verdictOf('tar xzf a.tgz', 'allow run tar *')).toBe('allow');
  expect(verdictOf(line, `allow run ${line}`)).toBe('allow');
});

it('the help lists every subcommand of git', () => {
  const help = fs.readFileSync(path.resolve(import.meta.dirname, '../../../doc/acp.txt'), 'utf8');
  const section = help.slice(help.indexOf('*acp-git*'), help.indexOf('*acp-run-files*')).replace(/\s+/g, ' ');
  const [, ordinary = '', named = ''] =
    /index and the history: (.*?)\. .*changes files too: (.*?)\. /.exec(section) ?? [];
  const listed = (text: string) =>
    text
      .replace(' and ', ', ')
      .split(', ')
      .map((each) => each.replace(/ .*/, ''))
      .sort();
  expect(listed(ordinary)).toEqual([...gitSubcommands.ordinary].sort());
  expect(listed(named)).toEqual([...gitSubcommands.named].sort());
});
