import { describe, expect, it } from 'vitest';
import { editsIn } from '../../../src/session/arguments.ts';

const edit = { kind: 'diff', path: 'a.ts', oldText: 'one', newText: 'two' };
const written = { kind: 'diff', path: 'a.ts', oldText: undefined, newText: 'text', isWhole: true };

describe('a change among the arguments', () => {
  it.each<[string, unknown, readonly object[]]>([
    ['with underscores', { file_path: 'a.ts', old_string: 'one', new_string: 'two' }, [edit]],
    ['in camel case', { filePath: 'a.ts', oldString: 'one', newString: 'two', replaceAll: true }, [edit]],
    ['as texts', { path: 'a.ts', old_text: 'one', new_text: 'two' }, [edit]],
    ['that deletes', { path: 'a.ts', oldText: 'one', newText: '' }, [{ ...edit, newText: '' }]],
    [
      'of several places',
      {
        path: 'a.ts',
        edits: [
          { oldText: 'one', newText: 'two' },
          { oldText: '1', newText: '2' },
        ],
      },
      [edit, { ...edit, oldText: '1', newText: '2' }],
    ],
    ['that writes all of a file', { path: 'a.ts', content: 'text' }, [written]],
    ['that writes all of it under another name', { path: 'a.ts', new_text: 'text' }, [written]],
  ])('is found: %s', (_, rawInput, edits) => expect(editsIn(rawInput)).toEqual(edits));

  it.each<[string, unknown]>([
    ['without a path', { old_string: 'one', new_string: 'two' }],
    [
      'of which a part is not understood',
      { path: 'a.ts', edits: [{ oldText: 'a', newText: 'b' }, { at: 3 }] },
    ],
    ['that puts text somewhere', { path: 'a.ts', new_text: 'text', insert_line: 3 }],
    ['without the new text', { path: 'a.ts', old_text: 'one' }],
    ['no arguments', 'text'],
  ])('is none: %s', (_, rawInput) => expect(editsIn(rawInput)).toEqual([]));
});
