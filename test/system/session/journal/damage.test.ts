import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptySession } from '../../../../src/model/session.ts';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { Journal } from '../../../../src/session/journal/journal.ts';
import { JournalReader } from '../../../../src/session/journal/reader.ts';
import { reduce } from '../../../../src/session/reducer/reducer.ts';
import { planViewLines } from '../../../../src/view/transcript/plan.ts';
import { TranscriptView } from '../../../../src/view/transcript/transcript.ts';
import { aChunk, aNotice, aQuestion, aToolCall } from '../../../support/builders.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { aFolder } from '../../../support/system/temp.ts';

const agent = {
  name: 'tester',
  title: 'Tester',
  authMethods: [
    { kind: 'terminal', id: 't', name: 'Log in', description: undefined, command: ['login'], env: {} },
  ],
} as const;
const output = (text: string) => ({ kind: 'text', text: `${'line\n'.repeat(60)}${text}` }) as const;

/** One of everything that a transcript may hold. */
const events: readonly SessionEvent[] = [
  { kind: 'agent_starting' },
  { kind: 'agent_known', agent },
  { kind: 'session_opened', sessionId: 's1', agent: 'tester', cwd: '/work' },
  { kind: 'agent_ready', agent },
  { kind: 'title', title: 'Parser' },
  { kind: 'prompt_queued', text: 'fix it' },
  { kind: 'turn_started', text: 'fix it' },
  { kind: 'prompt_queued', text: 'and then', isOffered: true },
  { kind: 'prompt_injected', text: 'and then' },
  { kind: 'queue_changed', prompts: [{ text: 'later', isHeld: true, isUnresolved: true }] },
  aChunk('a thought', 'thought', '1'),
  aChunk('# An answer\n- with `code`\n'),
  aToolCall({
    title: 'Edit a.ts',
    toolKind: 'edit',
    status: 'running',
    content: [{ kind: 'diff', path: '/work/a.ts', oldText: 'a\n', newText: 'b\n' }],
    locations: [{ path: '/work/a.ts', line: 3 }],
    rawInput: { path: 'a.ts' },
  }),
  aToolCall({ toolCallId: 'run', toolKind: 'execute', status: 'running', content: [output('')] }),
  aToolCall({ toolCallId: 'run', content: [output('more')], terminals: [{ terminalId: 't', output: 'x' }] }),
  {
    kind: 'terminal',
    patch: { terminalId: 't2', command: 'ls', text: 'a', exit: { code: 1, signal: undefined } },
  },
  { kind: 'question_asked', question: aQuestion() },
  { kind: 'question_settled', questionId: aQuestion().id, answer: 'Allow' },
  {
    kind: 'question_asked',
    question: {
      id: 7,
      toolCallId: undefined,
      options: [],
      elicitation: {
        kind: 'form',
        message: 'Fill in',
        form: {
          title: 'Form',
          description: undefined,
          fields: [
            {
              kind: 'choice',
              name: 'c',
              title: 'C',
              description: undefined,
              isRequired: true,
              choices: [{ value: 'v', title: 'V', description: undefined }],
              preset: 'v',
            },
          ],
        },
      },
    },
  },
  { kind: 'plan', items: [{ text: 'first', status: 'running' }] },
  { kind: 'compaction', patch: { compactionId: 'k', status: 'done', summary: 'short' } },
  { kind: 'unknown', name: 'odd', raw: { deep: [1] } },
  aNotice({ detail: ['why'], hint: 'do' }),
  { kind: 'cancel_requested' },
  { kind: 'turn_ended', stopReason: 'cancelled' },
  {
    kind: 'turn_summary',
    summary: { ms: 5, files: 1, added: 2, removed: 3, cost: { amount: 1, currency: 'USD' } },
    isLate: true,
  },
  { kind: 'agent_gone', notice: aNotice() },
];

function aWritten(): { readonly file: string; readonly bytes: Buffer } {
  const file = path.join(aFolder(), '1.jsonl');
  const journal = new Journal(file, new ManualClock(), new LogDouble());
  for (const event of events) journal.record(event);
  journal.dispose();
  return { file, bytes: fs.readFileSync(file) };
}

/** Shows what a journal says, opened and closed, as a restarted host does. */
function show(file: string): number {
  const state = emptySession('tester', 0);
  const view = new TranscriptView(state, { chat: 1, cwd: '/work', home: '/home' });
  let count = 0;
  for (const { at, event } of new JournalReader(file, new LogDouble()).records()) {
    view.markChanged(reduce(state, event, at));
    count += 1;
  }
  view.frame(2_000_000);
  for (const { id } of state.entries) view.toggle(id);
  view.frame(2_000_000);
  planViewLines(state);
  return count;
}

// Steps that have no factor in common with the bits of a byte or the length of a line reach every part of the records.
it('a journal with any bit flipped loses at most three records', {
  timeout: 60_000,
}, () => {
  const { file, bytes } = aWritten();
  const whole = show(file);
  expect(whole).toBe(events.length);
  for (let bit = 0; bit < 8 * bytes.length; bit += 37) {
    const damaged = Buffer.from(bytes);
    damaged[bit >> 3]! ^= 1 << (bit & 7);
    fs.writeFileSync(file, damaged);
    expect(show(file), `bit ${bit}`).toBeGreaterThanOrEqual(whole - 3);
  }
});

it('a journal that is truncated anywhere is read up to there', { timeout: 60_000 }, () => {
  const { file, bytes } = aWritten();
  for (let length = bytes.length; length > 0; length -= 17) {
    fs.writeFileSync(file, bytes.subarray(0, length));
    const lines = bytes.subarray(0, length).toString().split('\n').length - 1;
    expect(show(file)).toBeGreaterThanOrEqual(lines - 1);
  }
});

it('a journal with damage at any byte of its last records loses at most these', { timeout: 60_000 }, () => {
  const { file, bytes } = aWritten();
  const begin = bytes.length - 400;
  const lines = bytes.subarray(begin).toString().split('\n').length;
  for (let at = begin; at < bytes.length; at += 1) {
    const flipped = Buffer.from(bytes);
    flipped[at]! ^= 1 << (at % 8);
    for (const damaged of [flipped, Buffer.from(bytes).fill(0, at)]) {
      fs.writeFileSync(file, damaged);
      expect(show(file), `byte ${at}`).toBeGreaterThanOrEqual(events.length - lines);
    }
  }
});
