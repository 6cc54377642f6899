import { describe, expect, it } from 'vitest';
import { changesScripts } from '../../../../src/workspace/files/run-files.ts';

describe('changesScripts', () => {
  const manifest = (fields: object) => JSON.stringify({ name: 'shop', ...fields });
  const changes = (before: string | undefined, after: string) =>
    changesScripts('/work/package.json', before, after);

  it('is true if a script is added, changed or removed', () => {
    const scripts = { scripts: { test: 'vitest' } };
    expect(changes(manifest({}), manifest(scripts))).toBe(true);
    expect(changes(manifest(scripts), manifest({ scripts: { test: 'evil' } }))).toBe(true);
    expect(changes(manifest(scripts), manifest({}))).toBe(true);
    expect(changes(undefined, manifest(scripts))).toBe(true);
  });

  it('is false if a dependency changes', () => {
    const scripts = { scripts: { test: 'vitest' } };
    expect(changes(manifest(scripts), manifest({ ...scripts, dependencies: { a: '1' } }))).toBe(false);
    expect(changes(undefined, manifest({}))).toBe(false);
  });

  it('is true if the JSON is invalid', () => {
    expect(changes(manifest({}), '{ "scripts": ')).toBe(true);
    expect(changes('no JSON', manifest({}))).toBe(true);
  });

  it('is false for other files', () => {
    expect(changesScripts('/work/other.json', '{}', '{ "scripts": 1 }')).toBe(false);
  });
});
