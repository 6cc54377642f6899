import { describe, expect, it } from 'vitest';
import { absolutePath, displayPath, isInside } from '../../../src/base/paths.ts';

it.each([
  ['/a/b', '/a', true],
  ['/a', '/a', true],
  ['/a/..b', '/a', true],
  ['/ab', '/a', false],
  ['/', '/a', false],
  ['/b', '/a', false],
  ['/a', '/', true],
])('isInside(%s, %s) is %s', (file, folder, expected) => {
  expect(isInside(file, folder)).toBe(expected);
});

describe('displayPath', () => {
  it.each([
    ['/home/me/shop', '.'],
    ['/home/me/shop/src/a.ts', 'src/a.ts'],
    ['/home/me/shopping/a.ts', '~/shopping/a.ts'],
    ['/home/me/x', '~/x'],
    ['/home/me', '/home/me'],
    ['/home/meyer/x', '/home/meyer/x'],
    ['/etc/passwd', '/etc/passwd'],
    ['relative/a.ts', 'relative/a.ts'],
    ['', ''],
  ])('shows %s as %s', (path, expected) =>
    expect(displayPath(path, '/home/me/shop', '/home/me')).toBe(expected),
  );

  it('works without a home folder', () => expect(displayPath('/x', '/work')).toBe('/x'));
});

it.each([
  ['a.ts', '/home/me/shop/a.ts'],
  ['../a.ts', '/home/me/a.ts'],
  ['/etc/hosts', '/etc/hosts'],
  ['~', '/home/me'],
  ['~/a.ts', '/home/me/a.ts'],
  ['~you/a.ts', '/home/me/shop/~you/a.ts'],
  ['a/~/b', '/home/me/shop/a/~/b'],
])('absolutePath(%s) is %s', (name, expected) => {
  expect(absolutePath(name, '/home/me/shop', '/home/me')).toBe(expected);
});
