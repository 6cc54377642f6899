import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { requireBuild } from '../../support/system/build.ts';
import { repoRoot } from '../../support/system/repo-root.ts';
import { aFolder } from '../../support/system/temp.ts';
import { waitFor } from '../../support/wait.ts';

const loader = path.join(repoRoot, 'dist', 'code-cache.js');

const program = `
  const path = require('node:path');
  exports.greet = () => ['hello', require('./other.js'), path.basename(__dirname)].join(' ');
`;

function aProgram(text = program): string {
  const folder = aFolder();
  fs.writeFileSync(path.join(folder, 'other.js'), "module.exports = 'you';");
  fs.writeFileSync(path.join(folder, 'main.js'), text);
  return path.join(folder, 'main.js');
}

/** Loads the program in a process of its own, which ends after the compiled code is saved. */
function greet(file: string, cache: string, saveTimes: readonly number[] = [0]): string {
  const code = `
    const { loadWithCodeCache } = require(${JSON.stringify(loader)});
    const { greet } = loadWithCodeCache(${JSON.stringify(file)}, ${JSON.stringify(cache)}, ${JSON.stringify(saveTimes)});
    const isSame = require(${JSON.stringify(file)}).greet === greet;
    setTimeout(() => console.log(isSame ? greet() : 'loaded twice'), 50);
  `;
  return execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' }).trim();
}

function cached(cache: string): { file: string; at: number }[] {
  return fs.readdirSync(cache).map((name) => {
    const file = path.join(cache, name);
    return { file, at: fs.statSync(file).mtimeMs };
  });
}

describe('a program that is loaded with compiled code', () => {
  beforeAll(requireBuild);

  it('runs as with require, and the next start uses the kept code', () => {
    const [file, cache] = [aProgram(), path.join(aFolder(), 'code')];
    const greeting = `hello you ${path.basename(path.dirname(file))}`;
    expect(greet(file, cache)).toBe(greeting);
    const kept = cached(cache);
    expect(kept).toHaveLength(1);
    expect(fs.statSync(cache).mode & 0o777).toBe(0o700);
    expect(greet(file, cache)).toBe(greeting);
    // Code that is used is not written again.
    expect(cached(cache)).toEqual(kept);
  });

  it('is kept once more with what was compiled after the first time', () => {
    const lasting = `${program}\nsetTimeout(() => undefined, 400);`;
    const [file, once, twice] = [
      aProgram(lasting),
      path.join(aFolder(), 'code'),
      path.join(aFolder(), 'code'),
    ];
    greet(file, once);
    greet(file, twice, [0, 200]);
    const sizeOf = (cache: string) => fs.statSync(cached(cache)[0]!.file).size;
    expect(sizeOf(twice)).toBeGreaterThan(sizeOf(once));
  });

  it('is kept again with what a later start has compiled, and then no more', () => {
    const lasting = `${program}\nsetTimeout(() => undefined, 400);`;
    const [file, cache] = [aProgram(lasting), path.join(aFolder(), 'code')];
    greet(file, cache);
    const size = fs.statSync(cached(cache)[0]!.file).size;
    greet(file, cache, [0, 200]);
    const [kept] = cached(cache);
    expect(fs.statSync(kept!.file).size).toBeGreaterThan(size);
    greet(file, cache, [0, 200]);
    expect(cached(cache)).toEqual([kept]);
  });

  it('never runs the code of an earlier version', () => {
    const [file, cache] = [aProgram(), aFolder()];
    greet(file, cache);
    const { atime, mtime } = fs.statSync(file);
    fs.writeFileSync(file, program.replace("'hello'", "'HELLO'"));
    fs.utimesSync(file, atime, new Date(mtime.getTime() + 1));
    expect(greet(file, cache)).toMatch(/^HELLO/);
  });

  it.each([
    ['a changed byte', (content: Buffer) => content.fill(0, content.length >> 1, (content.length >> 1) + 1)],
    ['a missing end', (content: Buffer) => content.subarray(0, 100)],
    ['no content', () => Buffer.of()],
  ])('ignores and replaces kept code with %s', (_, spoil) => {
    const [file, cache] = [aProgram(), aFolder()];
    greet(file, cache);
    const [kept] = cached(cache);
    const good = fs.readFileSync(kept!.file);
    fs.writeFileSync(kept!.file, spoil(Buffer.from(good)));
    expect(greet(file, cache)).toMatch(/^hello/);
    expect(fs.readFileSync(kept!.file)).toHaveLength(good.length);
  });

  it('runs when its code cannot be kept', () => {
    const blocked = path.join(aFolder(), 'file');
    fs.writeFileSync(blocked, '');
    expect(greet(aProgram(), path.join(blocked, 'code'))).toMatch(/^hello/);
  });
});

/** Lets a process keep its code soon, and tell whether V8 rejected the code of an earlier one. */
const hook = `
  const vm = require('node:vm');
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (act, ms, ...rest) => setTimeout(act, ms >= 10_000 ? ms / 1_000 : ms, ...rest);
  vm.Script = class extends vm.Script {
    constructor(...words) {
      super(...words);
      process.stderr.write('rejected: ' + this.cachedDataRejected + ';');
    }
  };
`;

/** Starts the host as Neovim does, until it has kept its code, or uses code that was kept. */
async function startHost(folder: string): Promise<string> {
  const file = path.join(folder, 'hook.cjs');
  fs.writeFileSync(file, hook);
  const words = ['--require', file, path.join(repoRoot, 'rplugin/node/acp.js'), path.join(folder, 'code')];
  const host = spawn(process.execPath, words, { stdio: ['pipe', 'ignore', 'pipe'] });
  let told = '';
  host.stderr.setEncoding('utf8').on('data', (text) => {
    told += text;
  });
  const exited = once(host, 'exit');
  const isKept = () =>
    fs.existsSync(path.join(folder, 'code')) &&
    cached(path.join(folder, 'code')).some(({ file: name }) => name.endsWith('.code'));
  await waitFor(() => told.endsWith(';') && isKept());
  host.stdin.end();
  await exited;
  return told;
}

it('the host uses the code that it has kept at an earlier start', async () => {
  requireBuild();
  const folder = aFolder();
  expect(await startHost(folder)).toBe('rejected: undefined;');
  expect(await startHost(folder)).toBe('rejected: false;');
});
