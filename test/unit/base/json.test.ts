import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/base/json.ts';

describe('parseJson', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}"x"${']'.repeat(depth)}`;

  it('returns ordinary JSON unchanged', () => {
    const value = { list: [1, null, 'x', { deep: true }], text: 'x'.repeat(500) };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
    expect(JSON.stringify(parseJson(nested(60)))).toBe(nested(60));
  });

  it.each([
    ['lists', nested(100_000)],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['objects named __proto__', `${'{"__proto__":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ])('cuts off deeply nested %s, so that they can be serialised', (_, text) => {
    expect(JSON.stringify(parseJson(text))).toContain('…');
  });
});
