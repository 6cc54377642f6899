import { describe, expect, it } from 'vitest';
import type { ToolKind } from '../../../../../src/model/entries.ts';
import type { SessionEvent, ToolPatch } from '../../../../../src/model/session-events.ts';
import { groupText } from '../../../../../src/view/transcript/tools/group-lines.ts';
import { aChunk, aToolCall } from '../../../../support/builders.ts';
import { TranscriptHarness } from '../../../../support/transcript-harness.ts';

const prompt: SessionEvent = { kind: 'turn_started', text: 'hi' };

function aRead(name: string, fields: Partial<ToolPatch> = {}): SessionEvent {
  const path = `/work/${name}`;
  return aToolCall({
    toolCallId: name,
    title: `Read ${path}`,
    toolKind: 'read',
    status: 'done',
    locations: [{ path, line: undefined }],
    content: [{ kind: 'text', text: `text of ${name}` }],
    ...fields,
  });
}

const reads = (...names: readonly string[]) => names.map((name) => aRead(name));
const shown = (...events: readonly SessionEvent[]) => callsOf(new TranscriptHarness(prompt, ...events));
const callsOf = (harness: TranscriptHarness) => harness.lines.slice(4);
const idOf = ({ state }: TranscriptHarness, name: string) => state.tools.get(name)!.id;

describe('calls of one kind in a row', () => {
  it('are one line with their number and names', () => {
    expect(shown(...reads('a.ts', 'b.ts', 'c.ts'))).toEqual(['✓ read    3 files  a.ts, b.ts, c.ts']);
  });

  it.each<[string, SessionEvent[], string[]]>([
    ['two of them', reads('a.ts', 'b.ts'), ['✓ read    a.ts', '✓ read    b.ts']],
    [
      'with a message between them',
      [...reads('a.ts', 'b.ts'), aChunk('so'), ...reads('c.ts')],
      ['✓ read    a.ts', '✓ read    b.ts', '', 'so', '', '✓ read    c.ts'],
    ],
    [
      'of two kinds',
      [...reads('a.ts', 'b.ts'), aRead('c.ts', { toolKind: 'search', title: '"x"' })],
      ['✓ read    a.ts', '✓ read    b.ts', '✓ search  "x"'],
    ],
    [
      'with a running one',
      [...reads('a.ts', 'b.ts'), aRead('c.ts', { status: 'running' })],
      ['✓ read    a.ts', '✓ read    b.ts', '● read    c.ts'],
    ],
    [
      'with a failed one',
      [...reads('a.ts'), aRead('b.ts', { status: 'failed' }), ...reads('c.ts')],
      ['✓ read    a.ts', '✗ read    b.ts', '    text of b.ts', '', '✓ read    c.ts'],
    ],
    [
      'that ran commands',
      ['1', '2', '3'].map((id) =>
        aToolCall({ toolCallId: id, title: 'ls', toolKind: 'execute', status: 'done' }),
      ),
      ['✓ run     ls', '✓ run     ls', '✓ run     ls'],
    ],
  ])('%s: are lines of their own', (_, events, expected) => expect(shown(...events)).toEqual(expected));

  it.each<[string, ToolKind, string]>([
    ['searches', 'search', '✓ search  3 searches  x, y, z'],
    ['pages', 'fetch', '✓ fetch   3 pages  x, y, z'],
  ])('%s are counted', (_, toolKind, expected) => {
    const calls = ['x', 'y', 'z'].map((title) =>
      aToolCall({ toolCallId: title, title: `"${title}"`, toolKind, status: 'done' }),
    );
    expect(shown(...calls)).toEqual([expected.replaceAll(/\b([xyz])\b/g, '"$1"')]);
  });

  it('name a file once that was read several times', () => {
    const again = aRead('again', { locations: [{ path: '/work/a.ts', line: 9 }] });
    expect(shown(...reads('a.ts', 'b.ts'), again)).toEqual(['✓ read    3 times  a.ts, b.ts']);
  });

  it('show the sum of their durations', () => {
    const harness = new TranscriptHarness(prompt);
    for (const name of ['a', 'b', 'c']) {
      harness.happen(aRead(name, { status: 'running' }));
      harness.now += 2_000;
      harness.happen(aRead(name));
    }
    harness.drawAll();
    expect(JSON.stringify(harness.canvas.block(idOf(harness, 'a')).rows.at(-1))).toContain(' 6.0 s');
  });

  it('fit into one row of the window', () => {
    const names = Array.from({ length: 20 }, (_, index) => `folder/file-${index}.ts`);
    const harness = new TranscriptHarness(prompt, ...reads(...names));
    harness.view.width = 40;
    expect(callsOf(harness)).toEqual(['✓ read    20 files  folder/fil…']);
  });

  it('are one line too if they end in another order', () => {
    const names = ['a', 'b', 'c', 'd'];
    const harness = new TranscriptHarness(prompt, ...names.map((name) => aRead(name, { status: 'running' })));
    harness.drawAll();
    for (const name of ['c', 'a', 'd']) harness.happen(aRead(name));
    expect(callsOf(harness)).toEqual(['✓ read    a', '● read    b', '✓ read    c', '✓ read    d']);
    harness.happen(aRead('b'));
    expect(callsOf(harness)).toEqual(['✓ read    4 files  a, b, c, d']);
  });

  it('are divided by a call that is reported to have failed later', () => {
    const harness = new TranscriptHarness(prompt, ...reads('a', 'b', 'c', 'd'));
    harness.drawAll();
    harness.happen(aRead('a', { status: 'failed', content: [] }));
    expect(callsOf(harness)).toEqual(['✗ read    a', '✓ read    3 files  b, c, d']);
  });

  it('do not hide a call that the user has opened', () => {
    const harness = new TranscriptHarness(prompt, ...reads('a', 'b'));
    harness.view.toggle(idOf(harness, 'b'));
    harness.drawAll();
    harness.happen(aRead('b'), aRead('c'));
    expect(callsOf(harness)).toEqual([
      '✓ read    a',
      '✓ read    b',
      '    b',
      '    text of b',
      '',
      '✓ read    c',
    ]);
  });

  it('become several lines if there are very many', () => {
    const lines = shown(...Array.from({ length: 250 }, (_, index) => aRead(`f${index}`)));
    expect(lines.map((line) => line.slice(0, 20).trim())).toEqual([
      '✓ read    100 files',
      '✓ read    100 files',
      '✓ read    50 files',
    ]);
  });
});

describe('a group', () => {
  const start = () => new TranscriptHarness(prompt, ...reads('a', 'b', 'c'), aChunk('so'));
  const closed = ['✓ read    3 files  a, b, c', '', 'so'];
  const opened = ['✓ read    3 files', '  ✓ read    a', '  ✓ read    b', '  ✓ read    c', '', 'so'];
  const heading = 2;

  it('is opened and closed by its line', () => {
    const harness = start();
    harness.drawAll();
    harness.view.toggle(idOf(harness, 'a'), heading);
    expect(callsOf(harness)).toEqual(opened);
    harness.view.toggle(idOf(harness, 'a'), heading);
    expect(callsOf(harness)).toEqual(closed);
  });

  it.each(['a', 'b'])('shows the text of its call %s', (name) => {
    const harness = start();
    harness.view.toggle(idOf(harness, 'a'));
    harness.drawAll();
    harness.view.toggle(idOf(harness, name), name === 'a' ? heading + 1 : 0);
    expect(callsOf(harness)).toContain(`      text of ${name}`);
    expect(callsOf(harness)).toContain(`  ✓ read    ${name}`);
  });

  it('is closed from a call that is closed', () => {
    const harness = start();
    harness.view.foldAll(harness.state.entries.slice(-1), true);
    expect(callsOf(harness)).toEqual(opened);
    harness.view.toggle(idOf(harness, 'c'), 0);
    harness.drawAll();
    const call = harness.state.tools.get('c')!;
    harness.view.fold(call, false, 0);
    expect(callsOf(harness)).toEqual(opened);
    harness.view.fold(call, false, 0);
    expect(callsOf(harness)).toEqual(closed);
  });

  it('stays open when calls are added to it', () => {
    const harness = new TranscriptHarness(prompt, ...reads('a', 'b', 'c'));
    harness.view.toggle(idOf(harness, 'a'));
    harness.drawAll();
    harness.happen(aRead('d'));
    expect(callsOf(harness)).toEqual([
      '✓ read    4 files',
      ...['a', 'b', 'c', 'd'].map((x) => `  ✓ read    ${x}`),
    ]);
  });

  it('has the headings of its calls for keys only if it is open', () => {
    const harness = start();
    harness.drawAll();
    harness.view.toggle(idOf(harness, 'a'));
    const tools = harness.drawAll().flatMap(({ patches }) => patches);
    expect(tools[0]).toMatchObject({ op: 'set', id: idOf(harness, 'a'), tool: heading + 1 });
  });

  it('is where the outline finds its calls until it is open', () => {
    const harness = start();
    const [first, last] = [idOf(harness, 'a'), idOf(harness, 'c')];
    expect(harness.view.shownAt(harness.state.tools.get('c')!)).toBe(first);
    harness.view.toggle(first);
    expect(harness.view.shownAt(harness.state.tools.get('c')!)).toBe(last);
  });

  it('names all of its calls on request', () => {
    const harness = start();
    const group = harness.view.groupAt(idOf(harness, 'a'), heading)!;
    expect(groupText(group, harness.view)).toBe('a\nb\nc');
    expect(harness.view.groupAt(idOf(harness, 'b'), 0)).toBeUndefined();
  });
});
