import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import type { Frame } from '../../../../src/ports/frame.ts';
import { frameBudget } from '../../../../src/view/transcript/transcript.ts';
import { aChunk, aToolCall } from '../../../support/builders.ts';
import { TranscriptHarness } from '../../../support/transcript-harness.ts';

const turnStarted = (text: string): SessionEvent => ({ kind: 'turn_started', text });

describe('the frame budget', () => {
  const sizeOf = ({ patches }: Frame) =>
    patches.reduce((sum, patch) => sum + ('lines' in patch ? patch.lines.join('\n').length : 0), 0);

  it.each<[string, SessionEvent[]]>([
    ['one chunk', [aChunk('one line of text\n'.repeat(60_000))]],
    ['one line', [aChunk('x'.repeat(1_000_000))]],
    [
      'many messages',
      Array.from({ length: 2_000 }, (_, id) => aChunk('word '.repeat(100), 'agent', `${id}`)),
    ],
    [
      'many tool calls',
      Array.from({ length: 4_000 }, (_, id) => aToolCall({ toolCallId: `${id}`, title: 'x'.repeat(250) })),
    ],
  ])('spreads a megabyte over frames: %s', (_, events) => {
    const harness = new TranscriptHarness(...events);
    const frames = harness.drawAll();
    expect(sizeOf(frames[0]!)).toBeLessThan(frameBudget.first * 1.1);
    expect(Math.max(...frames.map(sizeOf))).toBeLessThan(frameBudget.most * 1.1);
    expect(frames.length).toBeGreaterThan(900_000 / frameBudget.most);
    expect(harness.canvas.lines.join('\n').length).toBeGreaterThan(990_000);
  });
});

describe('the cost of drawing a chunk', () => {
  it('is the same for the first and the ten thousandth chunk', () => {
    const harness = new TranscriptHarness(turnStarted('hi'));
    harness.drawAll();
    const costs = Array.from({ length: 10_000 }, (_, index) => {
      harness.happen(aChunk(index % 10 === 9 ? 'a line, its end\n' : 'some words more '));
      const frame = harness.draw();
      return { patches: frame?.patches.length, bytes: JSON.stringify(frame?.patches).length };
    });
    expect(costs.slice(1).every(({ patches }) => patches === 1)).toBe(true);
    // Only the digits of the line number grow.
    expect(costs.at(-5)!.bytes - costs[5]!.bytes).toBeLessThan(10);
  });

  it('does not depend on the number of entries', () => {
    const harness = new TranscriptHarness();
    for (let id = 0; id < 2_000; id += 1) harness.happen(aToolCall({ toolCallId: `${id}`, status: 'done' }));
    harness.drawAll();
    harness.happen(aChunk('a'));
    expect(harness.draw()?.patches).toHaveLength(1);
  });
});
