import { describe, expect, it } from 'vitest';
import { emptySession } from '../../../../src/model/session.ts';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { reduce } from '../../../../src/session/reducer/reducer.ts';
import { makeLine } from '../../../../src/view/line.ts';
import { plainLine } from '../../../../src/view/text/plain-lines.ts';
import { TranscriptView } from '../../../../src/view/transcript/transcript.ts';
import { aChunk, aToolCall, isReady } from '../../../support/builders.ts';
import { Canvas } from '../../../support/doubles/canvas.ts';

const markdown =
  '# Title\n\n- a **point**\n\n| a | b |\n|---|---|\n| long cell | c |\n\n```lua\nprint(1)\n```\n> said\n';

function draw(
  look: { readonly isPlain: boolean; readonly leavesMarkdown: boolean },
  ...events: SessionEvent[]
) {
  const state = emptySession('tester', 0);
  const view = new TranscriptView(state, {
    chat: 1,
    cwd: '/work',
    home: '/home/me',
    look: () => ({ ...look, keys: { cancel: '', nextQuestion: '', diff: '' } }),
  });
  for (const event of [isReady, ...events]) view.markChanged(reduce(state, event, 0));
  const canvas = new Canvas();
  const frame = view.frame(5_000);
  canvas.draw(frame);
  return { canvas, frame, view };
}

describe.each([
  ['that another plugin draws', { isPlain: false, leavesMarkdown: true }],
  ['for screen readers', { isPlain: true, leavesMarkdown: false }],
])('Markdown %s', (_, look) => {
  it('is left as it is written, in messages, prompts and plans', () => {
    const events: SessionEvent[] = [
      { kind: 'turn_started', text: markdown },
      aChunk(markdown),
      { kind: 'plan', items: [], text: markdown },
      { kind: 'turn_ended', stopReason: 'end_turn' },
    ];
    const { canvas, frame } = draw(look, ...events);
    const written = markdown.trimEnd().split('\n');
    const text = canvas.lines.join('\n');
    expect(text.split(written.join('\n')).length - 1).toBe(3);
    const marks = JSON.stringify(canvas.picture);
    for (const group of ['AcpHeading', 'AcpBold', 'AcpCode', 'AcpQuote', 'AcpListMarker', 'AcpMarkup'])
      expect(marks).not.toContain(group);
    expect(frame?.patches.filter(({ op }) => op === 'code')).toEqual([]);
  });
});

describe('a plain line', () => {
  it.each([
    [makeLine(['✓', 'AcpDone'], [' read    a.ts', '']), 'done: read    a.ts'],
    [makeLine(['  ✗', 'AcpFailed'], [' run     ls', '']), '  failed: run     ls'],
    [{ ...makeLine(['▸ thought', '']), right: [[' 2 s', ''] as const] }, 'closed: thought  2 s'],
    [
      { text: '● run', right: [[' exit 0', ''] as const, [' 3 s', ''] as const, [' ▸', ''] as const] },
      'running: run  exit 0, 3 s, closed',
    ],
    [{ text: 'What? ✓ is text' }, 'What? ✓ is text'],
  ])('%# has words instead of signs and its figures in the text', (line, expected) => {
    const { text, right } = plainLine(line);
    expect([text, right]).toEqual([expected, undefined]);
  });

  it('has its colours at the same words', () => {
    const { text, spans = [] } = plainLine(
      makeLine(['✓', 'AcpDone'], [' read ', ''], ['ä.ts', 'AcpToolTitle']),
    );
    const bytes = Buffer.from(text);
    expect(spans.map(({ from, to, hl }) => [bytes.subarray(from, to).toString(), hl])).toEqual([
      ['done:', 'AcpDone'],
      ['ä.ts', 'AcpToolTitle'],
    ]);
  });
});

describe('a plain transcript', () => {
  const look = { isPlain: true, leavesMarkdown: false };

  it('has nothing beside its text', () => {
    const call = aToolCall({ title: 'ls', toolKind: 'execute', status: 'running' });
    const { frame } = draw(look, { kind: 'turn_started', text: 'hi' }, call);
    const right = frame?.patches.flatMap((patch) => ('right' in patch ? patch.right : []));
    expect(right).toEqual([]);
    expect([frame?.activity ?? [], frame?.intro ?? [], frame?.queue ?? []]).toEqual([[], [], []]);
    expect(frame?.winbar?.right).toEqual([['working', 'AcpRunning']]);
  });

  it('does not change while time passes', () => {
    const call = aToolCall({ title: 'ls', toolKind: 'execute', status: 'running' });
    const { view } = draw(look, { kind: 'turn_started', text: 'hi' }, call);
    view.tick();
    expect(view.frame(60_000)).toBeUndefined();
  });
});
