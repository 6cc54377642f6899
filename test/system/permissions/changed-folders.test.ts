import path from 'node:path';
import { expect, it } from 'vitest';
import { isRunFile } from '../../../src/model/run-files.ts';
import { shortOrLong } from '../../support/long.ts';
import { fc } from '../../support/property.ts';
import { linesOf } from '../../support/shell-lines/pieces.ts';
import { aScratch, searchAllowedLines } from '../../support/shell-lines/search.ts';

const rulesText = `
allow edit a/**
allow edit hooks/**
allow edit x
allow read **
allow run echo *
allow run cat *
allow run cd *
allow run chdir *
allow run pushd *
allow run popd *
allow run builtin *
allow run find *
allow run env *
allow run trap *
allow run true
allow run read -r L
`;

const folderNames = ['a', 'b', 'a/b', '.git', '..', '../outside', 'link', './a', '-', '', '.*', '.?', '~'];
const fileNames = ['f', 'x', 'a/x', 'b/x', 'a/b/x', 'hooks/x', '../x', 'link/x', '.git/hooks/x', '~/x'];
const timeout = shortOrLong(300_000, 14_400_000);

it('shells write no file for an allowed line but those that a rule names', { timeout }, () => {
  const scratch = aScratch();
  const { work, outside, list } = scratch;
  const files = [...fileNames, path.join(outside, 'x'), path.join(work, 'a/x'), path.join(work, 'x')];
  const file = fc.constantFrom(...files);
  const writing = [
    'echo evil >',
    'echo evil >>',
    'true 2>',
    'echo a >|',
    'find . -maxdepth 0 -fprint',
    'cat <',
  ];
  const lines = linesOf({
    folder: fc.constantFrom(...folderNames, outside, path.join(work, 'a'), path.join(work, '.git')),
    file,
    write: fc.tuple(fc.constantFrom(...writing), file).map((words) => words.join(' ')),
    list,
  });
  const tries = shortOrLong(2_000, 1_000_000);
  const rules = `allow read ${list}\n${rulesText}`;
  const mayChange = (name: string) => /^(a\/|hooks\/|x$)/.test(name);
  const allowed = searchAllowedLines({ scratch, lines, tries, rules, mayChange });
  // The search says nothing if hardly any line is allowed.
  expect(allowed.length).toBeGreaterThan(tries / 20);
  expect(allowed.filter((text) => /\b(cd|pushd|chdir)\b/.test(text)).length).toBeGreaterThan(tries / 50);
});

/** Names of files of the session, of others, and of files that other programs execute, with wildcards and links. */
const namedFiles = [
  ...[
    'x',
    'a/x',
    'a/f',
    'b/x',
    'hooks/x',
    './a/b/x',
    '.envrc',
    'a/.envrc',
    '.git/config',
    '.git/hooks/x',
    'mise.toml',
  ],
  ...[
    '.git',
    '.gi?/hooks/x',
    '.en*',
    '*.toml',
    './m*',
    'a/*',
    '[a]/f',
    '.*/x',
    '.?/x',
    './.*/outside/x',
    '../x',
  ],
  ...[
    'link/x',
    'l*/x',
    'lin?/f',
    "'my link/x'",
    'my\\ lin?/f',
    'b/../.envrc',
    'a/../../x',
    '~/x',
    '.ENVRC',
    './link',
  ],
];
const naming = [
  ...[
    'touch ',
    'cp a/f ',
    'cp -t. ',
    'mv x ',
    'ln -s a ',
    'ln -sf b ',
    'tee ',
    'install a/f ',
    'chmod +x ',
    'mkdir -p ',
  ],
  ...[
    'sort a/f -o',
    'sort a/f -o ',
    'sort a/f --output=',
    "sed -i -e 's/f/g/' ",
    'sed -n -e p -e w',
    'dd if=a/f of=',
  ],
  ...[
    'cp --target-directory=',
    'cp a/f -t',
    'truncate -s 1 ',
    'find . -maxdepth 0 -fprint ',
    'cat ',
    'grep f ',
  ],
  ...['sh -c ', 'env touch ', 'nice cp a/f ', 'echo > ', 'git -C', 'git init -q ', 'make -C', 'tar -cf '],
];

it('shells change no file for a line that allow-all allows but those of the session that nobody executes', {
  timeout,
}, () => {
  const scratch = aScratch();
  const { work, outside, list } = scratch;
  const ordinary = ['x', 'a/x', 'a/f', 'b/x', './a/b/x', 'hooks/x', path.join(work, 'x')];
  const file = fc.oneof(
    fc.constantFrom(...ordinary),
    fc.constantFrom(...namedFiles, path.join(outside, 'x'), path.join(work, '.envrc')),
  );
  const named = fc.tuple(fc.constantFrom(...naming), file).map((words) => words.join(''));
  const passed = fc
    .tuple(file, fc.constantFrom('touch', 'cp a/f', '-n 1 chmod +x', 'cat', 'sh -c "touch x"'))
    .map(([name, program]) => `echo ${name} | xargs ${program}`);
  const folders = ['a', 'b', 'a/b', '.git', '.git/hooks', 'link', './a', '.*', 'l*', "'my link'", 'hooks'];
  const lines = linesOf({
    folder: fc.constantFrom(...folders, path.join(work, 'a'), work),
    file,
    write: fc.oneof({ weight: 5, arbitrary: named }, { weight: 1, arbitrary: passed }),
    list,
  });
  const tries = shortOrLong(2_000, 200_000);
  const mayChange = (name: string) => !isRunFile(path.join(work, name));
  const rules = `allow read ${list}\nallow run read -r L`;
  const allowed = searchAllowedLines({ scratch, lines, tries, rules, allowsAll: true, mayChange });
  expect(allowed.length).toBeGreaterThan(tries / 20);
  expect(allowed.filter((text) => /\b(touch|cp|ln|tee|sort)\b/.test(text)).length).toBeGreaterThan(
    tries / 50,
  );
});
