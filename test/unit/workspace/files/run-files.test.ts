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

  it.each([
    ...['scripts', 'bin', 'husky', 'lint-staged', 'simple-git-hooks', 'gypfile', 'pnpm', 'packageManager'],
  ])('is true if only %s changes', (field) => {
    expect(changes(manifest({ [field]: 'a' }), manifest({ [field]: 'b' }))).toBe(true);
    expect(changes(manifest({ [field]: 'a' }), manifest({ [field]: 'a' }))).toBe(false);
  });

  it('is true if what runs moves from one field to another', () => {
    expect(changes(manifest({ scripts: 'a' }), manifest({ bin: 'a' }))).toBe(true);
  });

  it.each(['[]', 'null', '"text"'])('is true if the JSON is no record: %s', (text) => {
    expect(changes(manifest({}), text)).toBe(true);
    expect(changes(text, manifest({}))).toBe(true);
    expect(changes(text, text)).toBe(true);
  });

  it('is false for other files', () => {
    expect(changesScripts('/work/other.json', '{}', '{ "scripts": 1 }')).toBe(false);
    expect(changesScripts('/work/package.json/other', '{}', '{ "scripts": 1 }')).toBe(false);
  });
});
