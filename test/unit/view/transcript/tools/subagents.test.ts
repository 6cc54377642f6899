import { describe, expect, it } from 'vitest';
import type { SessionEvent, ToolPatch } from '../../../../../src/model/session-events.ts';
import { aChunk, aToolCall } from '../../../../support/builders.ts';
import { cpuTime } from '../../../../support/cpu-time.ts';
import { TranscriptHarness } from '../../../../support/transcript-harness.ts';

const prompt: SessionEvent = { kind: 'turn_started', text: 'hi' };

const aTask = (toolCallId: string, fields: Partial<ToolPatch> = {}) =>
  aToolCall({ toolCallId, title: `Task ${toolCallId}`, toolKind: 'think', status: 'running', ...fields });

const aCall = (toolCallId: string, parent: string, fields: Partial<ToolPatch> = {}) =>
  aToolCall({ toolCallId, parent, title: `"${toolCallId}"`, toolKind: 'search', status: 'done', ...fields });

const callsOf = (harness: TranscriptHarness) => harness.lines.slice(4);
const idOf = ({ state }: TranscriptHarness, name: string) => state.tools.get(name)!.id;

describe('the calls of a subagent', () => {
  it('stand below its call, also if two subagents work at the same time', () => {
    const harness = new TranscriptHarness(prompt, aTask('one'), aTask('two'));
    harness.drawAll();
    harness.happen(aCall('a', 'one'), aCall('b', 'two'), aChunk('meanwhile'), aCall('c', 'one'));
    expect(callsOf(harness)).toEqual([
      '● agent   Task one',
      '  ✓ search  "a"',
      '  ✓ search  "c"',
      '● agent   Task two',
      '  ✓ search  "b"',
      '',
      'meanwhile',
    ]);
    expect(harness.canvas.picture).toEqual(harness.redrawn());
  });

  it('stand below the subagent of a subagent', () => {
    const harness = new TranscriptHarness(prompt, aTask('one'), aTask('inner', { parent: 'one' }));
    harness.happen(aCall('a', 'inner'), aCall('b', 'one'), aCall('c', 'inner'));
    expect(callsOf(harness)).toEqual([
      '● agent   Task one',
      '  ● agent   Task inner',
      '    ✓ search  "a"',
      '    ✓ search  "c"',
      '  ✓ search  "b"',
    ]);
    expect(harness.canvas.picture).toEqual(harness.redrawn());
  });

  it('are groups of their own', () => {
    const harness = new TranscriptHarness(prompt, aTask('one'), aTask('two'));
    for (const name of ['a', 'b', 'c']) harness.happen(aCall(`1${name}`, 'one'), aCall(`2${name}`, 'two'));
    expect(callsOf(harness)).toEqual([
      '● agent   Task one',
      '  ✓ search  3 searches  "1a", "1b", "1c"',
      '● agent   Task two',
      '  ✓ search  3 searches  "2a", "2b", "2c"',
    ]);
  });

  it('are hidden when it is over, until it is opened; changes and what runs are not', () => {
    const diff = { kind: 'diff', path: '/work/a', oldText: 'x', newText: 'y' } as const;
    const harness = new TranscriptHarness(
      prompt,
      aTask('one'),
      aCall('a', 'one'),
      aCall('b', 'one', { toolKind: 'edit', title: 'edit', content: [diff] }),
      aCall('c', 'one', { status: 'running' }),
    );
    const running = callsOf(harness);
    expect(running).toContain('  ✓ search  "a"');
    harness.happen(aTask('one', { status: 'done' }));
    const over = callsOf(harness);
    expect(over[0]).toBe('✓ agent   Task one');
    expect(over).toContain('  ● search  "c"');
    expect(over.some((line) => line.endsWith('+ y'))).toBe(true);
    expect(over).not.toContain('  ✓ search  "a"');
    harness.happen(aCall('c', 'one'));
    expect(callsOf(harness)).not.toContain('  ✓ search  "c"');
    harness.view.toggle(idOf(harness, 'one'));
    expect(callsOf(harness).filter((line) => line.includes('search'))).toEqual([
      '  ✓ search  "a"',
      '  ✓ search  "c"',
    ]);
    expect(harness.canvas.picture).toEqual(harness.redrawn());
  });

  it('are counted in the line of the subagent', () => {
    const harness = new TranscriptHarness(prompt, aTask('one'));
    for (const name of ['a', 'b', 'c', 'd']) harness.happen(aCall(name, 'one'));
    harness.drawAll();
    expect(JSON.stringify(harness.canvas.block(idOf(harness, 'one')).rows)).toContain(' 4 calls');
  });

  it('whose parent is not known stand where they were reported', () => {
    const harness = new TranscriptHarness(prompt, aCall('a', 'nowhere'), aCall('b', 'b'));
    expect(callsOf(harness)).toEqual(['✓ search  "a"', '✓ search  "b"']);
  });

  it('are found by the outline at the subagent that hides them', () => {
    const harness = new TranscriptHarness(prompt, aTask('one'), aCall('a', 'one'));
    const call = harness.state.tools.get('a')!;
    expect(harness.view.shownAt(call)).toBe(call.id);
    harness.happen(aTask('one', { status: 'done' }));
    expect(harness.view.shownAt(call)).toBe(idOf(harness, 'one'));
  });
});

it('the subagent that can be stopped is the nearest one that runs and offers it', () => {
  const offers = (canCancel: boolean) => ({ subagent: { sessionId: 's', canCancel } });
  const harness = new TranscriptHarness(
    prompt,
    aTask('one', offers(true)),
    aTask('inner', { parent: 'one', ...offers(false) }),
    aCall('a', 'inner'),
    aTask('other', { status: 'done', ...offers(true) }),
  );
  expect(harness.view.subagentAt(idOf(harness, 'a'))?.toolCallId).toBe('one');
  expect(harness.view.subagentAt(idOf(harness, 'other'))).toBeUndefined();
});

it('a chain of calls is indented ten times at most, so that each call takes the same time', () => {
  const harness = new TranscriptHarness(prompt);
  const before = cpuTime();
  for (let call = 0; call < 1_000; call += 1) harness.happen(aTask(`${call}`, { parent: `${call - 1}` }));
  expect(harness.lines.at(-1)).toMatch(/^ {20}\S/);
  for (let call = 0; call < 1_000; call += 1) harness.happen(aTask(`${call}`, { status: 'done' }));
  expect(callsOf(harness)).toHaveLength(1);
  expect(cpuTime() - before).toBeLessThan(3_000);
});

it('a call that ends and begins again a thousand times between two frames costs its calls one drawing', () => {
  const harness = new TranscriptHarness(prompt, aTask('one'));
  for (let call = 0; call < 4_000; call += 1) harness.happen(aCall(`${call}`, 'one', { toolKind: 'other' }));
  harness.drawAll();
  const before = cpuTime();
  for (let turn = 0; turn < 1_000; turn += 1)
    harness.happen(aTask('one', { status: turn % 2 === 0 ? 'running' : 'done' }));
  expect(cpuTime() - before).toBeLessThan(500);
  expect(callsOf(harness)).toHaveLength(1);
  expect(harness.canvas.picture).toEqual(harness.redrawn());
});
