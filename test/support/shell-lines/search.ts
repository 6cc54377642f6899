import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { shellQuote } from '../../../src/base/shell.ts';
import { isRunFile } from '../../../src/model/run-files.ts';
import { decide } from '../../../src/permissions/decide.ts';
import { namesIn, resolveLinks } from '../../../src/permissions/policy.ts';
import { parseRules } from '../../../src/permissions/rule.ts';
import { isLong } from '../long.ts';
import { fc } from '../property.ts';
import { aFolder } from '../system/temp.ts';

/** A session folder `work` with files that other programs execute, a link that leads out, and a folder outside. */
export function aScratch() {
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
    for (const name of ['work/x', 'work/a/f', 'work/.git/config', 'outside/f'])
      fs.writeFileSync(path.join(top, name), 'f\n');
    for (const name of ['link', 'my link']) fs.symlinkSync(outside, path.join(work, name));
    fs.writeFileSync(list, '1\n2\n');
  };
  renew();
  return { top, work, outside, list, renew };
}

export type Scratch = ReturnType<typeof aScratch>;

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

const chunk = 2_000;
const batchSize = 200;
const firstSeed = Number(process.env.ACP_PROPERTY_SEED ?? (isLong ? Date.now() % 1_000_000 : 1));

interface Search {
  readonly scratch: Scratch;
  readonly lines: fc.Arbitrary<string>;
  readonly tries: number;
  readonly rules: string;
  readonly allowsAll?: boolean;
  /** Whether a line may change this file of the session folder. */
  mayChange(file: string): boolean;
}

/** Judges random lines and runs those that are allowed. Fails if one of them changes a file that it may not. */
export function searchAllowedLines({
  scratch,
  lines,
  tries,
  rules,
  allowsAll,
  mayChange,
}: Search): readonly string[] {
  const { work } = scratch;
  const parsed = parseRules(rules, 'test').rules;
  const place = { agent: 'a', kind: 'execute', paths: [], urls: [], cwd: work, roots: [work] } as const;
  const facts = { resolveLinks, namesIn, isProtected: isRunFile };
  const isAllowed = (text: string) =>
    decide({ ...place, ...facts, commands: [text], allowsAll }, parsed).verdict === 'allow';
  const run = (batch: readonly string[]) =>
    ['/bin/bash', '/bin/dash'].flatMap((shell) =>
      filesChangedBy(scratch, shell, batch).filter((file) => {
        const name = path.relative(work, file);
        return name.startsWith('..') || !mayChange(name);
      }),
    );
  const found: string[] = [];
  for (let tried = 0; tried < tries; tried += chunk) {
    scratch.renew();
    const allowed = fc.sample(lines, { numRuns: chunk, seed: firstSeed + tried }).filter(isAllowed);
    for (let at = 0; at < allowed.length; at += batchSize) {
      const batch = allowed.slice(at, at + batchSize);
      const changed = run(batch);
      const guilty = changed.length > 0 ? batch.filter((text) => run([text]).length > 0) : [];
      expect({ changed, guilty }).toEqual({ changed: [], guilty: [] });
    }
    found.push(...allowed);
  }
  return found;
}
