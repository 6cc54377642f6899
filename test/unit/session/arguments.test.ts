import { describe, expect, it } from 'vitest';
import { commandNames, commandsIn, editsIn } from '../../../src/session/arguments.ts';

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

describe('commands among the arguments', () => {
  it.each<[string, unknown]>([
    ['records among words', { command: [{ command: 'ls' }] }],
    ['lists among words', { argv: [['ls']] }],
    ['a list with something else in it', { commands: ['ls', { at: 3 }] }],
  ])('are none: %s', (_, rawInput) => expect(commandsIn(rawInput)).toEqual([]));

  it('are found at once when lists of commands are nested in each other', () => {
    const nested = Array.from({ length: 24 }).reduce<object>((inner) => ({ commands: [inner] }), {
      command: 'ls',
    });
    const start = performance.now();
    expect(commandsIn(nested)).toEqual(['ls']);
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it.each<[string, unknown, readonly string[]]>([
    ['a command and its arguments', { command: 'git', args: ['log'] }, ['command', 'args']],
    ['arguments in one text', { command: 'git', args: 'push --force' }, ['command']],
    ['arguments that are not all words', { command: 'git', args: ['push', 5] }, ['command']],
    ['a list of commands', { commands: ['ls', { command: 'make', args: ['all'] }] }, ['commands']],
    ['a list with folders', { commands: [{ command: 'ls', cwd: '/etc' }] }, []],
  ])('tell everything of an argument or do not claim to: %s', (_, rawInput, names) =>
    expect(commandNames(rawInput)).toEqual(names),
  );
});
