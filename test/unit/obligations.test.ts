import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { obligations, owed } from '../support/obligations.ts';

const tests = path.resolve(import.meta.dirname, '..');
const files = [
  ...fs.readdirSync(path.join(tests, 'agent/conformance')).map((name) => `agent/conformance/${name}`),
  'nvim/conformance.test.ts',
];

/** The ids that tests begin with, those still to be written apart. */
function idsIn(text: string) {
  const names = [...text.matchAll(/(it\.todo\(\s*)?['"`]([A-Z]+-\d+): /g)];
  const ids = (isTodo: boolean) =>
    names.filter(([, todo]) => (todo !== undefined) === isTodo).map(([, , id]) => id!);
  return { written: ids(false), todo: ids(true) };
}

const found = files.map((name) => idsIn(fs.readFileSync(path.join(tests, name), 'utf8')));
const sorted = (ids: readonly string[]) => [...ids].sort();

it('finds the ids of tests', () => {
  expect(idsIn("it('A-1: x'); it.for([])(\n'B-2: %s'); it.todo('C-3: z'); // D-4: no")).toEqual({
    written: ['A-1', 'B-2'],
    todo: ['C-3'],
  });
});

it('has one test for each obligation of a client, and none for others', () => {
  const written = found.flatMap((ids) => ids.written);
  expect(sorted(written)).toEqual(sorted(obligations.filter((id) => !owed.includes(id))));
});

it('owes no more tests than it says', () => {
  expect(sorted(found.flatMap((ids) => ids.todo))).toEqual(sorted(owed));
});
