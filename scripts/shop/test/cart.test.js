import assert from 'node:assert';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { add, count, remove, total } from '../src/cart.js';

const pen = { id: 'pen', price: 199 };
const ink = { id: 'ink', price: 750 };
const cart = (...things) => things.reduce(add, { items: [] });

test('an empty cart costs nothing', () => {
  assert.equal(total(cart()), 0);
});

test('a thing can be added twice', () => {
  assert.equal(count(cart(pen, pen, ink)), 3);
});

test('a thing can be removed', () => {
  assert.equal(count(remove(cart(pen, ink), 'pen')), 1);
});

test('a slow network is waited for', async () => {
  await pause(3_000);
  assert.equal(total(cart(ink)), 750);
});
