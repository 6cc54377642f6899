import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findMentionName, mentionNames } from '../../../src/prompt/mention-names.ts';

const help = fs.readFileSync(path.resolve(import.meta.dirname, '../../../doc/acp.txt'), 'utf8');
const [, section = ''] = /\*acp-mentions\*\n([\s\S]*?)\n={78}/.exec(help) ?? [];
/** The mentions by name in the table of the help. */
const rows = [...section.matchAll(/^ {4}@([a-z]+)(?::(\S+))? {2,}\S/gm)]
  .map(([, name = '', argument]) => ({ name, argument }))
  .filter(({ name }) => name !== 'src');

describe('the help about mentions', () => {
  it('has every name', () => {
    const listed = new Set(rows.map(({ name }) => name));
    expect(mentionNames.map(({ name }) => name).filter((name) => !listed.has(name))).toEqual([]);
  });

  it('has no other name', () => {
    expect(rows.filter(({ name }) => !findMentionName(name))).toEqual([]);
  });

  it('shows an argument where there must be one, and none where there is none', () => {
    const wrong = rows.filter(({ name, argument }) => {
      const rule = findMentionName(name)?.argument;
      return argument === undefined ? rule === 'required' : rule === 'none';
    });
    expect(wrong).toEqual([]);
  });
});
