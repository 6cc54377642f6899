import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { operations, requests } from '../../../src/app/operations.ts';

const root = path.resolve(import.meta.dirname, '../../..');

function sources(folder: string, ending: string): string {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => fs.readFileSync(path.join(root, folder, name), 'utf8'))
    .join('\n');
}

const lua = sources('lua', '.lua');
const view = sources('src/view', '.ts');

/** The operations that match an expression, whose first group is their name. */
const named = (source: string, pattern: RegExp) => [...source.matchAll(pattern)].map(([, op]) => op!);
const used = {
  requests: new Set(named(lua, /\b(?:ask|request)\(\s*'([a-z]+\.[a-z]+)'/g)),
  notifications: new Set([
    ...named(lua, /\b(?:notify|notify_if_running|notify_host|tell|send)\([^'"()]*'([a-z]+\.[a-z]+)'/g),
    ...named(lua, /\bop = '([a-z]+\.[a-z]+)'/g),
    ...named(lua, /\b(?:and|or) '([a-z]+\.[a-z]+)'/g),
    // What an item of a picker sends when the user chooses it.
    ...named(view, /\bop: '([a-z]+\.[a-z]+)'/g),
    ...named(view, /\bop = .* \? '([a-z]+\.[a-z]+)'/g),
    ...named(view, /\b(?:open|close|delete|kill): '([a-z]+\.[a-z]+)'/g),
  ]),
};
/** What the view opens in Neovim, which is no operation of the host. */
const opened = new Set(['picker.open', 'input.open']);

describe('operations that Neovim sends to the host', () => {
  it('each have a handler', () => {
    const known = new Set([...Object.keys(operations), ...opened]);
    expect([...used.notifications].filter((op) => !known.has(op))).toEqual([]);
    expect([...used.requests].filter((op) => !Object.keys(requests).includes(op))).toEqual([]);
  });

  it('are each sent by Lua, or by an item of a picker', () => {
    expect(Object.keys(operations).filter((op) => !used.notifications.has(op))).toEqual([]);
    expect(Object.keys(requests).filter((op) => !used.requests.has(op))).toEqual([]);
  });

  it('are named noun.verb', () => {
    const names = [...Object.keys(operations), ...Object.keys(requests)];
    expect(names.filter((op) => !/^[a-z]+\.[a-z]+$/.test(op))).toEqual([]);
  });

  it('each say what they do, for the sentence "could not …"', () => {
    const all = [...Object.values(operations), ...Object.values(requests)];
    expect(all.filter(({ purpose }) => !/^[a-z]+/.test(purpose))).toEqual([]);
  });
});
