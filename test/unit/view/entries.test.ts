import { describe, expect, it } from 'vitest';
import type { ToolPatch } from '../../../src/session/events.ts';
import type { Entry } from '../../../src/session/model.ts';
import {
  noticeLines,
  planLines,
  questionLines,
  questionPrompt,
  thoughtLines,
  type ViewContext,
} from '../../../src/view/entries.ts';
import type { Line } from '../../../src/view/line.ts';
import { toolLines } from '../../../src/view/tool-lines.ts';
import { aChunk, aNotice, aQuestion, aSession, aToolCall, isReady } from '../../support/builders.ts';

const nasty = 'rm -rf /\r\n\x1b[2Jok\u202e\u2028 \ud83d\0';

function contextOf(
  state: ViewContext['state'],
  openIds: readonly number[] = [],
  cwd = '/home/me/shop',
): ViewContext {
  return { state, now: 5_000, cwd, home: '/home/me', isOpen: (id) => openIds.includes(id) };
}

function last<K extends Entry['kind']>(state: ViewContext['state'], kind: K): Extract<Entry, { kind: K }> {
  const entry = state.entries.findLast((candidate) => candidate.kind === kind);
  if (!entry) throw new Error(`no ${kind}`);
  return entry as Extract<Entry, { kind: K }>;
}

const textsOf = (lines: readonly Line[]) => lines.map(({ text }) => text);
const rightOf = (line: Line | undefined) =>
  line?.right
    ?.map(([text]) => text)
    .join('')
    .trim();

function drawTool(patch: Partial<ToolPatch>, isOpen = false, cwd?: string): readonly Line[] {
  const state = aSession(aToolCall(patch));
  const entry = last(state, 'tool');
  return toolLines(entry, contextOf(state, isOpen ? [entry.id] : [], cwd));
}

function expectHarmless(lines: readonly Line[]): void {
  for (const { text } of lines) {
    expect(text).not.toMatch(/[\x00-\x08\n\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
    expect(text.isWellFormed()).toBe(true);
  }
}

describe('a call that the user was asked about', () => {
  const diff = { kind: 'diff', path: '/home/me/shop/a.ts', oldText: 'a', newText: 'b' } as const;
  const ask = { kind: 'question_asked', question: aQuestion() } as const;
  const settled = (optionId: string, answer: string) =>
    ({ kind: 'question_settled', questionId: 1, optionId, answer }) as const;

  it('is closed and says so when it was rejected', () => {
    const call = aToolCall({ title: 'a.ts', toolKind: 'edit', content: [diff] });
    const state = aSession(call, ask, settled('no', 'No, tell me more'), aToolCall({ status: 'failed' }));
    const lines = toolLines(last(state, 'tool'), contextOf(state));
    expect(textsOf(lines)).toEqual(['⊘ edit    a.ts']);
    expect(rightOf(lines[0])).toBe('+1 -1 Rejected ▸');
    expect(textsOf(questionLines(last(state, 'question'), contextOf(state)))).toEqual([
      '· asked to edit  Rejected: No, tell me more',
    ]);
  });

  it('reads "Rejected" where the option is only called so', () => {
    const state = aSession(aToolCall({ toolKind: 'edit' }), ask, settled('no', 'Reject'));
    expect(textsOf(questionLines(last(state, 'question'), contextOf(state)))).toEqual([
      '· asked to edit  Rejected',
    ]);
  });

  it('keeps the words of the agent when it was allowed', () => {
    const state = aSession(aToolCall({ toolKind: 'edit' }), ask, settled('yes', 'Yes, do it'));
    expect(textsOf(questionLines(last(state, 'question'), contextOf(state)))).toEqual([
      '· asked to edit  Yes, do it',
    ]);
  });

  it('has a clock that stands still while the question waits', () => {
    const state = aSession(aToolCall({ title: 'ls', status: 'running' }), ask);
    expect(rightOf(toolLines(last(state, 'tool'), contextOf(state))[0])).toBe('1 s');
  });
});

describe('a tool call', () => {
  it.each<[string, Partial<ToolPatch>, string, string | undefined]>([
    ['pending', { title: 'ls', toolKind: 'execute' }, '○ run     ls', ''],
    ['running', { title: 'ls', toolKind: 'execute', status: 'running' }, '● run     ls', '5 s'],
    ['done', { title: 'a.ts', toolKind: 'read', status: 'done' }, '✓ read    a.ts', '0.0 s'],
    ['failed', { title: 'a.ts', toolKind: 'edit', status: 'failed' }, '✗ edit    a.ts', '0.0 s'],
    ['cancelled', { title: 'a.ts', status: 'cancelled' }, '⊘ tool    a.ts', ''],
    ['that can be opened', { title: 'ls', rawInput: { a: 1 } }, '○ tool    ls', '▸'],
  ])('%s is one line', (_, patch, text, right) => {
    const lines = drawTool(patch);
    expect({ texts: textsOf(lines), right: rightOf(lines[0]) }).toEqual({ texts: [text], right });
  });

  it.each([
    ['/home/me/shop/src/a.ts', 'src/a.ts'],
    ['cat /home/me/shop/a "/home/me/shop/b"', 'cat a "b"'],
    ['/mnt/home/me/shop/a', '/mnt/home/me/shop/a'],
    ['/home/me/shopping/a', '/home/me/shopping/a'],
  ])('is titled without the folder one is in: %s', (title, expected) => {
    expect(textsOf(drawTool({ title }))).toEqual([`○ tool    ${expected}`]);
  });

  it('keeps an address whole when one is in the root folder', () => {
    expect(textsOf(drawTool({ title: 'https://x.y' }, false, '/'))).toEqual(['○ tool    https://x.y']);
  });

  it('is titled with its whole command when the agent cut its title', () => {
    const rawInput = { commands: ['echo a && rm b'] };
    const lines = drawTool({ title: 'run_commands: echo a...', toolKind: 'execute', rawInput });
    expect(textsOf(lines)).toEqual(['○ run     echo a && rm b']);
  });

  it('keeps the verb in a title that is not its command', () => {
    const lines = drawTool({ title: 'Run it', toolKind: 'execute', rawInput: { command: 'make' } });
    expect(textsOf(lines)).toEqual(['○ run     Run it']);
  });

  it('is titled with its file when the agent cut its title', () => {
    const rawInput = { path: '/home/me/shop/a.ts', old_text: 'x', new_text: 'y' };
    const [heading] = drawTool({ title: 'editor: {"path":"/home/me...', toolKind: 'edit', rawInput });
    expect(heading?.text).toBe('○ edit    a.ts');
  });

  it('shows a long command whole when it is opened, also if the agent cut its title', () => {
    const command = `echo ${'a'.repeat(400)} && rm b`;
    const lines = drawTool({ title: 'echo a…', toolKind: 'execute', rawInput: { command } }, true);
    expect(textsOf(lines)).toContain(`    ${command}`);
  });

  it('names its file once when only its arguments tell the change', () => {
    const path = '/home/me/shop/a.ts';
    const locations = [{ path, line: undefined }];
    const lines = drawTool({ title: 'a.ts', toolKind: 'edit', locations, rawInput: { path, content: 'x' } });
    expect(textsOf(lines)).toEqual(['○ edit    a.ts', '    + x']);
  });

  it('shortens a title that is no title', () => {
    expect(drawTool({ title: 'x'.repeat(10_000) })[0]?.text.length).toBeLessThan(400);
  });

  it.each<[string, Partial<ToolPatch>, string[]]>([
    [
      'its places',
      {
        locations: [
          { path: '/home/me/shop/a.ts', line: 3 },
          { path: '/etc/b', line: undefined },
        ],
      },
      ['    a.ts:3', '    /etc/b'],
    ],
    [
      'only the places that nothing else tells',
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
    ['what is not understood', { content: [{ kind: 'other', label: 'hologram' }] }, ['    hologram']],
    ['its raw output', { rawInput: { a: 1 }, rawOutput: 'done' }, ['    done']],
    ['its raw input', { rawInput: { a: 1 } }, ['    a: 1']],
    ['texts in it as lines', { rawOutput: { result: '1\n2\n' } }, ['    result:', '      1', '      2']],
    [
      'a text that is JSON as lines',
      { content: [{ kind: 'text', text: '{"answers": {"Which colour?": "Red"}}' }] },
      ['    answers:', '      Which colour?: Red'],
    ],
    [
      'a file that is JSON as it is',
      { toolKind: 'read', content: [{ kind: 'text', text: '{"a": 1}' }] },
      ['    {"a": 1}'],
    ],
    ['nothing', {}, []],
  ])('shows when it is opened: %s', (_, patch, expected) => {
    expect(textsOf(drawTool(patch, true)).slice(1)).toEqual(expected);
  });

  it.each<[string, Partial<ToolPatch>]>([
    ['text', { content: [{ kind: 'text', text: 'x'.repeat(10_000_000) }] }],
    ['lines', { content: [{ kind: 'text', text: 'x\n'.repeat(1_000_000) }] }],
    [
      'a long line in a change',
      {
        content: [
          { kind: 'diff', path: '/a', oldText: 'x'.repeat(5_000_000), newText: 'y'.repeat(5_000_000) },
        ],
      },
    ],
    [
      'a long change',
      {
        content: [
          { kind: 'diff', path: '/a', oldText: 'x\n'.repeat(500_000), newText: 'y\n'.repeat(500_000) },
        ],
      },
    ],
    ['raw output', { rawOutput: 'x'.repeat(10_000_000) }],
  ])('brings no 10 MB of %s to the buffer', (_, patch) => {
    const size = textsOf(drawTool(patch, true)).join('\n').length;
    expect(size).toBeLessThan(20_000);
  });

  it('says how much was left out', () => {
    const lines = drawTool({ content: [{ kind: 'text', text: Array(1_000).fill('x').join('\n') }] }, true);
    expect(lines.at(-1)?.text).toBe('    … 600 more lines · <CR> shows all');
  });

  it('has nothing in it that could harm', () => {
    const diff = { kind: 'diff', path: nasty, oldText: nasty, newText: nasty } as const;
    const content = [diff, { kind: 'text', text: nasty }, { kind: 'other', label: nasty }] as const;
    const more = { kind: 'terminal', terminalId: nasty } as const;
    const locations = [{ path: nasty, line: 1 }];
    expectHarmless(drawTool({ title: nasty, content: [...content, more], locations }, true));
    expectHarmless(drawTool({ title: nasty, rawOutput: nasty }, true));
  });
});

describe('a thought', () => {
  const draw = (state: ViewContext['state'], isOpen: boolean) => {
    const entry = last(state, 'message');
    return textsOf(thoughtLines(entry, contextOf(state, isOpen ? [entry.id] : [])));
  };

  it('is one line until it is opened', () => {
    const state = aSession(aChunk('hm\nso', 'thought'));
    expect([draw(state, false), draw(state, true)]).toEqual([
      ['▸ thinking for 5 s'],
      ['▾ thinking for 5 s', '    hm', '    so'],
    ]);
  });

  it('says how long it took', () => {
    const state = aSession(aChunk('hm', 'thought'), { kind: 'turn_ended', stopReason: 'end_turn' });
    expect(draw(state, false)).toEqual(['▸ thought for 1.0 s']);
  });
});

describe('a plan', () => {
  it('counts what is done', () => {
    const items = [
      { text: 'find', status: 'done' },
      { text: 'keep\nit', status: 'running' },
      { text: 'test', status: 'pending' },
    ] as const;
    const state = aSession({ kind: 'plan', items });
    expect(textsOf(planLines(last(state, 'plan')))).toEqual([
      'Plan 1/3',
      '  ✓ find',
      '  ● keep it',
      '  ○ test',
    ]);
  });

  it('has nothing in it that could harm', () => {
    const state = aSession({ kind: 'plan', items: [{ text: nasty, status: 'done' }] });
    expectHarmless(planLines(last(state, 'plan')));
  });
});

describe('a notice', () => {
  const draw = (fields: Parameters<typeof aNotice>[0]) =>
    noticeLines(last(aSession(aNotice(fields)), 'notice'));

  it.each([
    ['info', '· '],
    ['warning', '! '],
    ['error', '! '],
  ] as const)('of severity %s begins with %j', (severity, sign) => {
    expect(draw({ severity, title: 'x' })[0]?.text).toBe(`${sign}x`);
  });

  it('has its details and its next step below', () => {
    const lines = draw({ title: 'It exited.\nReally.', detail: ['no key', 'a\nb'], hint: 'Restart it.' });
    expect(textsOf(lines)).toEqual(['· It exited.', '  Really.', '  no key', '  a', '  b', '  Restart it.']);
  });

  it('has nothing in it that could harm', () => {
    expectHarmless(draw({ title: nasty, detail: [nasty], hint: nasty }));
  });

  it('brings no 10 MB to the buffer', () => {
    const lines = draw({ title: 'x'.repeat(5_000_000), detail: ['y\n'.repeat(500_000)] });
    expect(textsOf(lines).join('\n').length).toBeLessThan(20_000);
  });
});

describe('a question', () => {
  const ask = (patch: Partial<ToolPatch>, options = aQuestion().options) =>
    aSession(isReady, aToolCall(patch), { kind: 'question_asked', question: aQuestion({ options }) });

  it('shows the whole of what is asked, and the options in their order', () => {
    const state = ask({ title: 'rm -rf build &&\nnpm run build', toolKind: 'execute' });
    const entry = last(state, 'question');
    expect(textsOf(questionLines(entry, contextOf(state)))).toEqual([
      '? Tester wants to run',
      '    rm -rf build &&',
      '    npm run build',
      '  1 Allow once',
      '  2 Always allow',
      '  3 Reject',
    ]);
    expect(questionPrompt(entry, contextOf(state))).toBe(
      'Tester wants to run: rm -rf build && ⏎ npm run build',
    );
  });

  it('shortens nothing', () => {
    const title = `rm -rf ${'a'.repeat(5_000)} /`;
    const state = ask({ title });
    expect(questionPrompt(last(state, 'question'), contextOf(state))).toContain(title);
  });

  it.each<[string, Partial<ToolPatch>, string[], string]>([
    [
      'the command, when its title is only a name',
      { title: 'Bash', toolKind: 'execute', rawInput: { command: 'rm -rf /' } },
      ['? Tester wants to run', '    Bash', '    rm -rf /'],
      'Tester wants to run: Bash ⏎ rm -rf /',
    ],
    [
      'a command in pieces',
      { title: 'shell', toolKind: 'execute', rawInput: { command: ['rm', '-rf', '/'] } },
      ['? Tester wants to run', '    shell', '    rm -rf /'],
      'Tester wants to run: shell ⏎ rm -rf /',
    ],
    [
      'no argument that says what is usual',
      {
        title: 'Edit a',
        toolKind: 'edit',
        rawInput: { file_path: '/home/me/shop/a', old_string: 'x', new_string: 'y', replace_all: false },
        content: [{ kind: 'diff', path: '/home/me/shop/a', oldText: 'x', newText: 'y' }],
      },
      ['? Tester wants to edit', '    Edit a'],
      'Tester wants to edit: Edit a',
    ],
    [
      'a command only once',
      { title: 'cat /home/me/shop/a', toolKind: 'execute', rawInput: { command: 'cat /home/me/shop/a' } },
      ['? Tester wants to run', '    cat a'],
      'Tester wants to run: cat a',
    ],
    [
      'the file, when its title is only a name',
      { title: 'write', toolKind: 'edit', locations: [{ path: '/etc/passwd', line: undefined }] },
      ['? Tester wants to edit', '    write', '    /etc/passwd'],
      'Tester wants to edit: write ⏎ /etc/passwd',
    ],
    [
      'a file whose name is a part of the title by chance',
      { title: 'Write it', toolKind: 'edit', locations: [{ path: '/home/me/shop/rite', line: undefined }] },
      ['? Tester wants to edit', '    Write it', '    rite'],
      'Tester wants to edit: Write it ⏎ rite',
    ],
    [
      'a command that the title has a part of',
      { title: 'false', toolKind: 'execute', rawInput: { command: 'ls' } },
      ['? Tester wants to run', '    false', '    ls'],
      'Tester wants to run: false ⏎ ls',
    ],
    [
      'what the agent says about it',
      { title: 'AskUser', content: [{ kind: 'text', text: 'Which colour?\n' }] },
      ['? Tester asks', '    AskUser', '    Which colour?'],
      'Tester asks: AskUser ⏎ Which colour?',
    ],
    [
      'a remark in the chat, when the title tells enough',
      {
        title: 'rm -rf build',
        toolKind: 'execute',
        content: [{ kind: 'text', text: '(cleans up)' }],
        locations: [{ path: '/home/me/shop', line: undefined }],
      },
      ['? Tester wants to run', '    rm -rf build', '    (cleans up)'],
      'Tester wants to run: rm -rf build',
    ],
    [
      'a plan in the chat, where there is room for it',
      { title: 'Approve Plan', toolKind: 'switch_mode', content: [{ kind: 'text', text: '# Plan\n1. Go' }] },
      ['? Tester wants to switch modes', '    Approve Plan', '    # Plan', '    1. Go'],
      'Tester wants to switch modes: Approve Plan',
    ],
    [
      'a title without marks of markdown',
      { title: 'Edit `a.ts`', toolKind: 'edit' },
      ['? Tester wants to edit', '    Edit a.ts'],
      'Tester wants to edit: Edit a.ts',
    ],
    [
      'no word twice',
      { title: 'edit', toolKind: 'edit', locations: [{ path: '/home/me/shop/a.ts', line: undefined }] },
      ['? Tester wants to edit', '    a.ts'],
      'Tester wants to edit: a.ts',
    ],
    [
      'all of a command whose title is cut',
      {
        title: 'run_commands: echo aaa...',
        toolKind: 'execute',
        rawInput: { commands: ['echo aaaaaa && rm -rf ./x'] },
      },
      ['? Tester wants to run', '    echo aaaaaa && rm -rf ./x'],
      'Tester wants to run: echo aaaaaa && rm -rf ./x',
    ],
    [
      'each of several commands',
      { title: 'shell', toolKind: 'execute', rawInput: { commands: ['make', { command: 'make test' }] } },
      ['? Tester wants to run', '    shell', '    make', '    make test'],
      'Tester wants to run: shell ⏎ make ⏎ make test',
    ],
    [
      'arguments in one text',
      { title: 'git', toolKind: 'execute', rawInput: { command: 'git', args: 'push --force' } },
      ['? Tester wants to run', '    git', '    args: push --force'],
      'Tester wants to run: git ⏎ args: push --force',
    ],
    [
      'the folder of one of several commands',
      { title: 'shell', toolKind: 'execute', rawInput: { commands: [{ command: 'ls', cwd: '/etc' }] } },
      [
        '? Tester wants to run',
        '    shell',
        '    ls',
        '    commands:',
        '      - command: ls',
        '        cwd: /etc',
      ],
      'Tester wants to run: shell ⏎ ls ⏎ commands: ⏎   - command: ls ⏎     cwd: /etc',
    ],
    [
      'a folder whose name is part of the command',
      { title: './build', toolKind: 'execute', rawInput: { command: './build', cwd: 'b' } },
      ['? Tester wants to run', '    ./build', '    cwd: b'],
      'Tester wants to run: ./build ⏎ cwd: b',
    ],
    [
      'the folder of the session where nothing comes behind it',
      { title: 'rm -rf /home/me/shop/ /home/me/shop/* /home/me/shop/a', toolKind: 'execute' },
      ['? Tester wants to run', '    rm -rf /home/me/shop/ /home/me/shop/* a'],
      'Tester wants to run: rm -rf /home/me/shop/ /home/me/shop/* a',
    ],
    [
      'a carriage return in the middle of a word',
      { title: './run\rx', toolKind: 'execute' },
      ['? Tester wants to run', '    ./run␍x'],
      'Tester wants to run: ./run␍x',
    ],
    [
      'a line behind a shell once',
      { title: 'touch x', toolKind: 'execute', rawInput: { command: ['/bin/bash', '-lc', 'touch x'] } },
      ['? Tester wants to run', '    touch x'],
      'Tester wants to run: touch x',
    ],
    [
      'words that need quotes with them',
      { title: 'shell', toolKind: 'execute', rawInput: { argv: ['git', 'commit', '-m', 'a b'] } },
      ['? Tester wants to run', '    shell', "    git commit -m 'a b'"],
      "Tester wants to run: shell ⏎ git commit -m 'a b'",
    ],
    [
      'where a command runs, and what else is among its arguments',
      {
        title: 'ls',
        toolKind: 'execute',
        rawInput: { command: 'ls', cwd: '/etc', env: { PATH: '/evil' }, description: 'Lists', none: '' },
      },
      [
        '? Tester wants to run',
        '    ls',
        '    cwd: /etc',
        '    env:',
        '      PATH: /evil',
        '    description: Lists',
      ],
      'Tester wants to run: ls ⏎ cwd: /etc ⏎ env: ⏎   PATH: /evil',
    ],
    [
      'the file of a change that only the arguments tell',
      {
        title: 'editor: {"path":"src/util.py","old_text":"re...',
        toolKind: 'edit',
        rawInput: { path: 'src/util.py', old_text: 'return 1', new_text: 'return 2', all: true },
      },
      ['? Tester wants to edit', '    src/util.py', '    all: true'],
      'Tester wants to edit: src/util.py ⏎ all: true',
    ],
    [
      'the arguments when nothing else is known, line by line',
      { title: 'mcp tool', rawInput: { title: 'Hello', body: 'one\ntwo\n', tags: ['a', 'b'], none: null } },
      [
        '? Tester asks',
        '    mcp tool',
        '    title: Hello',
        '    body:',
        '      one',
        '      two',
        '    tags:',
        '      - a',
        '      - b',
      ],
      'Tester asks: mcp tool ⏎ 7 more lines in the chat',
    ],
  ])('shows %s', (_, patch, lines, prompt) => {
    const state = ask(patch, []);
    const entry = last(state, 'question');
    expect(textsOf(questionLines(entry, contextOf(state)))).toEqual(lines);
    expect(questionPrompt(entry, contextOf(state))).toBe(prompt);
  });

  it('folds long arguments, and opens them whole', () => {
    const body = Array.from({ length: 3_000 }, (_, index) => `line ${index}`).join('\n');
    const state = ask({ title: 'tool', rawInput: { body, long: 'x'.repeat(5_000) } }, []);
    const entry = last(state, 'question');
    const folded = textsOf(questionLines(entry, contextOf(state)));
    expect(folded.length).toBeLessThan(50);
    expect(folded.at(-1)).toBe('    … 2962 more lines: za shows them');
    const open = textsOf(questionLines(entry, contextOf(state, [entry.id])));
    expect(open).toContain('      line 2999');
    expect(open.join('').match(/x/g)).toHaveLength(5_000);
  });

  it('is one line when it is settled', () => {
    const state = ask({ title: 'ls', toolKind: 'execute' });
    const entry = last(state, 'question');
    entry.answer = 'Allow once';
    expect(textsOf(questionLines(entry, contextOf(state)))).toEqual(['· asked to run  Allow once']);
  });

  it('knows what it is about after the agent was started again', () => {
    const state = ask({ title: 'ls', toolKind: 'execute' });
    const entry = last(state, 'question');
    state.tools.clear();
    expect(questionPrompt(entry, contextOf(state))).toBe('Tester wants to run: ls');
  });

  it('has nothing in it that could harm', () => {
    const patch: Partial<ToolPatch> = {
      title: nasty,
      rawInput: { command: nasty },
      locations: [{ path: nasty, line: undefined }],
      content: [{ kind: 'text', text: nasty }],
    };
    const state = ask(patch, [{ id: 'a', name: nasty, kind: 'allow_once' }]);
    const entry = last(state, 'question');
    expectHarmless(questionLines(entry, contextOf(state)));
    expectHarmless([{ text: questionPrompt(entry, contextOf(state)) }]);
    entry.answer = nasty;
    expectHarmless(questionLines(entry, contextOf(state)));
  });
});
