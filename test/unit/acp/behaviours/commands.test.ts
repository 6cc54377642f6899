import { describe, expect, it } from 'vitest';
import { applyQuirks, quirksOf } from '../../../../src/acp/decode/quirks.ts';
import { decodeUpdate } from '../../../../src/acp/decode/update.ts';
import type { SessionState } from '../../../../src/model/session.ts';
import { reduce } from '../../../../src/session/reducer/reducer.ts';
import { TranscriptView } from '../../../../src/view/transcript/transcript.ts';
import { call, chunk, more, showUpdates, text } from '../../../support/dialects/shown-updates.ts';

const run = { title: 'make', kind: 'execute', rawInput: { command: 'make' } };
const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

function pictureOf(state: SessionState): string {
  const view = new TranscriptView(state, { chat: 1, cwd: '/', home: '/' });
  view.reset();
  return JSON.stringify(view.frame(0));
}

/** The frame of the transcript as JSON, with its right-aligned text. */
function figures(...updates: readonly unknown[]): string {
  const { state } = showUpdates(...updates);
  return pictureOf(state);
}

describe('the output of a command', () => {
  it.each<[string, object]>([
    ['text that is sent as a whole each time', { content: [text('one\ntwo\n')] }],
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
  ])('is shown while the command runs if it comes as %s', (_, fields) => {
    expect(showUpdates(call(run), more({ status: 'in_progress', ...fields })).lines).toEqual([
      '● run     make',
      '    one',
      '    two',
    ]);
  });

  it('is shown at the end as its last lines, with a hint how to see all', () => {
    const { lines, opened } = showUpdates(
      call(run),
      more({ status: 'completed', content: [text(numbers(2_000))] }),
    );
    expect(lines.slice(1)).toEqual(
      ['1995', '1996', '1997', '1998', '1999', '2000'].map((n) => `    line ${n}`),
    );
    expect(opened.slice(1, 3)).toEqual(['    … 1800 earlier lines · <CR> shows all', '    line 1801']);
    expect(opened.at(-1)).toBe('    line 2000');
  });

  it('is replaced by the complete output at the end', () => {
    const meta = (fields: object) => ({ _meta: fields });
    const { lines } = showUpdates(
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

  it('is not taken from the description of the command', () => {
    const { lines } = showUpdates(call(run), more({ status: 'in_progress', content: [text('make')] }));
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
  ])('is marked as failed with its exit code, from %s', (_, fields) => {
    const updates = [call(run), more({ status: 'completed', ...fields })];
    expect(showUpdates(...updates).lines).toEqual(['✗ run     make']);
    expect(figures(...updates)).toContain('exit 3');
  });

  it('is marked as failed without an exit code', () => {
    const rawOutput = [{ query: 'make', result: 'no rule', success: false }];
    const { lines } = showUpdates(call(run), more({ status: 'completed', rawOutput }));
    expect(lines).toEqual(['✗ run     make', '    no rule']);
  });

  it('is marked as done if the exit code is 0', () => {
    const { lines } = showUpdates(
      call(run),
      more({ status: 'completed', rawOutput: { metadata: { exit: 0 } } }),
    );
    expect(lines).toEqual(['✓ run     make']);
  });
});

describe('a failed tool call', () => {
  it.each<[string, object]>([
    ['text', { content: [text('no such file\nat line 3')] }],
    ['a code block', { content: [text('```\nno such file\n```')] }],
    ['raw text', { rawOutput: 'no such file' }],
    ['an error', { rawOutput: { error: 'no such file' } }],
    ['an error with a message', { rawOutput: { error: { message: 'no such file' } } }],
    ['a message', { rawOutput: { message: 'no such file' } }],
  ])('shows the reason in its first line, from %s', (_, fields) => {
    const { lines } = showUpdates(
      call({ title: 'a.ts', kind: 'read' }),
      more({ status: 'failed', ...fields }),
    );
    expect(lines).toEqual(['✗ read    a.ts', '    no such file']);
  });

  it('shows the reason once when it is unfolded', () => {
    const { opened } = showUpdates(
      call({ title: 'a.ts', kind: 'read', status: 'failed', content: [text('gone')] }),
    );
    expect(opened).toEqual(['✗ read    a.ts', '    gone']);
  });
});

describe('a tool call without a reported end', () => {
  const end = { kind: 'turn_ended', stopReason: 'end_turn' } as const;

  it('is shown differently from one that was stopped', () => {
    const { state } = showUpdates(call({ ...run, status: 'in_progress', content: [text('last line')] }));
    reduce(state, end, 9_000);
    expect(pictureOf(state)).toMatch(/· run {5}make.*end not reported/);
  });

  it('is done when the report comes late', () => {
    const { state, tool } = showUpdates(call({ ...run, status: 'in_progress' }));
    reduce(state, end, 9_000);
    reduce(state, decodeUpdate(more({ status: 'completed' })), 12_000);
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
      'separated by an empty chunk with usage',
      [chunk('Done.'), chunk('', { _meta: { usage: { tokens: 1 } } }), chunk('Agent completed.')],
    ],
  ])('%s are not joined', (_, updates) => {
    expect(showUpdates(...updates).lines).toEqual(['Done.', '', 'Agent completed.']);
  });
});

describe('a status message of the agent program', () => {
  it.each([
    ['@github/copilot', 'Info: Request failed. Retrying...', true],
    ['@github/copilot', 'Information is scarce.', undefined],
    ['pi-acp', 'Retrying (attempt 1/3, waiting 2s)...', true],
    ['tester', 'Info: it is an answer', undefined],
  ])('is a separate message: %s, %s', (program, words, isCompleteMessage) => {
    const event = applyQuirks(decodeUpdate(chunk(words)), quirksOf(program));
    expect(event).toEqual({
      kind: 'chunk',
      role: 'agent',
      text: words,
      ...(isCompleteMessage && { isCompleteMessage }),
    });
  });
});

describe('the todo list of a tool call', () => {
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
  ])('becomes the plan, from %s', (_, fields) => {
    const { lines } = showUpdates(call({ title: '2 todos', status: 'completed', ...fields }));
    expect(lines.slice(-3)).toEqual(expected);
  });

  it('is shown in one place however often it is set', () => {
    const { lines } = showUpdates(
      call({ title: 'todos', rawInput: { todos: [{ content: 'Look at it', status: 'pending' }] } }),
      call({ toolCallId: 'c2', title: 'todos', rawInput: { todos } }),
    );
    expect(lines.filter((line) => line.startsWith('Plan'))).toEqual(['Plan 1/2']);
  });

  it('is not taken from any other list', () => {
    const { lines } = showUpdates(
      call({ title: 'x', rawInput: { todos: ['a', 'b'] }, content: [text('[{"content":"a"}]')] }),
    );
    expect(lines).toEqual(['○ tool    x']);
  });
});
