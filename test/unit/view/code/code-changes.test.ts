import { describe, expect, it } from 'vitest';
import { codeBlockAt } from '../../../../src/view/code/code-block.ts';
import { codeChanges } from '../../../../src/view/code/code-changes.ts';
import { namedFile } from '../../../../src/view/code/named-file.ts';

const file = ['import x', '', 'function a() {', '  one', '}', '', 'function b() {', '  two', '}', ''].join(
  '\n',
);

function changes(text: string, current: string | undefined) {
  const block = codeBlockAt(text, 0)!;
  return codeChanges(block, namedFile(block) ?? { path: 'a.ts' }, current);
}

const fenced = (code: string, info = 'ts') => `\`\`\`${info}\n${code}\n\`\`\``;

describe('codeChanges', () => {
  it('creates a file that is missing, without a comment that names it', () => {
    expect(changes(fenced('// src/new.ts\none\ntwo'), undefined)).toEqual([
      { label: 'Create the file', text: 'one\ntwo\n' },
    ]);
  });

  it('replaces the part of a file that begins and ends alike, else all of it', () => {
    expect(changes(fenced('function a() {\n  1\n  2\n}'), file)).toEqual([
      { label: 'Replace lines 3 to 5', text: file.replace('  one', '  1\n  2') },
      { label: 'Replace all 9 lines', text: 'function a() {\n  1\n  2\n}\n' },
    ]);
    expect(changes(fenced('else'), file)).toEqual([{ label: 'Replace all 9 lines', text: 'else\n' }]);
  });

  it('replaces the lines that the fence names', () => {
    expect(changes(fenced('  1', '4:4:a.ts'), file)[0]).toEqual({
      label: 'Replace line 4',
      text: file.replace('  one', '  1'),
    });
  });

  it('offers nothing that changes nothing', () => {
    expect(changes(fenced(file.trimEnd()), file)).toEqual([]);
  });

  it('applies a patch, or offers nothing if it does not fit', () => {
    const patch = '--- a/a.ts\n+++ b/a.ts\n@@ -3,3 +3,3 @@\n function a() {\n-  one\n+  1\n }';
    expect(changes(fenced(patch, 'diff'), file)).toEqual([
      { label: 'Apply the patch', text: file.replace('  one', '  1') },
    ]);
    expect(changes(fenced(patch, 'diff'), 'other\n')).toEqual([]);
    expect(changes(fenced('not a patch', 'diff'), file)).toEqual([]);
    expect(changes(fenced('not a patch', 'diff'), undefined)).toEqual([]);
  });
});
