import { describe, expect, it } from 'vitest';
import { askedToolFrom } from '../../../../src/acp/normalise.ts';
import { reduce } from '../../../../src/session/reducer.ts';
import { linesOf } from '../../../support/stage.ts';
import { call, more, text, told } from './told.ts';

const path = '/home/me/shop/list.txt';
const diff = (fields: object = {}) => ({ type: 'diff', path, newText: 'milk\n', ...fields });

describe('tool calls and diffs', () => {
  it.each<[string, object]>([
    ['null', { oldText: null }],
    ['nothing', { oldText: '' }],
    ['silence', {}],
  ])('manner 19: shows a new file as added lines, told by %s', (_, fields) => {
    const { lines } = told(call({ title: 'Write list.txt', kind: 'edit', content: [diff(fields)] }));
    expect(lines).toEqual(['○ edit    Write list.txt', '    + milk']);
  });

  it('manner 20: shows a change as it was told, and takes it for no whole file', () => {
    const hunk = diff({ oldText: '  eggs', newText: '  eggs, brown' });
    const { lines, tool } = told(call({ title: 'Edit list.txt', kind: 'edit', content: [hunk] }));
    expect(lines.slice(1)).toEqual(['    -   eggs', '    +   eggs, brown']);
    expect(tool?.diffs).toMatchObject([{ oldText: '  eggs', newText: '  eggs, brown' }]);
  });

  it('manner 21: shows a relative path as it is, and passes over what else a diff says', () => {
    const relative = diff({ path: 'list.txt', oldText: 'eggs', _meta: { kind: 'modify' } });
    const { lines } = told(call({ title: 'Edit', kind: 'edit', content: [relative] }));
    expect(lines.slice(1)).toEqual(['    - eggs', '    + milk']);
  });

  it('manner 22: keeps the diff of a permission when the finished call has only a word', () => {
    const { state } = told(call({ title: 'write', kind: 'edit', locations: [{ path }] }));
    const asked = askedToolFrom({ toolCallId: 'c1', content: [diff({ oldText: '' })] });
    reduce(state, { kind: 'tool', patch: asked! }, 0);
    const finished = told(more({ status: 'completed', content: [text('Wrote it.')] })).tool!;
    reduce(
      state,
      { kind: 'tool', patch: { toolCallId: 'c1', status: 'done', content: finished.content } },
      0,
    );
    expect(linesOf(state, { cwd: '/home/me/shop', home: '/home/me' }, false).slice(4)).toEqual([
      '✓ edit    list.txt',
      '    + milk',
      '    Wrote it.',
    ]);
  });

  it('manner 22: shows the newest diff where there is more than one', () => {
    const { lines } = told(
      call({ title: 'Edit list.txt', content: [diff({ oldText: 'a', newText: 'b' })] }),
      more({ status: 'completed', content: [diff({ oldText: 'c', newText: 'd' })] }),
    );
    expect(lines.slice(1)).toEqual(['    - c', '    + d']);
  });

  it('manner 22: shows the raw output of a call without any content', () => {
    const { opened } = told(
      call({ title: 'Edit list.txt', rawInput: { path } }),
      more({ status: 'completed', rawOutput: { result: 'ok' } }),
    );
    expect(opened.slice(1)).toEqual(['    result: ok']);
  });

  it.each<[string, unknown, readonly string[]]>([
    ['a text', 'baked', ['    baked']],
    ['an object', { ok: true }, ['    ok: true']],
    ['a list', ['a'], ['    - a']],
    ['false', false, ['    false']],
  ])('manner 23: shows a raw output that is %s', (_, rawOutput, expected) => {
    expect(told(call({ title: 'Bake it', rawOutput })).opened.slice(1)).toEqual(expected);
  });

  it('manner 23: fills the raw input as it comes, and changes the title with it', () => {
    const { lines, tool } = told(
      call({ title: 'bash', kind: 'execute', rawInput: {} }),
      more({ rawInput: { command: 'bake --rye' } }),
      more({ title: 'Bake a rye bread' }),
    );
    expect(tool?.rawInput).toEqual({ command: 'bake --rye' });
    expect(lines).toEqual(['○ run     Bake a rye bread']);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['the command', { title: 'bash', kind: 'execute', rawInput: { command: 'bake' } }, '○ run     bake'],
    [
      'the words of a command',
      { title: 'Terminal', kind: 'execute', rawInput: { command: ['bake', '-r'] } },
      '○ run     bake -r',
    ],
    ['the place', { title: 'read_file', kind: 'read', locations: [{ path }] }, '○ read    list.txt'],
    ['nothing else', { title: 'write_todos', kind: 'other' }, '○ tool    write_todos'],
    [
      'no folder that goes without saying',
      { title: 'glob', kind: 'search', locations: [{ path: '/home/me/shop' }] },
      '○ search  glob',
    ],
  ])('manner 23: lets a title that only names the tool give way to %s', (_, fields, expected) => {
    expect(told(call(fields)).lines).toEqual([expected]);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ title: 'Running: bake --rye', kind: 'execute' }, '○ run     bake --rye'],
    [{ title: 'Run bake', kind: 'execute' }, '○ run     bake'],
    [{ title: 'Reading list.txt', kind: 'read' }, '○ read    list.txt'],
    [{ title: 'Edit list.txt', kind: 'edit' }, '○ edit    list.txt'],
    [{ title: 'Write list.txt', kind: 'edit' }, '○ edit    Write list.txt'],
    [{ title: 'Read', kind: 'read' }, '○ read    Read'],
    [{ title: 'Runner.run()', kind: 'execute' }, '○ run     Runner.run()'],
  ])('manner 23: does not say the verb twice: %j', (fields, expected) => {
    expect(told(call(fields)).lines).toEqual([expected]);
  });

  it('manner 23: replaces arguments that are streamed as text by what follows', () => {
    const { opened, tool } = told(
      call({ title: 'Preparing', kind: 'edit', content: [text('{"path":"/home/me/sh')] }),
      more({ content: [text('{"path":"/home/me/shop/list.txt"}')] }),
      more({ title: 'Write list.txt', content: [text('Wrote 4 bytes.')], status: 'completed' }),
    );
    expect(tool?.rawInput).toEqual({ path });
    expect(opened).toEqual(['✓ edit    Write list.txt', '    Wrote 4 bytes.']);
  });

  it.each<[unknown, string]>([
    [undefined, '    list.txt'],
    [null, '    list.txt'],
    [0, '    list.txt'],
    [7, '    list.txt:7'],
  ])('manner 24: takes the line %s of a place for what it is', (line, expected) => {
    expect(told(call({ title: 'Look at it', locations: [{ path, line }] })).opened[1]).toBe(expected);
  });

  it('manner 25: lives with calls that never tell a status, and updates that tell nothing', () => {
    const { tool, lines } = told(
      more({ title: 'Look at it', kind: 'read', content: [text('eggs')] }),
      more({ _meta: { vendor: { toolResponse: [1] } } }),
    );
    expect(tool).toMatchObject({ status: 'pending', title: 'Look at it', content: [{ text: 'eggs' }] });
    expect(lines).toEqual(['○ read    Look at it']);
  });

  it('manner 26: replaces an output that is sent whole each time', () => {
    const { opened } = told(
      call({ title: 'count to 3', kind: 'execute', content: [text('1')] }),
      more({ content: [text('1\n2')] }),
      more({ content: [text('1\n2\n3')], status: 'completed' }),
    );
    expect(opened).toEqual(['✓ run     count to 3', '    1', '    2', '    3']);
  });

  it('manner 26: shows a command that tells no output at all', () => {
    const { opened } = told(
      call({ title: 'bake it', kind: 'execute', content: [] }),
      more({ content: [], status: 'completed' }),
    );
    expect(opened).toEqual(['✓ run     bake it']);
  });
});
