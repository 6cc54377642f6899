import { describe, expect, it } from 'vitest';
import type { ToolPatch } from '../../../../src/model/session-events.ts';
import { reduce } from '../../../../src/session/reducer/reducer.ts';
import { isWholeInChat, questionLines, questionPrompt } from '../../../../src/view/transcript/question.ts';
import { aQuestion, aSession, aToolCall, isReady } from '../../../support/builders.ts';
import { contextOf, expectHarmless, hostileText, lastEntry, textsOf } from '../../../support/entry-lines.ts';

describe('a question', () => {
  const ask = (patch: Partial<ToolPatch>, options = aQuestion().options) =>
    aSession(isReady, aToolCall(patch), { kind: 'question_asked', question: aQuestion({ options }) });

  it('shows everything that is asked, and the options in order', () => {
    const state = ask({ title: 'rm -rf build &&\nnpm run build', toolKind: 'execute' });
    const entry = lastEntry(state, 'question');
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

  it('has no line break in its prompt that the agent has written', () => {
    const state = ask({ title: 'ls ⏎ in /safe', toolKind: 'execute' });
    expect(questionPrompt(lastEntry(state, 'question'), contextOf(state))).toBe(
      'Tester wants to run: ls \ufffd in /safe',
    );
  });

  it('truncates nothing', () => {
    const title = `rm -rf ${'a'.repeat(5_000)} /`;
    const state = ask({ title });
    expect(questionPrompt(lastEntry(state, 'question'), contextOf(state))).toContain(title);
  });

  it.each([
    ['one line', 'x '.repeat(250_000), /^ {4}… 231 more lines: :AcpAnswer shows them$/],
    ['many lines', 'ls\n'.repeat(50_000), /^ {4}… 49602 more lines: :AcpAnswer shows them$/],
    ['emoji', '😀'.repeat(50_000), /^ {4}… 31 more lines: :AcpAnswer shows them$/],
  ])('shows the beginning of a huge command in the chat, and says so: %s', (_, command, rest) => {
    const state = ask({ title: 'Bash', toolKind: 'execute', rawInput: { command } });
    const entry = lastEntry(state, 'question');
    const lines = textsOf(questionLines(entry, contextOf(state)));
    expect(lines.join('').length).toBeLessThan(50_000);
    expect(lines.at(-4)).toMatch(rest);
    expect(lines.every((line) => line.isWellFormed())).toBe(true);
    expect(isWholeInChat(entry, contextOf(state))).toBe(false);
  });

  it('shows a long command whole in the chat', () => {
    const state = ask({ title: 'Bash', toolKind: 'execute', rawInput: { command: 'x '.repeat(15_000) } });
    const entry = lastEntry(state, 'question');
    expect(isWholeInChat(entry, contextOf(state))).toBe(true);
    expect(textsOf(questionLines(entry, contextOf(state))).join('')).toContain('x '.repeat(900));
  });

  it('is short after its answer, whatever its title was', () => {
    const state = ask({ title: `e${'\u0301'.repeat(100_000)}`, toolKind: 'execute' });
    const entry = lastEntry(state, 'question');
    entry.answer = 'Allow once';
    const lines = textsOf(questionLines(entry, contextOf(state)));
    expect(lines.join('').length).toBeLessThan(3_000);
  });

  it.each<[string, Partial<ToolPatch>, string[], string]>([
    [
      'the command if the title is only a name',
      { title: 'Bash', toolKind: 'execute', rawInput: { command: 'rm -rf /' } },
      ['? Tester wants to run', '    Bash', '    rm -rf /'],
      'Tester wants to run: Bash ⏎ rm -rf /',
    ],
    [
      'the file instead of a title that only says that there is one',
      { title: 'Edit file', toolKind: 'edit', locations: [{ path: '/home/me/shop/a.ts', line: undefined }] },
      ['? Tester wants to edit', '    a.ts'],
      'Tester wants to edit: a.ts',
    ],
    [
      'the command instead of a title that is a part of it',
      { title: 'touch x', toolKind: 'execute', rawInput: { command: ['env', 'A=1', 'touch', 'x'] } },
      ['? Tester wants to run', '    env A=1 touch x'],
      'Tester wants to run: env A=1 touch x',
    ],
    [
      'no text that only repeats the command',
      {
        title: 'Bash',
        toolKind: 'execute',
        rawInput: { command: 'echo x' },
        content: [{ kind: 'text', text: 'Requesting approval to run: echo x' }],
      },
      ['? Tester wants to run', '    Bash', '    echo x'],
      'Tester wants to run: Bash ⏎ echo x',
    ],
    [
      'a command in pieces',
      { title: 'shell', toolKind: 'execute', rawInput: { command: ['rm', '-rf', '/'] } },
      ['? Tester wants to run', '    shell', '    rm -rf /'],
      'Tester wants to run: shell ⏎ rm -rf /',
    ],
    [
      'no argument with its default value',
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
      'an argument that changes the command, also if the title has its value by chance',
      {
        title: 'git show',
        toolKind: 'execute',
        rawInput: { command: 'git show', shell: 'sh', script: 'git' },
      },
      ['? Tester wants to run', '    git show', '    shell: sh', '    script: git'],
      'Tester wants to run: git show ⏎ shell: sh ⏎ script: git',
    ],
    [
      'an argument that has no place in a thought',
      {
        title: 'Think',
        toolKind: 'think',
        content: [{ kind: 'text', text: 'Hm.' }],
        rawInput: { prompt: 'Hm.', target: 'a' },
      },
      ['? Tester wants to think', '    Think', '    Hm.', '    target: a'],
      'Tester wants to think: Think ⏎ Hm. ⏎ target: a',
    ],
    [
      'a command only once',
      { title: 'cat /home/me/shop/a', toolKind: 'execute', rawInput: { command: 'cat /home/me/shop/a' } },
      ['? Tester wants to run', '    cat a'],
      'Tester wants to run: cat a',
    ],
    [
      'the file if the title is only a name',
      { title: 'write', toolKind: 'edit', locations: [{ path: '/etc/passwd', line: undefined }] },
      [
        '? Tester wants to edit',
        '    /etc/passwd',
        '  ! /etc/passwd is outside of the folders of this session',
      ],
      'Tester wants to edit: /etc/passwd',
    ],
    [
      'a file whose name is a part of the title by chance',
      { title: 'Write it', toolKind: 'edit', locations: [{ path: '/home/me/shop/rite', line: undefined }] },
      ['? Tester wants to edit', '    Write it', '    rite'],
      'Tester wants to edit: Write it ⏎ rite',
    ],
    [
      'a command of which the title has a part',
      { title: 'false', toolKind: 'execute', rawInput: { command: 'ls' } },
      ['? Tester wants to run', '    false', '    ls'],
      'Tester wants to run: false ⏎ ls',
    ],
    [
      'the explanation of the agent',
      { title: 'AskUser', content: [{ kind: 'text', text: 'Which colour?\n' }] },
      ['? Tester asks', '    AskUser', '    Which colour?'],
      'Tester asks: AskUser ⏎ Which colour?',
    ],
    [
      'a remark only in the chat if the title is clear',
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
      'no plan, which stands in the call above it',
      { title: 'Approve Plan', toolKind: 'switch_mode', content: [{ kind: 'text', text: '# Plan\n1. Go' }] },
      ['? Tester wants to switch modes', '    Approve Plan'],
      'Tester wants to switch modes: Approve Plan',
    ],
    [
      'a title without markdown',
      { title: 'Edit `a.ts`', toolKind: 'edit' },
      ['? Tester wants to edit', '    Edit a.ts'],
      'Tester wants to edit: Edit a.ts',
    ],
    [
      'nothing twice',
      { title: 'edit', toolKind: 'edit', locations: [{ path: '/home/me/shop/a.ts', line: undefined }] },
      ['? Tester wants to edit', '    a.ts'],
      'Tester wants to edit: a.ts',
    ],
    [
      'the whole command if the title is truncated',
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
      'a command in the folder of the session, with ids and lists that say nothing',
      {
        title: 'make',
        toolKind: 'execute',
        rawInput: {
          ...{ command: 'make', commands: ['make'], cwd: '/home/me/shop/', call_id: 'c', started_at_ms: 5 },
          ...{ available_decisions: ['yes'], parsed_cmd: [{ cmd: 'x' }], reason: 'To build' },
        },
      },
      ['? Tester wants to run', '    make', '    reason: To build'],
      'Tester wants to run: make',
    ],
    [
      'a command with a list of others, and a folder below',
      {
        title: 'make',
        toolKind: 'execute',
        rawInput: { command: 'make', commands: ['make', 'rm x'], workdir: 'sub' },
      },
      ['? Tester wants to run', '    make', '    rm x', '    workdir: sub'],
      'Tester wants to run: make ⏎ rm x ⏎ workdir: sub',
    ],
    [
      'ids of a tool that is known by its name alone',
      { title: 'Look it up', toolKind: 'other', rawInput: { call_id: 'x7', started_at: 'noon' } },
      ['? Tester asks', '    Look it up', '    call_id: x7', '    started_at: noon'],
      'Tester asks: Look it up ⏎ call_id: x7 ⏎ started_at: noon',
    ],
    [
      'a folder whose name also occurs in the command',
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
      'a shell line once',
      { title: 'touch x', toolKind: 'execute', rawInput: { command: ['/bin/bash', '-lc', 'touch x'] } },
      ['? Tester wants to run', '    touch x'],
      'Tester wants to run: touch x',
    ],
    [
      'quoted words',
      { title: 'shell', toolKind: 'execute', rawInput: { argv: ['git', 'commit', '-m', 'a b'] } },
      ['? Tester wants to run', '    shell', "    git commit -m 'a b'"],
      "Tester wants to run: shell ⏎ git commit -m 'a b'",
    ],
    [
      'the folder of a command and its other arguments',
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
        '  ! /etc is outside of the folders of this session',
      ],
      'Tester wants to run: ls ⏎ cwd: /etc ⏎ env: ⏎   PATH: /evil',
    ],
    [
      'the file of a diff in the arguments',
      {
        title: 'editor: {"path":"src/util.py","old_text":"re...',
        toolKind: 'edit',
        rawInput: { path: 'src/util.py', old_text: 'return 1', new_text: 'return 2', all: true },
      },
      ['? Tester wants to edit', '    src/util.py', '    all: true'],
      'Tester wants to edit: src/util.py ⏎ all: true',
    ],
    [
      'that a patch changes nothing',
      {
        title: 'edit',
        toolKind: 'edit',
        rawInput: {
          filepath: '/home/me/shop/a.ts',
          diff: 'Index: /home/me/shop/a.ts\n=====\n--- /home/me/shop/a.ts\tbefore\n+++ /home/me/shop/a.ts\tafter\n',
        },
      },
      ['? Tester wants to edit', '    edit', '    filepath: /home/me/shop/a.ts', '    no change'],
      'Tester wants to edit: edit ⏎ filepath: /home/me/shop/a.ts ⏎ no change',
    ],
    [
      'a patch that only gives a file another name',
      { title: 'edit', toolKind: 'edit', rawInput: { diff: '--- a/one.ts\n+++ b/two.ts\n' } },
      ['? Tester wants to edit', '    edit', '    diff:', '      --- a/one.ts', '      +++ b/two.ts'],
      'Tester wants to edit: edit ⏎ diff: ⏎   --- a/one.ts ⏎   +++ b/two.ts',
    ],
    [
      'the arguments line by line if there is nothing else',
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
  ])('shows: %s', (_, patch, lines, prompt) => {
    const state = ask(patch, []);
    const entry = lastEntry(state, 'question');
    // The last line is the only choice: to stop the turn.
    expect(textsOf(questionLines(entry, contextOf(state))).slice(0, -1)).toEqual(lines);
    expect(questionPrompt(entry, contextOf(state))).toBe(prompt);
  });

  it('has no line that Neovim would draw slowly', () => {
    const command = 'ls; '.repeat(100_000);
    const state = ask({ title: 't', toolKind: 'execute', rawInput: { command } }, []);
    const lines = textsOf(questionLines(lastEntry(state, 'question'), contextOf(state)));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(2_100);
    expect(lines.map((line) => line.slice(4)).join('')).toContain(command.slice(0, 30_000));
  });

  it('folds long arguments until it is opened', () => {
    const body = Array.from({ length: 3_000 }, (_, index) => `line ${index}`).join('\n');
    const state = ask({ title: 'tool', rawInput: { body, long: 'x'.repeat(5_000) } }, []);
    const entry = lastEntry(state, 'question');
    const folded = textsOf(questionLines(entry, contextOf(state)));
    expect(folded.length).toBeLessThan(50);
    expect(folded.at(-2)).toBe('    … 2962 more lines: za shows them');
    const open = textsOf(questionLines(entry, contextOf(state, [entry.id])));
    expect(open).toContain('      line 2999');
    expect(open.join('').match(/x/g)).toHaveLength(5_000);
  });

  it('is one line once it is settled', () => {
    const state = ask({ title: 'ls', toolKind: 'execute' });
    const entry = lastEntry(state, 'question');
    entry.answer = 'Allow once';
    expect(textsOf(questionLines(entry, contextOf(state)))).toEqual(['· asked to run: ls  Allow once']);
  });

  it('names what was asked about, although the agent changes the title later', () => {
    const state = ask({ title: 'Approve the plan', toolKind: 'execute' });
    const entry = lastEntry(state, 'question');
    reduce(state, { kind: 'question_settled', questionId: entry.question.id, answer: 'Yes' }, 0);
    const { toolCallId } = entry.tool!;
    reduce(state, { kind: 'tool', patch: { toolCallId, title: 'Left plan mode', toolKind: 'other' } }, 0);
    expect(textsOf(questionLines(entry, contextOf(state)))).toEqual([
      '· asked to run: Approve the plan  Yes',
    ]);
  });

  it('fits into one row of the window once it is settled', () => {
    const state = ask({ title: 'npm test -- login', toolKind: 'execute' });
    const entry = lastEntry(state, 'question');
    entry.answer = 'Allow once';
    const shown = [40, 34, 28].map(
      (width) => questionLines(entry, { ...contextOf(state), width })[0]?.text ?? '',
    );
    expect(shown).toEqual([
      '· asked to run: npm test --…  Allow once',
      '· asked to run  Allow once',
      '· asked to run  Allow once',
    ]);
  });

  it('names a short subject in little room once it is settled', () => {
    const state = ask({ title: 'a.txt', toolKind: 'edit' });
    const entry = lastEntry(state, 'question');
    entry.answer = 'Keep mine';
    const [line] = questionLines(entry, { ...contextOf(state), width: 34 });
    expect(line?.text).toBe('· asked to edit: a.txt  Keep mine');
  });

  it('keeps its tool call after a restart of the agent', () => {
    const state = ask({ title: 'ls', toolKind: 'execute' });
    const entry = lastEntry(state, 'question');
    state.tools.clear();
    expect(questionPrompt(entry, contextOf(state))).toBe('Tester wants to run: ls');
  });

  it('is sanitised', () => {
    const patch: Partial<ToolPatch> = {
      title: hostileText,
      rawInput: { command: hostileText },
      locations: [{ path: hostileText, line: undefined }],
      content: [{ kind: 'text', text: hostileText }],
    };
    const state = ask(patch, [{ id: 'a', name: hostileText, kind: 'allow_once' }]);
    const entry = lastEntry(state, 'question');
    expectHarmless(questionLines(entry, contextOf(state)));
    expectHarmless([{ text: questionPrompt(entry, contextOf(state)) }]);
    entry.answer = hostileText;
    expectHarmless(questionLines(entry, contextOf(state)));
  });
});
