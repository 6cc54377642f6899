import { describe, expect, it } from 'vitest';
import { eventFrom } from '../../../../src/acp/normalise.ts';
import { meantBy, quirksOf } from '../../../../src/acp/quirks.ts';
import type { SessionState } from '../../../../src/session/model.ts';
import { reduce } from '../../../../src/session/reducer.ts';
import { ChatView } from '../../../../src/view/chat.ts';
import { call, chunk, more, text, told } from './told.ts';

const run = { title: 'make', kind: 'execute', rawInput: { command: 'make' } };
const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

function pictureOf(state: SessionState): string {
  const view = new ChatView(state, { chat: 1, cwd: '/', home: '/' });
  view.reset();
  return JSON.stringify(view.frame(0));
}

/** What stands at the right edge too. */
function figures(...updates: readonly unknown[]): string {
  const { state } = told(...updates);
  return pictureOf(state);
}

describe('what a command writes', () => {
  it.each<[string, object]>([
    ['text that is sent whole each time', { content: [text('one\ntwo\n')] }],
    ['text in a code block', { content: [text('```console\none\ntwo\n```')] }],
    ['text in a code block that is still open', { content: [text('```sh\none\ntwo\n')] }],
    ['raw text', { rawOutput: 'one\ntwo\n' }],
    [
      'a field of the raw output',
      { rawOutput: { output: 'one\ntwo', metadata: { output: 'one', exit: null } } },
    ],
    ['the standard streams', { rawOutput: { stdout: 'one', stderr: 'two', aggregated_output: '' } }],
    ['a list of contents', { rawOutput: { contents: [{ type: 'terminal', text: 'one\ntwo' }] } }],
    ['a list of results', { rawOutput: [{ query: 'make', result: 'one\ntwo', success: true }] }],
    ['metadata', { rawOutput: { metadata: { output: 'one\ntwo' } } }],
  ])('is seen while it runs when it comes as %s', (_, fields) => {
    expect(told(call(run), more({ status: 'in_progress', ...fields })).lines).toEqual([
      '● run     make',
      '    one',
      '    two',
    ]);
  });

  it('is seen to its end: the last lines, and the way to all of it', () => {
    const { lines, opened } = told(call(run), more({ status: 'completed', content: [text(numbers(2_000))] }));
    expect(lines.slice(1)).toEqual(
      ['1995', '1996', '1997', '1998', '1999', '2000'].map((n) => `    line ${n}`),
    );
    expect(opened.slice(1, 3)).toEqual(['    … 1800 lines before · <CR> shows all', '    line 1801']);
    expect(opened.at(-1)).toBe('    line 2000');
  });

  it('is all that the end tells, when only a part was told before', () => {
    const meta = (fields: object) => ({ _meta: fields });
    const { lines } = told(
      call({ ...run, content: [{ type: 'terminal', terminalId: 'c1' }] }),
      more(meta({ terminal_output: { terminal_id: 'c1', data: 'two\n' } })),
      more({
        status: 'completed',
        rawOutput: { formatted_output: 'one\ntwo\n', aggregated_output: 'one\ntwo\n', exit_code: 0 },
        ...meta({ terminal_exit: { terminal_id: 'c1', exit_code: 0, signal: null } }),
      }),
    );
    expect(lines).toEqual(['✓ run     make', '    one', '    two']);
  });

  it('is not what the agent says that it will run', () => {
    const { lines } = told(call(run), more({ status: 'in_progress', content: [text('make')] }));
    expect(lines).toEqual(['● run     make']);
  });
});

describe('a command that failed', () => {
  it.each<[string, object]>([
    ['exit_code', { rawOutput: { stdout: '', exit_code: 3 } }],
    ['exitCode', { rawOutput: { exitCode: 3 } }],
    ['exit', { rawOutput: { exit: 3 } }],
    ['metadata.exit', { rawOutput: { output: '', metadata: { exit: 3 } } }],
    ['contents[].exitCode', { rawOutput: { contents: [{ type: 'terminal', text: '', exitCode: 3 }] } }],
    [
      '_meta.terminal_exit',
      {
        _meta: {
          terminal_output: { terminal_id: 'c1', data: '' },
          terminal_exit: { terminal_id: 'c1', exit_code: 3 },
        },
      },
    ],
  ])('is marked as such with its code, from %s', (_, fields) => {
    const updates = [call(run), more({ status: 'completed', ...fields })];
    expect(told(...updates).lines).toEqual(['✗ run     make']);
    expect(figures(...updates)).toContain('exit 3');
  });

  it('is marked as such when only that is told', () => {
    const rawOutput = [{ query: 'make', result: 'no rule', success: false }];
    const { lines } = told(call(run), more({ status: 'completed', rawOutput }));
    expect(lines).toEqual(['✗ run     make', '    no rule']);
  });

  it('stays done when the code is 0', () => {
    const { lines } = told(call(run), more({ status: 'completed', rawOutput: { metadata: { exit: 0 } } }));
    expect(lines).toEqual(['✓ run     make']);
  });
});

describe('a call that failed says why', () => {
  it.each<[string, object]>([
    ['text', { content: [text('no such file\nat line 3')] }],
    ['a code block', { content: [text('```\nno such file\n```')] }],
    ['raw text', { rawOutput: 'no such file' }],
    ['an error', { rawOutput: { error: 'no such file' } }],
    ['an error with a message', { rawOutput: { error: { message: 'no such file' } } }],
    ['a message', { rawOutput: { message: 'no such file' } }],
  ])('in its first line, from %s', (_, fields) => {
    const { lines } = told(call({ title: 'a.ts', kind: 'read' }), more({ status: 'failed', ...fields }));
    expect(lines).toEqual(['✗ read    a.ts', '    no such file']);
  });

  it('and shows it once when it is opened', () => {
    const { opened } = told(call({ title: 'a.ts', kind: 'read', status: 'failed', content: [text('gone')] }));
    expect(opened).toEqual(['✗ read    a.ts', '    gone']);
  });
});

describe('a call whose end the agent never reported', () => {
  const end = { kind: 'turn_ended', stopReason: 'end_turn' } as const;

  it('is told apart from one that was stopped', () => {
    const { state } = told(call({ ...run, status: 'in_progress', content: [text('last line')] }));
    reduce(state, end, 9_000);
    expect(pictureOf(state)).toMatch(/· run {5}make.*end not reported/);
  });

  it('is done when the report comes late', () => {
    const { state, tool } = told(call({ ...run, status: 'in_progress' }));
    reduce(state, end, 9_000);
    reduce(state, eventFrom(more({ status: 'completed' })), 12_000);
    expect(tool).toMatchObject({ status: 'done', endedAt: 12_000 });
  });
});

describe('messages', () => {
  it.each<[string, readonly object[]]>([
    [
      'marked as discrete',
      [chunk('Done.'), chunk('Agent completed.', { _meta: { qwenDiscreteMessage: true } })],
    ],
    [
      'divided by an empty chunk of usage',
      [chunk('Done.'), chunk('', { _meta: { usage: { tokens: 1 } } }), chunk('Agent completed.')],
    ],
  ])('%s do not run into each other', (_, updates) => {
    expect(told(...updates).lines).toEqual(['Done.', '', 'Agent completed.']);
  });
});

describe('what a program says between the answers of its model', () => {
  it.each([
    ['@github/copilot', 'Info: Request failed. Retrying...', true],
    ['@github/copilot', 'Information is scarce.', undefined],
    ['pi-acp', 'Retrying (attempt 1/3, waiting 2s)...', true],
    ['tester', 'Info: it is an answer', undefined],
  ])('is a message of its own: %s, %s', (program, words, isWhole) => {
    const event = meantBy(eventFrom(chunk(words)), quirksOf(program));
    expect(event).toEqual({ kind: 'chunk', role: 'agent', text: words, ...(isWhole && { isWhole }) });
  });
});

describe('a todo list of a tool is the plan', () => {
  const todos = [
    { content: 'Look at it', status: 'completed', priority: 'high' },
    { content: 'Change it', status: 'in_progress', priority: 'low' },
    { content: 'Forget it', status: 'cancelled', priority: 'low' },
  ];
  const expected = ['Plan 1/2', '  ✓ Look at it', '  ● Change it'];

  it.each<[string, object]>([
    ['its arguments', { rawInput: { todos } }],
    [
      'arguments with titles',
      {
        rawInput: {
          todos: [
            { title: 'Look at it', status: 'done' },
            { title: 'Change it', status: 'in_progress' },
          ],
        },
      },
    ],
    ['JSON text', { content: [text(JSON.stringify(todos, undefined, 2))] }],
  ])('from %s', (_, fields) => {
    const { lines } = told(call({ title: '2 todos', status: 'completed', ...fields }));
    expect(lines.slice(-3)).toEqual(expected);
  });

  it('in one place however often it is set', () => {
    const { lines } = told(
      call({ title: 'todos', rawInput: { todos: [{ content: 'Look at it', status: 'pending' }] } }),
      call({ toolCallId: 'c2', title: 'todos', rawInput: { todos } }),
    );
    expect(lines.filter((line) => line.startsWith('Plan'))).toEqual(['Plan 1/2']);
  });

  it('but no other list is', () => {
    const { lines } = told(
      call({ title: 'x', rawInput: { todos: ['a', 'b'] }, content: [text('[{"content":"a"}]')] }),
    );
    expect(lines).toEqual(['○ tool    x']);
  });
});
