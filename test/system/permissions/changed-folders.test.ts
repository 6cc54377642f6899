import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { shellQuote } from '../../../src/base/shell.ts';
import { isRunFile } from '../../../src/model/run-files.ts';
import { decide } from '../../../src/permissions/decide.ts';
import { namesIn, resolveLinks } from '../../../src/permissions/policy.ts';
import { parseRules } from '../../../src/permissions/rule.ts';
import { isLong, shortOrLong } from '../../support/long.ts';
import { fc } from '../../support/property.ts';
import { aFolder } from '../../support/system/temp.ts';

/** A session folder `work` with files that other programs execute, a link that leads out, and a folder outside. */
function aScratch() {
  const top = fs.realpathSync(aFolder());
  const [work, outside, list] = ['work', 'outside', 'list'].map((name) => path.join(top, name)) as [
    string,
    string,
    string,
  ];
  const renew = () => {
    for (const folder of [work, outside]) fs.rmSync(folder, { recursive: true, force: true });
    for (const folder of ['work', 'work/a', 'work/b', 'work/a/b', 'work/.git', 'outside'])
      for (const name of ['a/b', 'hooks']) fs.mkdirSync(path.join(top, folder, name), { recursive: true });
    for (const name of ['work/a/f', 'work/.git/config', 'outside/f'])
      fs.writeFileSync(path.join(top, name), 'f\n');
    fs.symlinkSync(outside, path.join(work, 'link'));
    fs.writeFileSync(list, '1\n2\n');
  };
  renew();
  return { top, work, outside, list, renew };
}

type Scratch = ReturnType<typeof aScratch>;

/** Every file below a folder with what tells one state of it from another. */
function stateOf(folder: string): ReadonlyMap<string, string> {
  const state = new Map<string, string>();
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const { size, mtimeNs, mode } = fs.lstatSync(file, { bigint: true });
    if (!entry.isDirectory()) state.set(file, `${size} ${mtimeNs} ${mode}`);
  }
  return state;
}

/** The files that changed while these lines ran, each in a shell of its own in the session folder. */
function filesChangedBy(
  { top, work, renew }: Scratch,
  shell: string,
  lines: readonly string[],
): readonly string[] {
  renew();
  const before = stateOf(top);
  const script = lines.map((line) => `( cd ${work}; ulimit -t 2; eval ${shellQuote(line)} )`).join('\n');
  const env = { PATH: process.env.PATH, HOME: path.join(top, 'outside'), OLDPWD: path.join(work, '.git') };
  spawnSync(shell, ['-s'], {
    cwd: work,
    env,
    input: script,
    timeout: 120_000,
    // What runs in the background holds the pipe open, so that this waits for it too.
    stdio: ['pipe', 'pipe', 'ignore'],
    maxBuffer: 100_000_000,
  });
  const after = stateOf(top);
  return [...after].filter(([file, state]) => before.get(file) !== state).map(([file]) => file);
}

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

/** Lines of changes of the folder, writes, and what may stand around them. */
function linesAbout({ work, outside, list }: Scratch): fc.Arbitrary<string> {
  const folder = fc.constantFrom(...folderNames, outside, path.join(work, 'a'), path.join(work, '.git'));
  const file = fc.constantFrom(
    ...fileNames,
    path.join(outside, 'x'),
    path.join(work, 'a/x'),
    path.join(work, 'x'),
  );
  const change = fc
    .tuple(fc.constantFrom('cd', 'cd', 'cd -P', 'pushd', 'popd', 'chdir'), folder)
    .map(([program, target]) => (program === 'popd' ? program : `${program} ${target}`));
  const write = fc
    .tuple(
      fc.constantFrom(
        'echo evil >',
        'echo evil >>',
        'true 2>',
        'echo a >|',
        'find . -maxdepth 0 -fprint',
        'cat <',
      ),
      file,
    )
    .map(([command, target]) => `${command} ${target}`);
  return fc.letrec<{ line: string; command: string }>((tie) => ({
    command: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      { arbitrary: change, weight: 5 },
      { arbitrary: write, weight: 5 },
      { arbitrary: tie('command').map((each) => `command ${each}`), weight: 1 },
      { arbitrary: tie('command').map((each) => `builtin ${each}`), weight: 1 },
      { arbitrary: tie('command').map((each) => `time ${each}`), weight: 1 },
      { arbitrary: tie('line').map((each) => `eval ${shellQuote(each)}`), weight: 2 },
      { arbitrary: tie('line').map((each) => `sh -c ${shellQuote(each)}`), weight: 1 },
      { arbitrary: tie('line').map((each) => `bash -c ${shellQuote(each)}`), weight: 1 },
      { arbitrary: tie('line').map((each) => `env sh -c ${shellQuote(each)}`), weight: 1 },
      { arbitrary: tie('line').map((each) => `trap ${shellQuote(each)} EXIT`), weight: 1 },
      {
        arbitrary: fc
          .tuple(folder, tie('line'))
          .map(([target, each]) => `env -C ${target || 'a'} sh -c ${shellQuote(each)}`),
        weight: 1,
      },
      {
        arbitrary: fc
          .tuple(fc.constantFrom('-exec', '-execdir'), tie('line'))
          .map(([option, each]) => `find . -name hooks ${option} sh -c ${shellQuote(each)} \\;`),
        weight: 2,
      },
    ),
    line: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      { arbitrary: tie('command'), weight: 3 },
      {
        arbitrary: fc
          .tuple(tie('line'), fc.constantFrom(' && ', '; ', ' || ', '\n', ' | ', ' & '), tie('line'))
          .map((parts) => parts.join('')),
        weight: 6,
      },
      { arbitrary: tie('line').map((each) => `( ${each} )`), weight: 1 },
      { arbitrary: tie('line').map((each) => `{ ${each}; }`), weight: 1 },
      { arbitrary: tie('line').map((each) => `! { ${each}; }`), weight: 1 },
      {
        arbitrary: fc.tuple(tie('line'), file).map(([each, target]) => `{ ${each}; } > ${target}`),
        weight: 1,
      },
      {
        arbitrary: fc
          .tuple(tie('command'), tie('line'), tie('line'))
          .map(([first, then, other]) => `if ${first}; then ${then}; else ${other}; fi`),
        weight: 1,
      },
      { arbitrary: tie('line').map((each) => `while read -r L; do ${each}; done < ${list}`), weight: 1 },
    ),
  })).line;
}

const batchSize = 200;
const firstSeed = Number(process.env.ACP_PROPERTY_SEED ?? (isLong ? Date.now() % 1_000_000 : 1));

it('shells write no file for an allowed line but those that a rule names', {
  timeout: shortOrLong(300_000, 7_200_000),
}, () => {
  const scratch = aScratch();
  const { work, list } = scratch;
  const { rules } = parseRules(`allow read ${list}\n${rulesText}`, 'test');
  const subject = { agent: 'a', kind: 'execute', paths: [], urls: [], cwd: work, roots: [work] } as const;
  const isAllowed = (text: string) =>
    decide({ ...subject, commands: [text], resolveLinks, namesIn, isProtected: isRunFile }, rules).verdict ===
    'allow';
  const isHarmless = (file: string) => /^(a\/|hooks\/|x$)/.test(path.relative(work, file));
  const run = (lines: readonly string[]) =>
    ['/bin/bash', '/bin/dash'].flatMap((shell) =>
      filesChangedBy(scratch, shell, lines).filter((file) => !isHarmless(file)),
    );
  const tries = shortOrLong(2_000, 1_000_000);
  let allowed = 0;
  let moving = 0;
  for (let tried = 0; tried < tries; tried += 2_000) {
    const lines = fc
      .sample(linesAbout(scratch), { numRuns: 2_000, seed: firstSeed + tried })
      .filter(isAllowed);
    allowed += lines.length;
    moving += lines.filter((text) => /\b(cd|pushd|chdir)\b/.test(text)).length;
    for (let at = 0; at < lines.length; at += batchSize) {
      const batch = lines.slice(at, at + batchSize);
      const changed = run(batch);
      const guilty = changed.length > 0 ? batch.filter((text) => run([text]).length > 0) : [];
      expect({ changed, guilty }).toEqual({ changed: [], guilty: [] });
    }
  }
  // The search says nothing if hardly any line is allowed.
  expect(allowed).toBeGreaterThan(tries / 20);
  expect(moving).toBeGreaterThan(tries / 50);
});
