import { describe, expect, it } from 'vitest';
import { DisposableStore, lookUp, once, parseJson } from '../../src/base.ts';

describe('a store of disposables', () => {
  function aStore() {
    const ended: string[] = [];
    const owned = (name: string) => ({ dispose: () => ended.push(name) });
    return { store: new DisposableStore(), ended, owned };
  }

  it('ends what it owns in reverse order, once', () => {
    const { store, ended, owned } = aStore();
    for (const name of ['a', 'b', 'c']) store.add(owned(name));
    store.dispose();
    store.dispose();
    expect(ended).toEqual(['c', 'b', 'a']);
  });

  it('ends at once what comes too late', () => {
    const { store, ended, owned } = aStore();
    store.dispose();
    store.add(owned('late'));
    expect(ended).toEqual(['late']);
  });
});

it('calls once what is to be called once, even if it gave nothing', () => {
  let calls = 0;
  const start = once(() => {
    calls += 1;
  });
  expect([start(), start(), calls]).toEqual([undefined, undefined, 1]);
});

it.each([
  ['a', 1],
  ['b', undefined],
  ['constructor', undefined],
  ['__proto__', undefined],
  [['a'], undefined],
  [undefined, undefined],
])('looks up %j in a table', (key, expected) => expect(lookUp({ a: 1 }, key)).toBe(expected));

describe('JSON of somebody else', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}"x"${']'.repeat(depth)}`;

  it('is read as it is', () => {
    const value = { list: [1, null, 'x', { deep: true }], text: 'x'.repeat(500) };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
    expect(JSON.stringify(parseJson(nested(60)))).toBe(nested(60));
  });

  it.each([
    ['lists', nested(100_000)],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['objects of an odd name', `${'{"__proto__":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ])('can be written again however deep its %s go', (_, text) => {
    expect(JSON.stringify(parseJson(text))).toContain('…');
  });
});
