import { describe, expect, it } from 'vitest';
import { DisposableStore, lookUp, once } from '../../src/base.ts';

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
