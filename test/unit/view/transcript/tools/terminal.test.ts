import { describe, expect, it } from 'vitest';
import type { TerminalState, ToolEntry } from '../../../../../src/model/entries.ts';
import { outputForPrompt, terminalsPicker } from '../../../../../src/view/pickers/terminals.ts';
import { exitPiece, outputLines, terminalsOf } from '../../../../../src/view/transcript/tools/terminal.ts';

function aTerminal(fields: Partial<TerminalState> = {}): TerminalState {
  return { terminalId: 't1', command: 'npm test', cwd: '/work', text: '', exit: undefined, ...fields };
}

const texts = (terminal: TerminalState, title = 'npm test', most = 6) =>
  outputLines(terminal, title, most).map(({ text }) => text);

describe('the output of a command', () => {
  it.each<[string, string, readonly string[]]>([
    ['nothing', '', []],
    ['one line', 'one', ['    one']],
    ['blank lines at the end are dropped', 'one\n\n  \n', ['    one']],
    [
      'the last lines',
      '1\n2\n3\n4\n5\n6\n7\n8\n',
      ['3', '4', '5', '6', '7', '8'].map((line) => `    ${line}`),
    ],
  ])('%s', (_, text, expected) => expect(texts(aTerminal({ text }))).toEqual(expected));

  it.each([
    ['npm test', []],
    ['Run `npm test` in /work', []],
    ['Run the tests', ['    $ npm test']],
  ])('has the command above it unless the title does: %s', (title, expected) =>
    expect(texts(aTerminal(), title)).toEqual(expected),
  );

  it('says how many lines are hidden', () => {
    const text = Array.from({ length: 500 }, (_, index) => `${index + 1}\n`).join('');
    const lines = texts(aTerminal({ text }), 'npm test', 200);
    expect([lines[0], lines[1], lines.at(-1), lines.length]).toEqual([
      '    … 300 earlier lines · <CR> shows all',
      '    301',
      '    500',
      201,
    ]);
  });

  it.each([
    [{ code: 0, signal: undefined }, [' exit 0', 'AcpMuted']],
    [{ code: 2, signal: undefined }, [' exit 2', 'AcpFailed']],
    [{ code: undefined, signal: 'SIGKILL' }, [' SIGKILL', 'AcpFailed']],
    [{ code: undefined, signal: undefined }, undefined],
  ])('shows the exit status %j', (exit, expected) => expect(exitPiece(exit)).toEqual(expected));
});

describe('the terminals of a tool call', () => {
  const call = (fields: Partial<ToolEntry>) =>
    ({
      content: [],
      terminals: [],
      toolCallId: 'c1',
      title: 'x',
      status: 'done',
      ...fields,
    }) as unknown as ToolEntry;
  const text = (words: string) => ({ kind: 'text', text: words }) as const;
  const execute = 'execute' as const;
  const asked = { toolKind: execute, status: 'running', askedContent: [text('May I?')] } as const;
  const named = (terminalId: string) => [{ kind: 'terminal', terminalId }] as const;
  const told = { terminalId: 't1', text: 'told', exit: undefined };
  const ours = new Map([['t1', aTerminal({ text: 'ours' })]]);
  const found = (fields: Partial<ToolEntry>, known: ReadonlyMap<string, TerminalState> = new Map()) =>
    terminalsOf(call(fields), known).map(({ text }) => text);

  it.each<[string, readonly string[], readonly string[]]>([
    ['a terminal of the plugin', found({ content: named('t1') }, ours), ['ours']],
    ['a terminal of the agent', found({ content: named('t1'), terminals: [told] }), ['told']],
    [
      'the terminal of the plugin rather than the output of the agent',
      found({ content: named('t1'), terminals: [told] }, ours),
      ['ours'],
    ],
    ['a terminal that the content does not name', found({ terminals: [told] }), ['told']],
    ['no unknown terminal', found({ content: named('t9') }, ours), []],
    ['no terminal if there is none', found({}, ours), []],
    ['the text of a command', found({ toolKind: execute, content: [text('out')] }), ['out']],
    ['no text of another call', found({ toolKind: 'read', content: [text('out')] }), []],
    [
      'no text of a command that has not begun',
      found({ toolKind: execute, status: 'pending', content: [text('out')] }),
      [],
    ],
    [
      'no arguments of a command that runs',
      found({
        toolKind: execute,
        status: 'running',
        rawInput: { command: 'ls' },
        content: [text('{"command":"ls"}')],
      }),
      [],
    ],
    ['no text that a question was asked with', found({ ...asked, content: asked.askedContent }), []],
    ['text after a question', found({ ...asked, content: [text('out')] }), ['out']],
    [
      'the whole output if only a part was streamed',
      found({
        toolKind: execute,
        terminals: [told],
        rawOutput: { aggregated_output: 'first\ntold', exit_code: 0 },
      }),
      ['first\ntold'],
    ],
    [
      'the terminal of the plugin despite other output',
      found({ toolKind: execute, content: named('t1'), rawOutput: { output: 'longer than ours' } }, ours),
      ['ours'],
    ],
  ])('include %s', (_, terminals, expected) => expect(terminals).toEqual(expected));
});

describe('the terminal picker', () => {
  it('shows the state of each command', () => {
    const items = [
      { id: 'a', line: 'npm\ntest', startedAt: 1_000, exit: undefined },
      { id: 'b', line: 'ls', startedAt: 0, exit: { code: 0, signal: undefined } },
      { id: 'c', line: 'x', startedAt: 0, exit: { code: undefined, signal: 'SIGINT' } },
    ];
    expect(terminalsPicker(items, 'open', 13_000)).toEqual({
      prompt: 'Terminals',
      kind: 'acp.terminal',
      items: [
        { label: '● npm test · running for 12 s', op: 'terminal.show', payload: { terminal: 'a' } },
        { label: '✓ ls · exit 0', op: 'terminal.show', payload: { terminal: 'b' } },
        { label: '✗ x · killed by SIGINT', op: 'terminal.show', payload: { terminal: 'c' } },
      ],
    });
    expect(terminalsPicker(items, 'kill', 0).items[0]).toMatchObject({ op: 'terminal.kill' });
  });
});

describe('the output of a user command in a prompt', () => {
  const good = { code: 0, signal: undefined };

  it('is a code block below the command', () => {
    expect(outputForPrompt('ls', 'a\nb\n', good)).toBe('`ls` (exit 0):\n```\na\nb\n```');
  });

  it('has a fence longer than any in the output', () => {
    expect(outputForPrompt('cat', '```\nx\n```\n', good)).toBe('`cat` (exit 0):\n````\n```\nx\n```\n````');
  });

  it('is truncated at the start if it is long', () => {
    const lines = outputForPrompt(
      'seq 500',
      Array.from({ length: 500 }, (_, at) => `${at + 1}\n`).join(''),
      good,
    ).split('\n');
    expect(lines.slice(2, 4)).toEqual(['… 300 earlier lines', '301']);
    expect(lines.at(-2)).toBe('500');
  });
});
