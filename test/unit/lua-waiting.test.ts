import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const lua = path.resolve(import.meta.dirname, '../../lua/acp');

interface LuaFunction {
  readonly name: string;
  readonly body: string;
}

/** The named functions of a file; the formatter indents the `end` of a function like its first line. */
function functionsOf(source: string): LuaFunction[] {
  const heads = source.matchAll(
    /^( *)(?:local )?function (?:M[.:])?(\w+)\(|^( *)local (\w+) = [\w.]*\(?function\(/gm,
  );
  return [...heads].map((head) => {
    const indent = head[1] ?? head[3] ?? '';
    const rest = source.slice(head.index);
    const end = rest.search(new RegExp(`\n${indent}end\\b`));
    return { name: head[2] ?? head[4] ?? '', body: end === -1 ? rest : rest.slice(head[0].length, end) };
  });
}

const calls = (text: string, name: string) =>
  new RegExp(`(?<![\\w.])(?:M\\.)?${name}(?:\\(|$)`, 'm').test(text);

/** What a function does itself, without comments and what functions within it do. */
function ownOf(body: string): string {
  return body.replaceAll(/^ *--.*$/gm, '').replaceAll(/^( *)(\S.*)?\bfunction\b.*\n[\s\S]*?\n\1end/gm, '');
}

/** The functions that a text schedules for the next turn of the event loop, by name or within a function. */
function scheduledIn(text: string): string {
  const named = [...text.matchAll(/vim\.schedule\(([\w.]+)\)/g)].map((found) => found[1]);
  const inline = [...text.matchAll(/^( *)vim\.schedule\(function\(\)\n([\s\S]*?)\n\1end\)/gm)].map(
    (found) => found[2],
  );
  return [...named, ...inline].join('\n');
}

/** Functions that schedule themselves, directly or through other functions of their file. */
function chainsOf(source: string): string[] {
  const functions = functionsOf(source);
  const wrapped = [...source.matchAll(/(\w+) = vim\.schedule_wrap\((\w+)\)/g)];
  const runs = (text: string) => functions.filter(({ name }) => calls(text, name)).map(({ name }) => name);
  const scheduled = new Map(
    functions.map(({ name, body }) => [
      name,
      [
        ...runs(scheduledIn(body)),
        ...wrapped.filter(([, alias]) => calls(ownOf(body), alias!)).map(([, , target]) => target!),
      ],
    ]),
  );
  const reached = new Map(
    functions.map(({ name, body }) => [name, [...runs(ownOf(body)), ...scheduled.get(name)!]]),
  );
  const leadsTo = (from: string, wanted: string, seen = new Set<string>()): boolean =>
    from === wanted ||
    (!seen.has(from) && (reached.get(from) ?? []).some((next) => leadsTo(next, wanted, seen.add(from))));
  return functions
    .map(({ name }) => name)
    .filter((name) => (scheduled.get(name) ?? []).some((next) => leadsTo(next, name)));
}

it('finds functions that schedule themselves', () => {
  const direct = 'local function step()\n  vim.schedule(step)\nend\n';
  const inline = 'local function step(done)\n  vim.schedule(function()\n    step(done)\n  end)\nend\n';
  const wrapped = 'local again\nlocal function step()\n  again()\nend\nagain = vim.schedule_wrap(step)\n';
  const mutual = 'function M.one()\n  vim.schedule(two)\nend\nlocal function two()\n  M.one()\nend\n';
  for (const source of [direct, inline, wrapped, mutual]) expect(chainsOf(source)).not.toEqual([]);
  expect(chainsOf('local function once()\n  vim.schedule(M.other)\nend\n')).toEqual([]);
});

// `vim.wait()` runs what is scheduled until nothing is left, so Neovim would hang. A timer lets it end.
it('no function waits by scheduling itself', () => {
  const found = fs
    .readdirSync(lua, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.lua'))
    .flatMap((file) =>
      chainsOf(fs.readFileSync(path.join(lua, file), 'utf8')).map((name) => `${file}: ${name}`),
    );
  expect(found).toEqual([]);
});
