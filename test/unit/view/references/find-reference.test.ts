import { describe, expect, it } from 'vitest';
import { referencesAt } from '../../../../src/view/references/find-reference.ts';

/** The first reference at the bar in a line. */
function at(text: string) {
  return referencesAt(text.replace('|', ''), text.indexOf('|'))[0];
}

const file = (path: string, line?: number, column?: number) => ({ path, line, column });

describe('a path', () => {
  it.each([
    ['see src/lo|gin.ts for it', file('src/login.ts')],
    ['see src/lo|gin.ts:9.', file('src/login.ts', 9)],
    ['see src/lo|gin.ts:9:3: error', file('src/login.ts', 9, 3)],
    ['see src/login.ts:9-1|2, and', file('src/login.ts', 9)],
    ['see src/lo|gin.ts#L9', file('src/login.ts', 9)],
    ['see src/lo|gin.ts#L9-L12', file('src/login.ts', 9)],
    ['see src/lo|gin.ts#L9C3-L12C1', file('src/login.ts', 9, 3)],
    ['src/lo|gin.ts(9,3): error TS2304', file('src/login.ts', 9, 3)],
    ['src/lo|gin.ts(9): error', file('src/login.ts', 9)],
    ['(src/lo|gin.ts)', file('src/login.ts')],
    ['`src/lo|gin.ts:9`', file('src/login.ts', 9)],
    ['`my fi|le.txt:3`', file('my file.txt', 3)],
    ['  File "src/a.|py", line 12, in main', file('src/a.py', 12)],
    ['**src/lo|gin.ts**', file('src/login.ts')],
    ['@src/lo|gin.ts:40-58 @diagnostics', file('src/login.ts', 40)],
    ['|./a.ts', file('./a.ts')],
    ['~/no|tes.md', file('~/notes.md')],
    ['at f (/srv/app/m|ain.js:10:5)', file('/srv/app/main.js', 10, 5)],
    ['grün/ü|ber.md:7', file('grün/über.md', 7)],
  ])('%s', (text, expected) => {
    expect(at(text)).toEqual(expected);
  });

  it('may have a colon in its name', () => {
    expect(referencesAt('a.txt:3', 0)).toEqual([file('a.txt', 3), file('a.txt:3')]);
  });

  it('is not where there is only punctuation or nothing', () => {
    expect(referencesAt('a  b', 1)).toEqual([]);
    expect(referencesAt('a ... b', 3)).toEqual([]);
    expect(referencesAt('', 0)).toEqual([]);
  });
});

describe('a link', () => {
  it.each([
    ['the [lo|gin](src/login.ts#L9) page', file('src/login.ts', 9)],
    ['the [login](src/lo|gin.ts) page', file('src/login.ts')],
    ['[a](my%20fi|le.txt)', file('my file.txt')],
    ['[a](</abs/fi|le.ts:3>)', file('/abs/file.ts', 3)],
    ['[a](file:///abs/fi|le.ts#L4)', file('/abs/file.ts', 4)],
    ['[a|](https://example.org/x "title")', { url: 'https://example.org/x' }],
    ['[safe.ts|](javascript:alert(1))', { url: 'javascript:alert(1' }],
  ])('%s', (text, expected) => {
    expect(at(text)).toEqual(expected);
  });
});

describe('an address', () => {
  it.each([
    ['at https://exam|ple.org/a?b=c#d.', 'https://example.org/a?b=c#d'],
    ['(https://exam|ple.org/a)', 'https://example.org/a'],
    ['https://exam|ple.org/a_(b)', 'https://example.org/a_(b)'],
    ['<https://exam|ple.org>', 'https://example.org'],
    ['ssh://exam|ple.org/x', 'ssh://example.org/x'],
  ])('%s', (text, url) => {
    expect(at(text)).toEqual({ url });
  });

  it('with the scheme file is a path', () => {
    expect(at('file:///tmp/a%20|b.txt')).toEqual(file('/tmp/a b.txt'));
  });
});

it('takes time in proportion to the length of the line', () => {
  const hostile = ['['.repeat(20_000), '`'.repeat(20_000), 'a('.repeat(20_000), '](('.repeat(20_000)];
  const began = performance.now();
  for (const text of hostile) referencesAt(text, text.length - 1);
  expect(performance.now() - began).toBeLessThan(1_000);
});
