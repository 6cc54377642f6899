import { describe, expect, it } from 'vitest';
import type { ToolPatch } from '../../../../../src/model/session-events.ts';
import { questionLines } from '../../../../../src/view/transcript/question.ts';
import { toolLines } from '../../../../../src/view/transcript/tools/tool-lines.ts';
import { aQuestion, aSession, aToolCall } from '../../../../support/builders.ts';
import {
  contextOf,
  drawTool,
  expectHarmless,
  hostileText,
  lastEntry,
  rightTextOf,
  textsOf,
} from '../../../../support/entry-lines.ts';

describe('a tool call', () => {
  it.each<[string, Partial<ToolPatch>, string, string | undefined]>([
    ['pending', { title: 'ls', toolKind: 'execute' }, '○ run     ls', ''],
    ['running', { title: 'ls', toolKind: 'execute', status: 'running' }, '● run     ls', '5 s'],
    ['done', { title: 'a.ts', toolKind: 'read', status: 'done' }, '✓ read    a.ts', '0.0 s'],
    ['failed', { title: 'a.ts', toolKind: 'edit', status: 'failed' }, '✗ edit    a.ts', '0.0 s'],
    ['cancelled', { title: 'a.ts', status: 'cancelled' }, '⊘ tool    a.ts', ''],
    ['that can be opened', { title: 'ls', rawInput: { a: 1 } }, '○ tool    ls', '▸'],
  ])('with status %s is one line', (_, patch, text, right) => {
    const lines = drawTool(patch);
    expect({ texts: textsOf(lines), right: rightTextOf(lines[0]) }).toEqual({ texts: [text], right });
  });

  it('that starts a subagent is called so, and shows its answer without tags', () => {
    const rawInput = { description: 'Say hello', prompt: 'Say it.', subagent_type: 'general' };
    const text = '<task id="t1" state="completed">\n<task_result>\nHello.\n</task_result>\n</task>';
    const content = [{ kind: 'text', text }] as const;
    const patch = { title: 'Say hello', toolKind: 'think', status: 'done', rawInput, content } as const;
    expect(textsOf(drawTool(patch))).toEqual(['✓ agent   Say hello']);
    const opened = textsOf(drawTool(patch, true)).join('\n');
    expect(opened).toContain('    Hello.');
    expect(opened).not.toContain('task');
  });

  it.each([
    ['https://example.com/a/long/path', 'https://exa…'],
    ['src/a/long/path/file.ts', '…ath/file.ts'],
  ])('cuts a path at its beginning and an address at its end: %s', (title, expected) => {
    const state = aSession(aToolCall({ title, toolKind: 'fetch' }));
    const [heading] = toolLines(lastEntry(state, 'tool'), { ...contextOf(state), width: 23 });
    expect(heading?.text).toBe(`○ fetch   ${expected}`);
  });

  it.each([
    ['Write a poem about roses into src/poem.txt', '✓ edit    Write a poe…  …/poem.txt'],
    ['src/poem.txt: a poem about roses, in three lines', '✓ edit    src/poem.txt: a poem ab…'],
    ['Rhyme src/poem.txt', '✓ edit    Rhyme src/poem.txt'],
  ])('names the file that it changes where the title is not cut: %s', (title, expected) => {
    const content = [
      { kind: 'diff', path: '/home/me/shop/src/poem.txt', oldText: '', newText: 'a' },
    ] as const;
    const state = aSession(aToolCall({ title, toolKind: 'edit', status: 'done', content }));
    const [heading] = toolLines(lastEntry(state, 'tool'), { ...contextOf(state), width: 50 });
    expect(heading?.text).toBe(expected);
  });

  it.each([
    ['Run the tests', ['✗ run     Run the tests', '    $ npm test', '    1 failed']],
    ['npm test', ['✗ run     npm test', '    1 failed']],
    ['`npm test`', ['✗ run     npm test', '    1 failed']],
    ['Bash', ['✗ run     npm test', '    1 failed']],
  ])('shows the command once, in its title or above its output: %s', (title, expected) => {
    const rawInput = { command: 'npm test', description: 'Run the tests' };
    const rawOutput = { output: '1 failed\n', metadata: { exit: 1 } };
    const lines = drawTool({ title, toolKind: 'execute', status: 'done', rawInput, rawOutput });
    expect(textsOf(lines)).toEqual(expected);
  });

  it('has its figures in the same column whether it can be opened or not', () => {
    const ends = [{}, { rawInput: { a: 1 } }].map((patch) => {
      const [heading] = drawTool({ title: 'ls', status: 'done', ...patch });
      return heading?.right?.map(([text]) => text).join('');
    });
    expect(ends).toEqual([' 0.0 s  ', ' 0.0 s ▸']);
  });

  it.each([
    ['/home/me/shop/src/a.ts', 'src/a.ts'],
    ['cat /home/me/shop/a "/home/me/shop/b"', 'cat a "b"'],
    ['/mnt/home/me/shop/a', '/mnt/home/me/shop/a'],
    ['/home/me/shopping/a', '/home/me/shopping/a'],
  ])('shortens paths in the session folder: %s', (title, expected) => {
    expect(textsOf(drawTool({ title }))).toEqual([`○ tool    ${expected}`]);
  });

  it('keeps addresses unchanged if the folder is /', () => {
    expect(textsOf(drawTool({ title: 'https://x.y' }, false, '/'))).toEqual(['○ tool    https://x.y']);
  });

  it('shows the whole command if the title is truncated', () => {
    const rawInput = { commands: ['echo a && rm b'] };
    const lines = drawTool({ title: 'run_commands: echo a...', toolKind: 'execute', rawInput });
    expect(textsOf(lines)).toEqual(['○ run     echo a && rm b']);
  });

  it('keeps the verb of a title that is not the command', () => {
    const lines = drawTool({ title: 'Run it', toolKind: 'execute', rawInput: { command: 'make' } });
    expect(textsOf(lines)).toEqual(['○ run     Run it']);
  });

  it('shows its file if the title is truncated', () => {
    const rawInput = { path: '/home/me/shop/a.ts', old_text: 'x', new_text: 'y' };
    const [heading] = drawTool({ title: 'editor: {"path":"/home/me...', toolKind: 'edit', rawInput });
    expect(heading?.text).toBe('○ edit    a.ts');
  });

  it.each<[ToolPatch['toolKind'], string, string]>([
    ['edit', 'Edit files', 'src/a.ts'],
    ['edit', 'Write src/a.ts', 'src/a.ts'],
    ['edit', 'Writing to /home/me/shop/src/a.ts', 'src/a.ts'],
    ['edit', 'Edit file', 'src/a.ts'],
    ['read', "Read file 'src/a.ts'", 'src/a.ts'],
    ['read', 'Read a.ts', 'src/a.ts'],
    ['read', 'src/a.ts (1 - 20)', 'src/a.ts (1 - 20)'],
    ['edit', 'Write a poem', 'Write a poem'],
  ])('that is about one file is named by it: %s "%s"', (toolKind, title, expected) => {
    const locations = [{ path: '/home/me/shop/src/a.ts', line: undefined }];
    const [heading] = drawTool({ title, toolKind, locations });
    expect(heading?.text).toBe(`○ ${toolKind!.padEnd(7)} ${expected}`);
  });

  it.each(['src/a.ts', './src/a.ts', '/home/me/shop/src/a.ts'])(
    'that names its file only in its arguments is named by it: %s',
    (file) => {
      const [heading] = drawTool({ title: 'Edit file', toolKind: 'edit', rawInput: { filePath: file } });
      expect(heading?.text).toBe('○ edit    src/a.ts');
    },
  );

  it('shows a long command completely when it is open', () => {
    const command = `echo ${'a'.repeat(400)} && rm b`;
    const lines = drawTool({ title: 'echo a…', toolKind: 'execute', rawInput: { command } }, true);
    expect(textsOf(lines)).toContain(`    ${command}`);
  });

  it.each<[string, readonly string[]]>([
    ['Edit applied successfully.', []],
    ['Wrote 14 bytes to /home/me/shop/a.ts', []],
    ['The file /home/me/shop/a.ts has been updated.\n', []],
    ['Edit applied successfully.\n\nError in line 1', ['    Error in line 1']],
    ['Line 3 has an error.', ['    Line 3 has an error.']],
  ])('does not confirm below its diff that it was applied: %j', (text, expected) => {
    const content = [{ kind: 'text', text } as const];
    const diff = { kind: 'diff', path: '/home/me/shop/a.ts', oldText: 'x\n', newText: 'y\n' } as const;
    const patch = { title: 'a.ts', toolKind: 'edit', status: 'done' } as const;
    const [, ...body] = textsOf(drawTool({ ...patch, content: [...content, diff] }));
    expect(body.filter((line) => !/^ +[-+] /.test(line))).toEqual(expected);
    expect(textsOf(drawTool({ ...patch, content }, true))[1]).toBe(`    ${text.split('\n')[0]}`);
  });

  it('names its file once if only the arguments have the diff', () => {
    const path = '/home/me/shop/a.ts';
    const locations = [{ path, line: undefined }];
    const lines = drawTool({ title: 'a.ts', toolKind: 'edit', locations, rawInput: { path, content: 'x' } });
    expect(textsOf(lines)).toEqual(['○ edit    a.ts', '    + x']);
  });

  it('truncates an overlong title', () => {
    expect(drawTool({ title: 'x'.repeat(10_000) })[0]?.text.length).toBeLessThan(400);
  });

  it.each<[string, Partial<ToolPatch>, string[]]>([
    [
      'its locations',
      {
        locations: [
          { path: '/home/me/shop/a.ts', line: 3 },
          { path: '/etc/b', line: undefined },
        ],
      },
      ['    a.ts:3', '    /etc/b'],
    ],
    [
      'only locations that nothing else shows',
      {
        locations: [
          { path: '/home/me/shop', line: undefined },
          { path: '/home/me/shop/a', line: undefined },
          { path: '/home/me/shop/b', line: undefined },
        ],
        content: [{ kind: 'diff', path: '/home/me/shop/a', oldText: undefined, newText: 'z\n'.repeat(20) }],
      },
      ['    b', ...Array.from({ length: 20 }, () => '    + z')],
    ],
    ['its text', { content: [{ kind: 'text', text: 'one\ntwo\n\n' }] }, ['    one', '    two']],
    [
      'its text without the fence around it',
      { content: [{ kind: 'text', text: '```console\none\n\ntwo\n```\n' }] },
      ['    one', '    ', '    two'],
    ],
    [
      'a fence that is part of its text',
      { content: [{ kind: 'text', text: 'so:\n```\none\n```' }] },
      ['    so:', '    ```', '    one', '    ```'],
    ],
    ['a terminal', { content: [{ kind: 'terminal', terminalId: 't1' }] }, ['    terminal t1']],
    ['unknown content', { content: [{ kind: 'other', label: 'hologram' }] }, ['    hologram']],
    ['its raw output', { rawInput: { a: 1 }, rawOutput: 'done' }, ['    done']],
    ['its raw input', { rawInput: { a: 1 } }, ['    a: 1']],
    [
      'strings in raw output as lines',
      { rawOutput: { result: '1\n2\n' } },
      ['    result:', '      1', '      2'],
    ],
    [
      'a text that is JSON as lines',
      { content: [{ kind: 'text', text: '{"answers": {"Which colour?": "Red"}}' }] },
      ['    answers:', '      Which colour?: Red'],
    ],
    [
      'a JSON file unchanged',
      { toolKind: 'read', content: [{ kind: 'text', text: '{"a": 1}' }] },
      ['    {"a": 1}'],
    ],
    ['nothing', {}, []],
  ])('shows when it is open: %s', (_, patch, expected) => {
    expect(textsOf(drawTool(patch, true)).slice(1)).toEqual(expected);
  });

  it.each<[string, Partial<ToolPatch>]>([
    ['text', { content: [{ kind: 'text', text: 'x'.repeat(1_000_000) }] }],
    ['lines', { content: [{ kind: 'text', text: 'x\n'.repeat(500_000) }] }],
    [
      'a long line in a change',
      {
        content: [{ kind: 'diff', path: '/a', oldText: 'x'.repeat(500_000), newText: 'y'.repeat(500_000) }],
      },
    ],
    [
      'a long change',
      {
        content: [
          { kind: 'diff', path: '/a', oldText: 'x\n'.repeat(250_000), newText: 'y\n'.repeat(250_000) },
        ],
      },
    ],
    ['raw output', { rawOutput: 'x'.repeat(1_000_000) }],
  ])('limits 1 MB of %s', (_, patch) => {
    const size = textsOf(drawTool(patch, true)).join('\n').length;
    expect(size).toBeLessThan(20_000);
  });

  it('says how many lines are hidden', () => {
    const lines = drawTool({ content: [{ kind: 'text', text: Array(1_000).fill('x').join('\n') }] }, true);
    expect(lines.at(-1)?.text).toBe('    … 600 more lines · <CR> shows all');
  });

  it('is sanitised', () => {
    const diff = { kind: 'diff', path: hostileText, oldText: hostileText, newText: hostileText } as const;
    const content = [
      diff,
      { kind: 'text', text: hostileText },
      { kind: 'other', label: hostileText },
    ] as const;
    const more = { kind: 'terminal', terminalId: hostileText } as const;
    const locations = [{ path: hostileText, line: 1 }];
    expectHarmless(drawTool({ title: hostileText, content: [...content, more], locations }, true));
    expectHarmless(drawTool({ title: hostileText, rawOutput: hostileText }, true));
  });
});

describe('a tool call with a settled question', () => {
  const diff = { kind: 'diff', path: '/home/me/shop/a.ts', oldText: 'a', newText: 'b' } as const;
  const ask = { kind: 'question_asked', question: aQuestion() } as const;
  const settled = (optionId: string, answer: string) =>
    ({ kind: 'question_settled', questionId: 1, optionId, answer }) as const;

  it('is closed and marked if it was rejected', () => {
    const call = aToolCall({ title: 'a.ts', toolKind: 'edit', content: [diff] });
    const state = aSession(call, ask, settled('no', 'No, tell me more'), aToolCall({ status: 'failed' }));
    const lines = toolLines(lastEntry(state, 'tool'), contextOf(state));
    expect(textsOf(lines)).toEqual(['⊘ edit    a.ts']);
    expect(rightTextOf(lines[0])).toBe('+1 -1 Rejected ▸');
    expect(textsOf(questionLines(lastEntry(state, 'question'), contextOf(state)))).toEqual([
      '· asked to edit: a.ts  Rejected: No, tell me more',
    ]);
  });

  it.each([
    ['Reject', 'Rejected'],
    ['Reject the change', 'Rejected the change'],
    ['reject always', 'Rejected always'],
    ['Rejecting is wise', 'Rejected: Rejecting is wise'],
  ])('shows "Rejected" once if the option has the name %s', (name, shown) => {
    const state = aSession(aToolCall({ toolKind: 'edit' }), ask, settled('no', name));
    expect(textsOf(questionLines(lastEntry(state, 'question'), contextOf(state)))).toEqual([
      `· asked to edit  ${shown}`,
    ]);
  });

  it("shows the agent's option name if it was allowed", () => {
    const state = aSession(aToolCall({ toolKind: 'edit' }), ask, settled('yes', 'Yes, do it'));
    expect(textsOf(questionLines(lastEntry(state, 'question'), contextOf(state)))).toEqual([
      '· asked to edit  Yes, do it',
    ]);
  });

  it('does not count the time while the question waits', () => {
    const state = aSession(aToolCall({ title: 'ls', status: 'running' }), ask);
    expect(rightTextOf(toolLines(lastEntry(state, 'tool'), contextOf(state))[0])).toBe('1 s');
  });

  it('does not count the time while a conflict about its file waits', () => {
    const edit = aToolCall({ title: 'a.ts', status: 'running' });
    const asked = aToolCall({ toolCallId: 'conflict', isAskedOnly: true });
    const question = { ...aQuestion(), toolCallId: 'conflict' };
    const state = aSession(edit, asked, { kind: 'question_asked', question });
    const call = state.tools.get('call-1');
    expect(call && rightTextOf(toolLines(call, contextOf(state))[0])).toBe('2 s');
  });
});
