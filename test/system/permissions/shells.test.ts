import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { parseRules } from '../../../src/permissions/rule.ts';
import { aFolder } from '../../support/system/temp.ts';

const rules = `
preset read-only
allow run ls *
allow run cat *
allow run echo *
allow run printf *
allow run test *
allow run [ *
allow run read *
allow run true
allow run rm *
`;

function verdictOf(line: string, text = rules): string {
  const { rules: parsed, problems } = parseRules(text, 'test');
  expect(problems).toEqual([]);
  const subject = { agent: 'a', kind: 'execute', commands: [line], paths: [], urls: [] } as const;
  const place = { cwd: '/work', roots: ['/work'] };
  return decide(
    { ...subject, ...place, resolveLinks: (file) => file, namesIn: () => [], isProtected: () => false },
    parsed,
  ).verdict;
}

/** The names of the files that a shell makes when it runs a line. */
function filesMadeBy(shell: string, line: string): readonly string[] {
  const cwd = aFolder();
  spawnSync(shell, ['-c', line], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd },
    timeout: 5_000,
    input: '',
  });
  return fs.readdirSync(cwd);
}

/** Lines that make a file although no command in them seems to, with a shell that does so. */
const attacks: readonly (readonly [string, string])[] = [
  // Numbers that are calculated run substitutions in the index of an array.
  ['bash', "ls; [[ 'a[$(touch y)]' -eq 0 ]]"],
  ['bash', "ls; [[ -v 'a[$(touch y)]' ]]"],
  ['bash', "ls; (( 'a[$(touch y)]' ))"],
  ['bash', "ls; for (( 'a[$(touch y)]';0;)); do ls; done"],
  ['bash', "ls <<< $((${x:='a[$(touch y)]'}))"],
  ['bash', "ls <<< $[${x:='a[$(touch y)]'}]"],
  ['bash', "for x in 'a[$(touch y)]'; do ((x)); ls; done"],
  ['bash', "for x in 'a[$(touch y)]'; do [[ x -eq 0 ]]; ls; done"],
  ['bash', "for x in 'a[$(touch y)]'; do ls <<< $((x)); done"],
  ['bash', "printf -v 'a[$(touch y)]' x"],
  ['bash', "test -v 'a[$(touch y)]'"],
  ['bash', "[ -v 'a[$(touch y)]' ]"],
  ['bash', "read 'a[$(touch y)]' <<< x"],
  // Expansions in other places than the words of a command.
  ['bash', "ls <<< ${x:='$(touch y)'}${x@P}"],
  ['bash', 'ls <<EOF\n${x:=\\$(touch y)}${x@P}\nEOF'],
  ['bash', "for i in ${x:='$(touch y)'}${x@P}; do ls; done"],
  ['bash', "case ${x:='$(touch y)'}${x@P} in (a) ls;; esac"],
  ['bash', "ls; [[ ${x:='$(touch y)'} == ${x@P} ]]"],
  ['bash', "for x in '$(touch y)'; do ls <<< ${x@P}; done"],
  // The end of a here-document.
  ['bash', "ls <<-'\tE'\n\tx\n\tE\ntouch y"],
  ['dash', 'ls <<"E\nF"\nx\nE\nF\ntouch y'],
  // What dash reads differently.
  ['dash', "echo $'a\\'; touch y #'"],
  ['dash', 'ls; ((touch y))'],
  ['dash', 'ls; [[ a > y ]]'],
  ['dash', 'ls; [[ a || touch y ]]'],
];

describe('a line that runs more than it seems to is asked about', () => {
  it.each(attacks)('%s: %j', (shell, line) => {
    expect(filesMadeBy(shell, line)).toContain('y');
    expect(verdictOf(line)).toBe('ask');
  });
});

/** zsh and fish are not on every machine; these lines run more, or write elsewhere, in one of them. */
const otherShells: readonly string[] = [
  "echo 'a\\' 'b; touch y #'",
  'rm \\x2drf x',
  'ls \\ntouch',
  'l\\\ns',
  '{ echo a } always { touch y; }',
  'ls a*(e:touch y:)',
  'ls =(touch y)',
  'ls =rm',
  'ls ^file',
  'echo "$~x"',
  'echo a$~x',
  'echo hi >!/etc/x',
  'echo {} }',
];

describe('a line that zsh or fish reads differently is asked about', () => {
  it.each(otherShells)('%j', (line) => expect(verdictOf(`${line}`, `${rules}\nallow edit **`)).toBe('ask'));
});

it('a loop that sets a variable for the commands in it is asked about', () => {
  expect(verdictOf("for GIT_PAGER in 'touch y;cat'; do git log --oneline; done")).toBe('ask');
  expect(verdictOf('for PATH in /x/bin; do git status; done')).toBe('ask');
  expect(verdictOf('ls {PATH}>/dev/null; git status')).toBe('ask');
});

it('a rule that denies still finds the commands in what is unclear', () => {
  for (const line of [
    'for x in a; do curl x; done',
    'case a in a) curl x;; esac',
    '[[ -n $(curl x) ]]',
    'cat <<E\n$(curl x)\nE',
  ])
    expect(verdictOf(line, `deny run curl *\n${rules}`)).toBe('deny');
});

it.each([
  'ls \'a\\.b\' "c\\"d" e\\ f',
  'ls stash@{0} HEAD^ {} a=b',
  "echo \"foo$\" 'it'\\''s' \"a$|b\"",
  'ls \\( ! -name x \\)',
  "cat <<'EOF'\n$(touch y) `x` \\\nEOF",
  'cat <<-EOF\n\tplain text (1)\n\tEOF',
  'if ls; then echo a; elif true; then ls; else cat x; fi # done (1',
  'while true; do ls 2>&1; done; time -p ls',
  "echo '😀 (' && ls",
])('an ordinary line is allowed: %j', (line) => expect(verdictOf(line)).toBe('allow'));
