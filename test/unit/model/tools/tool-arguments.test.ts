import { describe, expect, it } from 'vitest';
import { commandArgumentNames, commandsIn, editsIn } from '../../../../src/model/tools/tool-arguments.ts';
import { cpuTime } from '../../../support/cpu-time.ts';

const edit = { kind: 'diff', path: 'a.ts', oldText: 'one', newText: 'two' };
const written = { kind: 'diff', path: 'a.ts', oldText: undefined, newText: 'text', replacesFile: true };

describe('editsIn', () => {
  it.each<[string, unknown, readonly object[]]>([
    ['with underscores', { file_path: 'a.ts', old_string: 'one', new_string: 'two' }, [edit]],
    ['in camel case', { filePath: 'a.ts', oldString: 'one', newString: 'two', replaceAll: true }, [edit]],
    ['with old_text and new_text', { path: 'a.ts', old_text: 'one', new_text: 'two' }, [edit]],
    ['that deletes', { path: 'a.ts', oldText: 'one', newText: '' }, [{ ...edit, newText: '' }]],
    [
      'in a list of edits',
      {
        path: 'a.ts',
        edits: [
          { oldText: 'one', newText: 'two' },
          { oldText: '1', newText: '2' },
        ],
      },
      [edit, { ...edit, oldText: '1', newText: '2' }],
    ],
    ['that writes a whole file', { path: 'a.ts', content: 'text' }, [written]],
    ['that writes a whole file with new_text', { path: 'a.ts', new_text: 'text' }, [written]],
  ])('finds an edit: %s', (_, rawInput, edits) => expect(editsIn(rawInput)).toEqual(edits));

  it.each<[string, unknown]>([
    ['without a path', { old_string: 'one', new_string: 'two' }],
    ['in a list with an unknown edit', { path: 'a.ts', edits: [{ oldText: 'a', newText: 'b' }, { at: 3 }] }],
    ['that inserts text at a line', { path: 'a.ts', new_text: 'text', insert_line: 3 }],
    ['without the new text', { path: 'a.ts', old_text: 'one' }],
    ['no arguments', 'text'],
  ])('finds no edit: %s', (_, rawInput) => expect(editsIn(rawInput)).toEqual([]));
});

describe('commandsIn', () => {
  it.each<[string, unknown]>([
    ['records among words', { command: [{ command: 'ls' }] }],
    ['lists among words', { argv: [['ls']] }],
    ['a list with something else in it', { commands: ['ls', { at: 3 }] }],
  ])('finds no command: %s', (_, rawInput) => expect(commandsIn(rawInput)).toEqual([]));

  it('takes linear time for nested command lists', () => {
    const nested = Array.from({ length: 24 }).reduce<object>((inner) => ({ commands: [inner] }), {
      command: 'ls',
    });
    const start = cpuTime();
    expect(commandsIn(nested)).toEqual(['ls']);
    expect(cpuTime() - start).toBeLessThan(1_000);
  });

  it.each<[string, unknown, readonly unknown[], readonly string[]]>([
    ['repeats the command', { command: 'a b', commands: ['a b'] }, ['a b'], ['command', 'commands']],
    [
      'repeats its words',
      { command: 'a', args: ['b'], commands: ['a b'] },
      [['a', 'b']],
      ['command', 'args', 'commands'],
    ],
    [
      'has another one too',
      { command: 'a b', commands: ['a b', 'rm x'] },
      ['a b', 'rm x'],
      ['command', 'commands'],
    ],
    ['has another one', { cmd: 'a', commands: [['rm', 'x']] }, ['a', ['rm', 'x']], ['cmd', 'commands']],
    ['is not understood', { command: 'a', commands: ['a', 3] }, ['a'], ['command']],
    ['names folders', { command: 'a', commands: [{ command: 'a', cwd: '/etc' }] }, ['a'], ['command']],
    ['is empty', { command: 'a', commands: [] }, ['a'], ['command']],
  ])('finds the command beside a list that %s', (_, rawInput, commands, names) => {
    expect(commandsIn(rawInput)).toEqual(commands);
    expect(commandArgumentNames(rawInput)).toEqual(names);
  });

  it.each<[string, unknown, readonly string[]]>([
    ['a command and its arguments', { command: 'git', args: ['log'] }, ['command', 'args']],
    ['arguments in one text', { command: 'git', args: 'push --force' }, ['command']],
    ['arguments that are not all words', { command: 'git', args: ['push', 5] }, ['command']],
    ['a list of commands', { commands: ['ls', { command: 'make', args: ['all'] }] }, ['commands']],
    ['a list with folders', { commands: [{ command: 'ls', cwd: '/etc' }] }, []],
  ])('names the arguments that it returns completely: %s', (_, rawInput, names) =>
    expect(commandArgumentNames(rawInput)).toEqual(names),
  );
});
