import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { answers } from '../../../src/nvim/operation-answers.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const operations = Object.keys(answers).sort();

/** The text of all files below a folder, with one ending. */
function sources(folder: string, ending: string): string {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => fs.readFileSync(path.join(root, folder, name), 'utf8'))
    .join('\n');
}

describe('operations that the host runs in Neovim', () => {
  it('each have a handler in lua/acp/operations.lua, and no handler is left over', () => {
    const lua = fs.readFileSync(path.join(root, 'lua/acp/operations.lua'), 'utf8');
    const handlers = [...lua.matchAll(/^ {2}\['([\w.]+)'\] = function/gm)].map(([, name]) => name);
    expect(handlers.sort()).toEqual(operations);
  });

  it('are each used by the host', () => {
    const source = sources('src', '.ts');
    const isUsed = (op: string) => new RegExp(`(call|send)\\(\\s*'${op}'|op: '${op}'`).test(source);
    expect(operations.filter((op) => !isUsed(op))).toEqual([]);
  });
});

describe('the answer of Neovim', () => {
  it('is read with its known fields only', () => {
    const file = { path: '/a', stamp: '1 2', isModified: true, isCurrent: false };
    expect(answers['buffer.files']([{ ...file, more: 1 }], 'the answer to buffer.files')).toEqual([file]);
  });

  it.each([
    ['buffer.read', undefined],
    ['buffer.read', null],
    ['terminal.open', null],
  ] as const)('to %s may be missing: %j', (op, answer) => {
    expect(answers[op](answer, `the answer to ${op}`)).toBeUndefined();
  });

  it.each([
    [
      'buffer.write_target',
      { otherEditor: { pid: 'x' } },
      'the answer to buffer.write_target.otherEditor.pid must be a number, not "x"',
    ],
    ['buffer.change', { status: 'lost' }, 'the answer to buffer.change.status must be one of saved,'],
    ['buffer.files', [{ path: 1 }], 'the answer to buffer.files[0].path must be a string, not 1'],
    ['terminal.write', null, 'the answer to terminal.write must be one of written, gone, not null'],
    ['chat.draw', 7, 'the answer to chat.draw must be a table, not 7'],
  ] as const)('to %s is refused with the name of the invalid field: %j', (op, answer, message) => {
    expect(() => answers[op](answer, `the answer to ${op}`)).toThrow(message);
  });
});
