import { describe, expect, it } from 'vitest';
import type { ToolEntry } from '../../../../src/model/entries.ts';
import { emptySession, isCutCall } from '../../../../src/model/session.ts';
import type { CallBody, SessionEvent, ToolPatch } from '../../../../src/model/session-events.ts';
import { reduce } from '../../../../src/session/reducer/reducer.ts';
import { aQuestion, aToolCall } from '../../../support/builders.ts';
import { toolOf } from '../../../support/session-events.ts';
import { TranscriptHarness } from '../../../support/transcript-harness.ts';

const cut: SessionEvent = { kind: 'bodies_cut', calls: ['0 call-1'], terminals: ['t1'] };
const numbered = (count: number, word = 'line') =>
  Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('');
const long = numbered(10_000);
const text = (value: string) => [{ kind: 'text', text: value } as const];
const changed = numbered(2_000).replace('line 900\n', 'new 900\n').replace('line 1500\n', '');
const diff = { kind: 'diff', path: '/work/a.ts', oldText: numbered(2_000), newText: changed } as const;

function bodyOf({ content, diffs, rawInput, rawOutput, terminals }: ToolEntry): CallBody {
  return { content, diffs, rawInput, rawOutput, outputs: terminals.map((terminal) => ({ ...terminal })) };
}

describe('a call whose texts leave memory', () => {
  it.each<[string, Partial<ToolPatch>, SessionEvent[]]>([
    ['text', { content: text(long) }, []],
    ['a reason', { status: 'failed', content: text(`no such file\n${long}`) }, []],
    ['output as content', { toolKind: 'execute', content: text(`\`\`\`\n${long}\`\`\``) }, []],
    ['raw output', { toolKind: 'execute', rawOutput: { stdout: long, exit_code: 2 } }, []],
    ['a failure', { toolKind: 'execute', rawOutput: { stdout: long, success: false } }, []],
    ['output of the agent', { toolKind: 'execute', terminals: [{ terminalId: 'a', output: long }] }, []],
    [
      'a terminal',
      { toolKind: 'execute', content: [{ kind: 'terminal', terminalId: 't1' }] },
      [
        {
          kind: 'terminal',
          patch: { terminalId: 't1', command: 'make', text: long, exit: { code: 1, signal: undefined } },
        },
      ],
    ],
    ['a diff', { toolKind: 'edit', content: [diff] }, []],
    [
      'a file',
      {
        toolKind: 'edit',
        content: [{ kind: 'diff', path: '/work/b.ts', oldText: undefined, newText: long }],
      },
      [],
    ],
    [
      'an edit in its arguments',
      { toolKind: 'edit', rawInput: { path: '/work/a.ts', old_string: long, new_string: `${long}end\n` } },
      [],
    ],
    ['a long command', { toolKind: 'execute', rawInput: { command: `echo ${'x'.repeat(50_000)}` } }, []],
    [
      'its question',
      { toolKind: 'edit', content: [diff] },
      [
        { kind: 'question_asked', question: aQuestion({ toolCallId: 'call-1' }) },
        { kind: 'question_settled', questionId: 1, answer: 'Allow once', optionId: 'yes' },
      ],
    ],
  ])('looks the same while it is closed, with %s', (_, patch, events) => {
    const harness = new TranscriptHarness(
      aToolCall({ title: 'make all', status: 'done', ...patch }),
      ...events,
    );
    const before = harness.redrawn();
    harness.happen(cut);
    expect(harness.redrawn()).toEqual(before);
  });

  it.each([
    ['the first lines', ''],
    ['lines of their own', 'above\n'.repeat(500)],
  ])('has changes in the same rows, below %s', (_, above) => {
    const whole = { ...diff, oldText: `${above}${diff.oldText}`, newText: `${above}${diff.newText}` };
    const harness = new TranscriptHarness(aToolCall({ toolKind: 'edit', status: 'done', content: [whole] }));
    const rows = () =>
      harness.view.diffs.of(toolOf(harness.state)).flatMap(({ hunks }) => hunks.map(({ lines }) => lines));
    const before = rows();
    expect(before).toHaveLength(2);
    harness.happen(cut);
    expect(rows()).toEqual(before);
  });

  it('takes little memory, and says what is on disk', () => {
    const harness = new TranscriptHarness(
      aToolCall({
        status: 'done',
        content: [...text(long), diff],
        rawInput: { text: long, list: Array.from({ length: 10_000 }, () => ({ long })) },
        rawOutput: long,
        terminals: [{ terminalId: 'a', output: long }],
      }),
      cut,
    );
    const tool = toolOf(harness.state);
    expect(JSON.stringify(bodyOf(tool)).length).toBeLessThan(24 * 1024);
    const [first] = tool.content;
    expect(first).toMatchObject({
      text: expect.stringMatching(
        /^line 0\n[\s\S]*\n… 9\d{3} lines \(\d+ KB\) on disk …\n[\s\S]*line 9999\n$/,
      ),
    });
    expect(isCutCall(tool, harness.state)).toBe(true);
  });

  it('says in a private chat that the text is gone', () => {
    const state = emptySession('tester', 0, { isPrivate: true });
    for (const event of [aToolCall({ status: 'done', content: text(long) }), cut]) reduce(state, event, 0);
    expect(toolOf(state).content[0]).toMatchObject({
      text: expect.stringContaining('dropped: nothing of this chat is on disk …'),
    });
    expect(isCutCall(toolOf(state), state)).toBe(false);
    expect(toolOf(state).isCut).toBe(true);
  });

  it('keeps its command whole, because rules judge it', () => {
    const command = `echo ${'x'.repeat(50_000)}; rm -rf build; ${'y'.repeat(50_000)}`;
    const { state } = new TranscriptHarness(aToolCall({ status: 'done', rawInput: { command } }), cut);
    expect(toolOf(state).rawInput).toEqual({ command });
  });

  it('is as before when its texts were read again', () => {
    const harness = new TranscriptHarness(
      aToolCall({ status: 'done', content: [...text(long), diff], rawOutput: long }),
      aToolCall({ terminals: [{ terminalId: 'a', output: long }] }),
    );
    const tool = toolOf(harness.state);
    const before = structuredClone(tool);
    const body = bodyOf(tool);
    harness.happen(cut, { kind: 'body_read', call: '0 call-1', body });
    expect(tool).toEqual(before);
  });
});

it('texts that leave memory or are read again are no sign of life of the agent', () => {
  const { state } = new TranscriptHarness(aToolCall({ status: 'done', content: text(long) }));
  const body = bodyOf(toolOf(state));
  const { lastActivityAt } = state;
  reduce(state, cut, lastActivityAt + 1_000);
  reduce(state, { kind: 'body_read', call: '0 call-1', body }, lastActivityAt + 2_000);
  expect(state.lastActivityAt).toBe(lastActivityAt);
});

it('an open question changes when the texts of its call were read again', () => {
  const { state } = new TranscriptHarness(aToolCall({ status: 'done', content: text(long) }), cut, {
    kind: 'question_asked',
    question: aQuestion({ toolCallId: 'call-1' }),
  });
  const body = { ...bodyOf(toolOf(state)), content: text(long) };
  const changed = reduce(state, { kind: 'body_read', call: '0 call-1', body }, 0);
  expect(changed.map(({ kind }) => kind)).toEqual(['tool', 'question']);
});

it('an open call is drawn with what is there, and its text is asked for', () => {
  const harness = new TranscriptHarness(aToolCall({ status: 'done', content: text(long) }));
  const body = bodyOf(toolOf(harness.state));
  const { id } = toolOf(harness.state);
  harness.happen(cut);
  harness.view.toggle(id);
  expect(harness.lines.filter((line) => line.includes('on disk'))).toHaveLength(1);
  expect(harness.wanted).toEqual(['call-1']);
  harness.happen({ kind: 'body_read', call: '0 call-1', body });
  expect(harness.lines.filter((line) => line.includes('on disk'))).toEqual([]);
  expect(harness.lines.at(-1)).toContain('<CR> shows all');
  expect(harness.wanted).toEqual(['call-1']);
});
