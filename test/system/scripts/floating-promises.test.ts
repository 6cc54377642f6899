import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findFloatingPromises } from '../../../scripts/floating-promises.mjs';
import { aFolder } from '../../support/system/temp.ts';

const declarations = `
declare function work(): Promise<number>;
declare const store: { end?(): Promise<void>; close(): void; pending: Promise<void>[] };
declare const or: void | Promise<void>;
let last: Promise<number>;
`;

/** The first lines of the expressions that are reported for some code. */
function reported(code: string): readonly string[] {
  const folder = aFolder();
  const config = { compilerOptions: { lib: ['es2023'], types: [], strict: true }, include: ['*.ts'] };
  fs.writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
  fs.writeFileSync(path.join(folder, 'a.ts'), `${declarations}\nasync function run() {\n${code}\n}\n`);
  return findFloatingPromises(path.join(folder, 'tsconfig.json')).map(({ text }) => text);
}

describe('findFloatingPromises', () => {
  it.each([
    ['a call', 'work();', 'work()'],
    ['a call through an optional method', 'store.end?.();', 'store.end?.()'],
    ['a promise or nothing', 'or;', 'or'],
    ['a list of promises', 'store.pending.map((one) => one);', 'store.pending.map((one) => one)'],
    ['then without a handler for failures', 'work().then(() => 1);', 'work().then(() => 1)'],
    ['finally after an unhandled promise', 'work().finally(() => 1);', 'work()'],
    ['void without a comment', 'void work();', 'work()'],
    ['void in a function without a comment', 'const start = () => void work();', 'work()'],
  ])('reports %s', (_, code, text) => expect(reported(code)).toEqual([text]));

  it.each([
    ['await', 'await work();'],
    ['catch', 'work().catch(() => 1);'],
    ['then with a handler for failures', 'work().then(() => 1, () => 2).finally(() => 3);'],
    ['an assignment', 'last = work();'],
    ['a call that returns no promise', 'store.close();'],
    ['void with a comment beside it', 'void work(); // It never rejects.'],
    ['void with a comment above it', '// It never rejects.\nvoid work();'],
    ['void for a value that is no promise', 'const close = () => void store.close();'],
  ])('accepts %s', (_, code) => expect(reported(code)).toEqual([]));
});
