import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { parseRules } from '../../../src/permissions/rule.ts';
import { shortOrLong } from '../../support/long.ts';
import { fc } from '../../support/property.ts';
import { aFolder } from '../../support/system/temp.ts';

/** Rules about commands, from which each run takes some in any order. Files may be written in `src`. */
const pool = [
  'allow run aa *',
  'allow run aa',
  'allow run aa 1*',
  'allow run bb x',
  'allow run cc y *',
  'allow run AA=1 aa',
  'allow run rm -rf x',
  'allow run rm *',
  'allow run ls *',
  'allow run env *',
  'allow run find *',
  'allow run bash *',
  'deny run cc y z',
  'ask run aa 1',
  'deny run sudo *',
];
const always = 'allow edit src/**\nallow read src/**\n';
const usual = ['allow run aa *', 'allow run bb x', 'allow run cc y *', 'allow run AA=1 aa'];
const programs = ['aa', 'bb', 'cc', 'dd', 'rm', 'ls', 'sudo', 'curl'];
/** Programs that start others are the real ones. */
/** A line may run in any of them: that of the user, or one that the agent uses. */
const shells = ['/bin/bash', '/bin/dash'];
const starters = ['xargs', 'find', 'env', 'timeout', 'nice', 'bash', 'sh'];

/** Whether the text of the rules allows a run; written by hand, apart from the code under test. */
function isAllowedRun(words: readonly string[], rules: readonly string[]): boolean {
  const first = rules.find((rule) => {
    const wanted = rule
      .split(' ')
      .slice(2)
      .filter((word) => word !== 'AA=1');
    const isOpen = wanted.at(-1) === '*';
    const fixed = isOpen ? wanted.slice(0, -1) : wanted;
    if (isOpen ? words.length < fixed.length : words.length !== fixed.length) return false;
    return fixed.every((word, at) => (word === '1*' ? words[at]!.startsWith('1') : word === words[at]));
  });
  const isDestructive = words[0] === 'rm' && words.some((word) => word.startsWith('-'));
  if (isDestructive && first === 'allow run rm *') return false;
  return first?.startsWith('allow') === true;
}

/** A folder with programs that write down how they were started, and nothing else on PATH. */
function aWorkshop() {
  const folder = aFolder();
  const bin = path.join(folder, 'bin');
  const cwd = path.join(folder, 'work');
  const log = path.join(folder, 'log');
  fs.mkdirSync(bin);
  fs.mkdirSync(path.join(cwd, 'src'), { recursive: true });
  const script =
    '#!/bin/sh\nname=${0##*/}\nline=$name\nfor arg do line="$line\t$arg"; done\nprintf "%s\\0" "$line" >> "$LOG"\n';
  for (const name of programs) fs.writeFileSync(path.join(bin, name), script, { mode: 0o755 });
  for (const name of starters) fs.symlinkSync(`/usr/bin/${name}`, path.join(bin, name));
  const run = (line: string, shell: string) => {
    fs.rmSync(log, { force: true });
    const env = { PATH: bin, LOG: log, HOME: cwd };
    spawnSync(shell, ['-c', line], { cwd, env, timeout: 5_000, input: '' });
    const written = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').split('\0').slice(0, -1) : [];
    const outside = fs.readdirSync(cwd).filter((name) => name !== 'src');
    for (const name of outside) fs.rmSync(path.join(cwd, name), { recursive: true, force: true });
    return { runs: written.map((entry) => entry.split('\t')), outside };
  };
  return { cwd, run };
}

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('aa', 'bb x', 'cc y', 'cc y z', 'aa 1') },
  {
    weight: 5,
    arbitrary: fc.constantFrom(' ; ', ' && ', ' || ', ' | ', ' & ', '\n', ' |& ', '; ', ' '),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...[
        'dd',
        'rm -rf x',
        'ls',
        '$(',
        ')',
        '`',
        '"',
        "'",
        '\\',
        '{ ',
        '; }',
        '(',
        '>',
        '>>',
        '<',
        '2>&1',
        '&>',
        '<<<',
        '<(',
      ],
      ...[
        'src/o',
        'o',
        '/tmp/x',
        '$X',
        '${X:-dd}',
        '$((1))',
        '*',
        '?',
        '[a]',
        '{aa,dd}',
        '~',
        '#',
        '!',
        'X=1 ',
        'AA=1 ',
        '=',
        '%',
        '-c ',
      ],
      ...[
        'eval ',
        'exec ',
        'command ',
        'builtin ',
        'env ',
        'sudo ',
        'xargs ',
        'find . -exec ',
        ' {} \\;',
        'bash -c ',
        'sh -c ',
        'timeout 1 ',
        'nice ',
      ],
      ...[
        'if aa; then ',
        'fi',
        'for i in 1; do ',
        'while dd; do ',
        'done',
        'aa() { dd; }',
        'case x in x) ',
        ';; esac',
        'trap dd EXIT',
        'alias aa=dd',
        'cd / ',
        'set -- dd',
      ],
      ...[
        "$'\\x64d'",
        "$'a\\'",
        "'a[$(dd)]'",
        '${X:=`dd`}',
        '${X@P}',
        "<<-'\tE'\n",
        '\n\tE\n',
        'for X in ',
        ' -eq 0',
        '-v ',
        ' } always { ',
        '\\x64d',
        '{X}>',
        'd""d',
        '<<E\n',
        '\nE\n',
        '[[ ',
        ' ]]',
        '((',
        '))',
        '-n',
        '--',
        '\t',
        '\r',
        '\u200b',
        'é',
      ],
    ),
  },
);
const line = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''));

it('shells run nothing for an allowed line but what the rules say', {
  timeout: shortOrLong(300_000, 3_600_000),
}, () => {
  const { cwd, run } = aWorkshop();
  let allowed = 0;
  const subject = { agent: 'a', kind: 'execute', paths: [], urls: [], cwd, roots: [cwd] } as const;
  fc.assert(
    fc.property(line, fc.oneof(fc.constant(usual), fc.shuffledSubarray(pool)), (text, chosen) => {
      const { rules } = parseRules(always + chosen.join('\n'), 'test');
      const { verdict } = decide(
        {
          ...subject,
          commands: [text],
          resolveLinks: (file) => file,
          namesIn: () => [],
          isProtected: () => false,
        },
        rules,
      );
      if (verdict !== 'allow') return;
      allowed += 1;
      for (const shell of shells) {
        const { runs, outside } = run(text, shell);
        expect(runs.filter((each) => !isAllowedRun(each, chosen))).toEqual([]);
        expect(outside).toEqual([]);
      }
    }),
    { numRuns: shortOrLong(8_000, 400_000) },
  );
  // The property says nothing if hardly any line is allowed.
  expect(allowed).toBeGreaterThan(100);
});
