import { expect, it } from 'vitest';
import { codeBlockAt } from '../../../../src/view/code/code-block.ts';
import { namedFile } from '../../../../src/view/code/named-file.ts';

it.each<[string, unknown]>([
  ['```ts src/a.ts\nx\n```', { path: 'src/a.ts' }],
  ['```ts:src/a.ts\nx\n```', { path: 'src/a.ts' }],
  ['```src/a.ts\nx\n```', { path: 'src/a.ts' }],
  ['```ts title="src/a.ts"\nx\n```', { path: 'src/a.ts' }],
  ['```ts {file=src/a.ts}\nx\n```', { path: 'src/a.ts' }],
  ['```10:20:src/a.ts\nx\n```', { path: 'src/a.ts', range: { first: 10, last: 20 } }],
  ['```ts\n// src/a.ts\nx\n```', { path: 'src/a.ts', isInCode: true }],
  ['```py\n# file: src/a.py\nx\n```', { path: 'src/a.py', isInCode: true }],
  ['```html\n<!-- a.html -->\nx\n```', { path: 'a.html', isInCode: true }],
  ['**src/a.ts**\n```ts\nx\n```', { path: 'src/a.ts' }],
  ['Change `src/a.ts:9`:\n\n```ts\nx\n```', { path: 'src/a.ts' }],
  ['```diff\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b\n```', { path: 'src/a.ts' }],
  ['```diff\n--- a/src/a.ts\n+++ /dev/null\n```', { path: 'src/a.ts' }],
  ['Use it like this, e.g. now:\n```ts\nx\n```', undefined],
  ['```c++\nx\n```', undefined],
  ['```ts\n// return the value\nx\n```', undefined],
  ['See https://example.org/a.ts\n```ts\nx\n```', undefined],
])('%j', (text, expected) => {
  const row = text.split('\n').findIndex((line) => line.startsWith('```'));
  expect(namedFile(codeBlockAt(text, row)!)).toEqual(expected);
});
