import { describe, expect, it } from 'vitest';
import { emptySession } from '../../../src/model/session.ts';
import type { SessionEvent, ToolPatch } from '../../../src/model/session-events.ts';
import { BodyLimit } from '../../../src/session/body-limit.ts';
import { reduce } from '../../../src/session/reducer/reducer.ts';
import { aQuestion, aToolCall } from '../../support/builders.ts';

const most = 10_000;
const text = 'x'.repeat(2_500);

function aCall(toolCallId: string, fields: Partial<ToolPatch> = {}): SessionEvent {
  return aToolCall({ toolCallId, status: 'done', content: [{ kind: 'text', text }], ...fields });
}

const noTexts = { content: [], diffs: [], rawInput: undefined, rawOutput: undefined, outputs: [] };

/** A call that shows these terminals, of which only a part is in memory. */
function withTerminals(...ids: readonly string[]): readonly SessionEvent[] {
  const exit = { code: 0, signal: undefined };
  return [
    ...ids.map((terminalId): SessionEvent => ({ kind: 'terminal', patch: { terminalId, text, exit } })),
    aCall('1', { content: ids.map((terminalId) => ({ kind: 'terminal', terminalId })) }),
    { kind: 'bodies_cut', calls: ['0 1'], terminals: ids },
  ];
}

function readAgain(...ids: readonly string[]): SessionEvent {
  const content = ids.map((terminalId) => ({ kind: 'terminal', terminalId }) as const);
  const outputs = ids.map((terminalId) => ({ terminalId, text: 'x'.repeat(most) }));
  return { kind: 'body_read', call: '0 1', body: { ...noTexts, content, outputs } };
}

/** What is cut when these events happen. */
function cutsAfter(...events: readonly SessionEvent[]) {
  const state = emptySession('tester', 0);
  const limit = new BodyLimit(state, most);
  return events.flatMap((event) => {
    const cut = limit.follow(event, reduce(state, event, 0));
    return cut?.kind === 'bodies_cut'
      ? [...cut.calls.map((key) => key.replace(/^0 /, '')), ...cut.terminals]
      : [];
  });
}

describe('the limit of the texts in memory', () => {
  it.each<[string, SessionEvent[], string[]]>([
    ['nothing below the limit', [aCall('1'), aCall('2'), aCall('3')], []],
    ['the oldest calls', [aCall('1'), aCall('2'), aCall('3'), aCall('4'), aCall('5')], ['1', '2']],
    [
      'no call that was updated lately',
      [aCall('1'), aCall('2'), aCall('3'), aCall('1'), aCall('4')],
      ['2', '3'],
    ],
    [
      'no open call',
      [...['1', '2'].map((id) => aCall(id, { status: 'running' })), aCall('3'), aCall('4'), aCall('5')],
      [],
    ],
    [
      'calls that the end of the turn has closed',
      [
        ...['1', '2', '3', '4', '5'].map((id) => aCall(id, { status: 'running' })),
        { kind: 'turn_ended', stopReason: 'end_turn' },
      ],
      ['1', '2', '3'],
    ],
    [
      'no call that the user is asked about',
      [
        aCall('1'),
        { kind: 'question_asked', question: aQuestion({ toolCallId: '1' }) },
        ...['2', '3', '4'].map((id) => aCall(id)),
      ],
      ['2', '3'],
    ],
    ['not the last call, however long it is', [aCall('1', { rawOutput: 'x'.repeat(2 * most) })], []],
    [
      'the output of commands that have ended',
      [
        { kind: 'terminal', patch: { terminalId: 't1', text: 'x'.repeat(6_000) } },
        ...['t2', 't3'].map(
          (terminalId): SessionEvent => ({
            kind: 'terminal',
            patch: { terminalId, text: 'x'.repeat(6_000), exit: { code: 0, signal: undefined } },
          }),
        ),
      ],
      ['t2'],
    ],
    [
      'not the last call, also beside a long one that the user is asked about',
      [
        aCall('1', { rawOutput: 'x'.repeat(2 * most) }),
        { kind: 'question_asked', question: aQuestion({ toolCallId: '1' }) },
        aCall('2'),
      ],
      [],
    ],
    [
      'nothing of the call that was read last, however long the output of its commands is',
      [...withTerminals('t1', 't2'), readAgain('t1', 't2'), aCall('2'), aCall('3')],
      ['2'],
    ],
    [
      'the output of commands that was read before another call',
      [
        ...withTerminals('t1', 't2'),
        readAgain('t1', 't2'),
        aCall('2'),
        { kind: 'body_read', call: '0 2', body: { ...noTexts, content: [{ kind: 'text', text }] } },
      ],
      ['1', 't1', 't2'],
    ],
  ])('cuts %s', (_, events, cut) => {
    expect(cutsAfter(...events)).toEqual(cut);
  });
});
