import { describe, expect, it } from 'vitest';
import { decodePermissionTool } from '../../../../src/acp/decode/update.ts';
import { reduce } from '../../../../src/session/reducer/reducer.ts';
import { call, more, showUpdates, text } from '../../../support/dialects/shown-updates.ts';
import { transcriptLines } from '../../../support/transcript.ts';

const path = '/home/me/shop/list.txt';
const diff = (fields: object = {}) => ({ type: 'diff', path, newText: 'milk\n', ...fields });

describe('tool calls and diffs', () => {
  it.each<[string, object]>([
    ['oldText null', { oldText: null }],
    ['an empty oldText', { oldText: '' }],
    ['no oldText', {}],
  ])('behaviour 19: shows a new file as added lines, with %s', (_, fields) => {
    const { lines } = showUpdates(call({ title: 'Write list.txt', kind: 'edit', content: [diff(fields)] }));
    expect(lines).toEqual(['○ edit    list.txt', '    + milk']);
  });

  it('behaviour 20: shows a diff as it was sent, not as a whole file', () => {
    const hunk = diff({ oldText: '  eggs', newText: '  eggs, brown' });
    const { lines, tool } = showUpdates(call({ title: 'Edit list.txt', kind: 'edit', content: [hunk] }));
    expect(lines.slice(1)).toEqual(['    -   eggs', '    +   eggs, brown']);
    expect(tool?.diffs).toMatchObject([{ oldText: '  eggs', newText: '  eggs, brown' }]);
  });

  it('behaviour 21: shows a relative path unchanged and ignores extra fields of a diff', () => {
    const relative = diff({ path: 'list.txt', oldText: 'eggs', _meta: { kind: 'modify' } });
    const { lines } = showUpdates(call({ title: 'Edit', kind: 'edit', content: [relative] }));
    expect(lines.slice(1)).toEqual(['    - eggs', '    + milk']);
  });

  it('behaviour 22: keeps the diff of a permission when the finished call has only text', () => {
    const { state } = showUpdates(call({ title: 'write', kind: 'edit', locations: [{ path }] }));
    const asked = decodePermissionTool({ toolCallId: 'c1', content: [diff({ oldText: '' })] });
    reduce(state, { kind: 'tool', patch: asked! }, 0);
    const finished = showUpdates(more({ status: 'completed', content: [text('Wrote it.')] })).tool!;
    reduce(
      state,
      { kind: 'tool', patch: { toolCallId: 'c1', status: 'done', content: finished.content } },
      0,
    );
    expect(transcriptLines(state, { cwd: '/home/me/shop', home: '/home/me' }, false).slice(4)).toEqual([
      '✓ edit    list.txt',
      '    + milk',
    ]);
  });

  it('behaviour 22: shows the newest of several diffs', () => {
    const { lines } = showUpdates(
      call({ title: 'Edit list.txt', content: [diff({ oldText: 'a', newText: 'b' })] }),
      more({ status: 'completed', content: [diff({ oldText: 'c', newText: 'd' })] }),
    );
    expect(lines.slice(1)).toEqual(['    - c', '    + d']);
  });

  it('behaviour 22: shows the raw output of a call without content', () => {
    const { opened } = showUpdates(
      call({ title: 'Edit list.txt', rawInput: { path } }),
      more({ status: 'completed', rawOutput: { result: 'ok' } }),
    );
    expect(opened.slice(1)).toEqual(['    result: ok']);
  });

  it.each<[string, unknown, readonly string[]]>([
    ['a string', 'baked', ['    baked']],
    ['an object', { ok: true }, ['    ok: true']],
    ['a list', ['a'], ['    - a']],
    ['false', false, ['    false']],
  ])('behaviour 23: shows a raw output that is %s', (_, rawOutput, expected) => {
    expect(showUpdates(call({ title: 'Bake it', rawOutput })).opened.slice(1)).toEqual(expected);
  });

  it('behaviour 23: updates the title as the raw input is streamed', () => {
    const { lines, tool } = showUpdates(
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
      'the arguments of a command',
      { title: 'Terminal', kind: 'execute', rawInput: { command: ['bake', '-r'] } },
      '○ run     bake -r',
    ],
    ['the location', { title: 'read_file', kind: 'read', locations: [{ path }] }, '○ read    list.txt'],
    ['nothing else', { title: 'write_todos', kind: 'other' }, '○ tool    write_todos'],
    [
      'no folder if it is the current one',
      { title: 'glob', kind: 'search', locations: [{ path: '/home/me/shop' }] },
      '○ search  glob',
    ],
  ])('behaviour 23: replaces a title that only names the tool by %s', (_, fields, expected) => {
    expect(showUpdates(call(fields)).lines).toEqual([expected]);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ title: 'Running: bake --rye', kind: 'execute' }, '○ run     bake --rye'],
    [{ title: 'Run bake', kind: 'execute' }, '○ run     bake'],
    [
      { title: 'run_commands: bake --rye', kind: 'execute', rawInput: { commands: ['bake --rye'] } },
      '○ run     bake --rye',
    ],
    [{ title: 'grep: bake', kind: 'execute', rawInput: { command: 'grep: bake' } }, '○ run     grep: bake'],
    [{ title: 'Reading list.txt', kind: 'read' }, '○ read    list.txt'],
    [{ title: 'Edit list.txt', kind: 'edit' }, '○ edit    list.txt'],
    [{ title: 'Write list.txt', kind: 'edit' }, '○ edit    Write list.txt'],
    [{ title: 'Read', kind: 'read' }, '○ read    Read'],
    [{ title: 'Runner.run()', kind: 'execute' }, '○ run     Runner.run()'],
  ])('behaviour 23: does not repeat the verb: %j', (fields, expected) => {
    expect(showUpdates(call(fields)).lines).toEqual([expected]);
  });

  it('behaviour 23: replaces arguments that are streamed as text by the final ones', () => {
    const { opened, tool } = showUpdates(
      call({ title: 'Preparing', kind: 'edit', content: [text('{"path":"/home/me/sh')] }),
      more({ content: [text('{"path":"/home/me/shop/list.txt"}')] }),
      more({ title: 'Write list.txt', content: [text('Wrote 4 bytes.')], status: 'completed' }),
    );
    expect(tool?.rawInput).toEqual({ path });
    expect(opened).toEqual(['✓ edit    list.txt', '    Wrote 4 bytes.']);
  });

  it.each<[unknown, string]>([
    [undefined, '    list.txt'],
    [null, '    list.txt'],
    [0, '    list.txt'],
    [7, '    list.txt:7'],
  ])('behaviour 24: shows the line %s of a location', (line, expected) => {
    expect(showUpdates(call({ title: 'Look at it', locations: [{ path, line }] })).opened[1]).toBe(expected);
  });

  it('behaviour 25: accepts calls without a status and empty updates', () => {
    const { tool, lines } = showUpdates(
      more({ title: 'Look at it', kind: 'read', content: [text('eggs')] }),
      more({ _meta: { vendor: { toolResponse: [1] } } }),
    );
    expect(tool).toMatchObject({ status: 'pending', title: 'Look at it', content: [{ text: 'eggs' }] });
    expect(lines).toEqual(['○ read    Look at it']);
  });

  it('behaviour 26: replaces an output that is sent as a whole each time', () => {
    const { opened } = showUpdates(
      call({ title: 'count to 3', kind: 'execute', content: [text('1')] }),
      more({ content: [text('1\n2')] }),
      more({ content: [text('1\n2\n3')], status: 'completed' }),
    );
    expect(opened).toEqual(['✓ run     count to 3', '    1', '    2', '    3']);
  });

  it('behaviour 26: shows a command without output', () => {
    const { opened } = showUpdates(
      call({ title: 'bake it', kind: 'execute', content: [] }),
      more({ content: [], status: 'completed' }),
    );
    expect(opened).toEqual(['✓ run     bake it']);
  });
});
