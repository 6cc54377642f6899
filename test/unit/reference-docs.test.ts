import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

const read = (file: string) => fs.readFileSync(path.join(root, file), 'utf8');

function filesIn(folder: string): readonly string[] {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(folder, name));
}

function matchesIn(files: readonly string[], pattern: RegExp): readonly string[] {
  return files.flatMap((file) => [...read(file).matchAll(pattern)].map(([, found]) => found!));
}

const sorted = (names: Iterable<string>) => [...names].sort();

describe('doc/obligations.md', () => {
  const documented = matchesIn(['doc/obligations.md'], /^\| ([A-Z]+-\d+) +\|/gm);
  const tested = matchesIn(
    [...filesIn('test/agent/conformance'), 'test/nvim/conformance.test.ts'],
    /['"`]([A-Z]+-\d+): /g,
  );

  it('lists every obligation once', () => {
    expect(documented.length).toBeGreaterThan(100);
    expect(sorted(new Set(documented))).toEqual(sorted(documented));
  });

  it('lists exactly the obligations that have one test each', () => {
    expect(sorted(tested)).toEqual(sorted(documented));
  });
});

describe('doc/dialects.md', () => {
  it('lists exactly the rules in the code', () => {
    const inCode = matchesIn(
      filesIn('src/acp/dialects'),
      /name: '((?:[A-E](?:,[A-E])*|any|OLD|official): [^']+)'/g,
    );
    const documented = matchesIn(['doc/dialects.md'], /^\| `([^`]+)` +\|/gm);
    expect(sorted(new Set(inCode))).toEqual(sorted(documented));
  });
});

describe('doc/agents.md', () => {
  it('lists exactly the behaviours that have a test', () => {
    const documented = matchesIn(['doc/agents.md'], /^(\d+)\. /gm);
    const tested = new Set(matchesIn(filesIn('test'), /['"`]behaviour (\d+): /g));
    expect(sorted(tested)).toEqual(sorted(documented));
  });
});

it.each(['README.md', 'CONTRIBUTING.md', 'doc/architecture.md', 'doc/dialects.md', 'doc/agents.md'])(
  '%s names only files and folders that exist',
  (file) => {
    const text = read(file);
    const named = [...text.matchAll(/`((?:src|lua|test|scripts|doc|plugin)\/[\w./-]*)`/g)].map(
      ([, name]) => name!,
    );
    const missing = named.filter((name) => !fs.existsSync(path.join(root, name)));
    expect(missing).toEqual([]);
    if (file === 'doc/architecture.md') expect(named.length).toBeGreaterThan(20);
  },
);

describe('SECURITY.md', () => {
  const security = read('SECURITY.md');

  it('says what each package is for', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: object };
    const packages = security.slice(security.indexOf('## Packages'));
    const listed = [...packages.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, name]) => name!);
    expect(sorted(listed)).toEqual(sorted(Object.keys(dependencies)));
  });

  it('names code and tests that exist', () => {
    const named = [...security.matchAll(/`((?:src|lua|test)\/[^`]*)`/g)].map(([, name]) => name!);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !fs.existsSync(path.join(root, name)))).toEqual([]);
  });
});
