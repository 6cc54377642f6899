import { describe, expect, it } from 'vitest';
import { RecentStderr } from '../../../../../src/acp/transports/stdio/recent-stderr.ts';

function aProgram() {
  const time = { now: 0 };
  return { time, words: new RecentStderr(() => time.now) };
}

function said(...lines: readonly string[]): readonly string[] {
  const { words } = aProgram();
  for (const line of lines) words.add(line);
  return words.last(4);
}

describe('RecentStderr', () => {
  it('returns the last lines that are not empty', () => {
    expect(said('a', '', 'b', '  ', 'c', 'd', 'e')).toEqual(['b', 'c', 'd', 'e']);
  });

  it('leaves out lines that are older than a few seconds', () => {
    const { words, time } = aProgram();
    words.add('a session was opened');
    time.now = 60_000;
    expect(words.last(4)).toEqual([]);
    words.add('out of memory');
    time.now = 61_000;
    expect(words.last(4)).toEqual(['out of memory']);
  });

  it.each([
    [
      'colours',
      '\x1b[2m2026-11-16T12:00:39Z\x1b[0m \x1b[31mERROR\x1b[0m lost',
      '2026-11-16T12:00:39Z ERROR lost',
    ],
    ['a title', '\x1b]0;agent\x07lost', 'lost'],
  ])('removes escape sequences: %s', (_, line, expected) => {
    expect(said(line)).toEqual([expected]);
  });

  it('shortens long lines', () => {
    const [line = ''] = said('x'.repeat(2_000));
    expect(line).toHaveLength(200);
    expect(line).toMatch(/…$/);
  });

  it('leaves out lines of JSON', () => {
    expect(said('{"type":"patch","op":"add"}', '[{"a":1}]', '[session] lost', '{ not json')).toEqual([
      '[session] lost',
      '{ not json',
    ]);
  });
});
