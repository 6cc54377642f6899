import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Diff, ToolEntry } from '../../../../src/model/entries.ts';
import type { BufferText } from '../../../../src/workspace/files/buffer.ts';
import { documentOf } from '../../../../src/workspace/files/document.ts';
import { type FileRecord, FileRecords } from '../../../../src/workspace/files/file-record.ts';
import { AgentReports } from '../../../../src/workspace/files/knowledge/agent-reports.ts';
import { Roots } from '../../../../src/workspace/files/roots.ts';
import { aFolder } from '../../../support/system/temp.ts';

interface Setup {
  /** The text on disk; undefined: there is no file. */
  readonly disk?: string;
  /** The text that the agent knows. */
  readonly known?: string;
  readonly shown?: (record: FileRecord) => string | undefined;
}

function someReports({ disk, known, shown = () => undefined }: Setup = {}) {
  const cwd = aFolder();
  const records = new FileRecords();
  const file = path.join(cwd, 'a.txt');
  if (disk !== undefined) fs.writeFileSync(file, disk);
  const record = records.get(file);
  record.agentText = known;
  const visibleText = (about: FileRecord) => Promise.resolve(shown(about));
  const reports = new AgentReports({ cwd, roots: new Roots([cwd]), records, visibleText });
  return { cwd, file, records, record, reports };
}

function aCall(fields: Partial<ToolEntry>): ToolEntry {
  return {
    ...{ id: 1, at: 0, kind: 'tool', toolCallId: 'call', title: 'Call', toolKind: 'edit', status: 'done' },
    ...{ content: [], diffs: [], terminals: [], locations: [], agentStarts: 0, startedAt: 0 },
    ...{ endedAt: undefined, rawInput: undefined, rawOutput: undefined },
    ...fields,
  };
}

const aDiff = (oldText: string | undefined, newText: string, file = 'a.txt'): Diff => ({
  ...{ kind: 'diff', path: file, oldText, newText },
});
const anEdit = (toolCallId: string, ...content: readonly Diff[]) => aCall({ toolCallId, content });
const aRead = (toolCallId: string, file = 'a.txt', line?: number, ...texts: readonly string[]) =>
  aCall({
    ...{ toolCallId, toolKind: 'read', locations: [{ path: file, line }] },
    content: texts.map((text) => ({ kind: 'text', text })),
  });
const aBuffer = (file: string, text: string, isLegible = true): BufferText => ({
  ...{ ...documentOf(text), path: file, buf: 1, tick: 1, isModified: false, time: '', isCurrent: true },
  isLegible,
});

describe('a text that the agent is about to write is based on the text', () => {
  it.each<[string, string, readonly Diff[], string]>([
    ['that its edit is about', 'a b', [aDiff('b', 'c')], 'a c'],
    ['that it has replaced', 'a b', [aDiff('a b', 'c')], 'c'],
    ['that all of its edits are about', 'a b', [aDiff('b', 'c'), aDiff('a', 'b')], 'b c'],
    ['of an empty file', '', [aDiff(undefined, 'new')], 'new'],
    ['as its edit has it, to the letter', 'a b', [aDiff('b', '$&$&')], 'a $&$&'],
    ['of which its edit is about the first place', 'b b', [aDiff('b', 'c')], 'c b'],
  ])('%s', async (_, disk, diffs, content) => {
    const { reports, record } = someReports({ disk, known: 'something else' });
    reports.note(anEdit('call', ...diffs));
    await reports.learnBase(record, 'a.txt', content);
    expect(record).toMatchObject({ agentText: disk, earlierTexts: ['something else'] });
  });

  it.each<[string, string | undefined, readonly Diff[], string]>([
    ['it has another result', 'a b', [aDiff('b', 'c')], 'a d'],
    ['the second edit is not about it', 'a b', [aDiff('b', 'c'), aDiff('x', 'y')], 'a c'],
    ['the first edit is not about it', 'a b', [aDiff('x', 'y'), aDiff('b', 'c')], 'a c'],
    ['the file is not empty, as the edit says', 'a b', [aDiff(undefined, 'new ')], 'new a b'],
    ['the edit is of another file', 'a b', [aDiff('b', 'c', 'other.txt')], 'a c'],
    ['nothing was reported', 'a b', [], 'a b'],
    ['there is no file', undefined, [aDiff('b', 'c')], 'a c'],
  ])('but not if %s', async (_, disk, diffs, content) => {
    const { reports, record } = someReports({ known: 'something else', ...(disk !== undefined && { disk }) });
    reports.note(anEdit('call', ...diffs));
    await reports.learnBase(record, 'a.txt', content);
    expect(record).toMatchObject({ agentText: 'something else', earlierTexts: [] });
  });

  it('of a folder, which has none, in no case', async () => {
    const { reports, record, file } = someReports({ known: 'something else' });
    fs.mkdirSync(file);
    reports.note(anEdit('call', aDiff('b', 'c')));
    await reports.learnBase(record, 'a.txt', 'a c');
    expect(record.agentText).toBe('something else');
  });

  // The edit makes "c c" of each of two texts.
  it.each<[string, Partial<FileRecord>, string]>([
    ['that it knows before that on disk', { agentText: 'b c' }, 'b c'],
    ['in the buffer', { buffer: aBuffer('/a.txt', 'b c') }, 'b c'],
    ['on disk if the buffer is not legible', { buffer: aBuffer('/a.txt', 'b c', false) }, 'c b'],
    ['that buffer and disk had in common', { base: { text: 'b c', time: '' } }, 'b c'],
    ['on disk if nobody knows what they had in common', { base: { text: undefined, time: '' } }, 'c b'],
  ])('%s', async (_, fields, known) => {
    const { reports, record } = someReports({ disk: 'c b' });
    Object.assign(record, fields);
    reports.note(anEdit('call', aDiff('b', 'c')));
    await reports.learnBase(record, 'a.txt', 'c c');
    expect(record.agentText).toBe(known);
  });

  it.each<[string, (file: string) => string, string]>([
    ['the path that it writes to', () => 'link.txt', './link.txt'],
    ['the real path', (file) => file, 'link.txt'],
  ])('of a file that its call names by %s', async (_, nameOf, written) => {
    const { reports, record, file } = someReports({ disk: 'a b' });
    reports.note(anEdit('call', aDiff('b', 'c', nameOf(file))));
    await reports.learnBase(record, written, 'a c');
    expect(record.agentText).toBe('a b');
  });

  it('that any of its last eight calls has changed', async () => {
    const { reports, record } = someReports({ disk: 'a b' });
    const other = (at: number) => anEdit(`call-${at}`, aDiff('b', `${at}`));
    reports.note(anEdit('call', aDiff('b', 'c')));
    for (let at = 1; at <= 7; at += 1) reports.note(other(at));
    await reports.learnBase(record, 'a.txt', 'a c');
    expect(record.agentText).toBe('a b');
    record.agentText = undefined;
    reports.note(other(8));
    await reports.learnBase(record, 'a.txt', 'a c');
    expect(record.agentText).toBeUndefined();
  });

  it('however often a call reports the same', async () => {
    const { reports, record } = someReports({ disk: 'a b' });
    reports.note(anEdit('call', aDiff('b', 'c')));
    for (let at = 0; at < 9; at += 1) reports.note(anEdit('again', aDiff('b', 'x'), aDiff('a', 'y')));
    await reports.learnBase(record, 'a.txt', 'a c');
    expect(record.agentText).toBe('a b');
  });

  it.each<[string, readonly Diff[]]>([
    ['another new text', [aDiff('a b', 'c d')]],
    ['another old text', [aDiff('b', 'c d')]],
    ['one edit more', [aDiff('a b', 'c'), aDiff('c', 'c d')]],
  ])('also if the call reports %s later', async (_, later) => {
    const { reports, record } = someReports({ disk: later[0]!.oldText === 'b' ? 'b' : 'a b' });
    reports.note(anEdit('call', aDiff('a b', 'c')));
    reports.note(anEdit('call', ...later));
    await reports.learnBase(record, 'a.txt', 'c d');
    expect(record.agentText).toBe(later[0]!.oldText);
  });

  it('also if another call reports the same', async () => {
    const { reports, record } = someReports({ disk: 'a b' });
    record.expected = { text: '', read: '' };
    reports.note(anEdit('call', aDiff('b', 'c')));
    record.expected = { text: 'x', read: '' };
    reports.note(anEdit('other', aDiff('b', 'c')));
    expect(record.expected).toBeUndefined();
  });

  it('in this turn only', async () => {
    const { reports, record } = someReports({ disk: 'a b' });
    reports.note(anEdit('call', aDiff('b', 'c')));
    reports.endTurn();
    await reports.learnBase(record, 'a.txt', 'a c');
    expect(record.agentText).toBeUndefined();
  });
});

describe('the text that is expected on disk', () => {
  const expected = { text: 'a', read: 'b' };

  it('is no longer that when a new call changes the file, but still if its own call goes on', () => {
    const { reports, record } = someReports();
    record.expected = expected;
    reports.note(anEdit('call', aDiff('b', 'c')));
    expect(record.expected).toBeUndefined();
    record.expected = expected;
    reports.note(anEdit('call', aDiff('b', 'd')));
    expect(record.expected).toBe(expected);
    reports.note(anEdit('other', aDiff('b', 'c', 'other.txt')));
    expect(record.expected).toBe(expected);
  });

  it('is forgotten after the turn, when all files were compared', () => {
    const { reports, record, records } = someReports();
    const other = records.get('/other.txt');
    for (const each of [record, other]) each.expected = expected;
    const forget = reports.endTurn();
    expect(record.expected).toBe(expected);
    const later = { ...expected };
    other.expected = later;
    forget();
    expect(record.expected).toBeUndefined();
    expect(other.expected).toBe(later);
  });
});

describe('a call that has read a file', () => {
  it.each<[string, ToolEntry, string]>([
    ['counts', aRead('call'), 'new'],
    ['counts from its first line', aRead('call', 'a.txt', 1), 'new'],
    ['does not count further down', aRead('call', 'a.txt', 2), 'old'],
    ['does not count before it is done', { ...aRead('call'), status: 'running' }, 'old'],
    ['does not count if it is of another kind', { ...aRead('call'), toolKind: 'search' }, 'old'],
    ['does not count for another file', aRead('call', 'other.txt'), 'old'],
  ])('%s', async (_, call, known) => {
    const { reports, record } = someReports({ disk: 'new', known: 'old' });
    reports.note(call);
    await reports.settled();
    expect(record.agentText).toBe(known);
  });

  it('counts once in a turn', async () => {
    const { reports, record } = someReports({ disk: 'new', known: 'old' });
    reports.note(aRead('call'));
    await reports.settled();
    record.agentText = 'old';
    reports.note(aRead('call'));
    await reports.settled();
    expect(record.agentText).toBe('old');
    reports.endTurn();
    reports.note(aRead('call'));
    await reports.settled();
    expect(record.agentText).toBe('new');
  });

  it('counts for the file behind a link', async () => {
    const { reports, record, cwd, file } = someReports({ disk: 'new', known: 'old' });
    fs.symlinkSync(file, path.join(cwd, 'link'));
    reports.note(aRead('call', 'link'));
    await reports.settled();
    expect(record.agentText).toBe('new');
  });

  it('counts for each of its files, also after one that could not be read', async () => {
    const failing: string[] = [];
    const shown = ({ path: file }: FileRecord) => {
      if (!file.endsWith('bad.txt')) return undefined;
      failing.push(file);
      throw new Error('unreadable');
    };
    const { reports, record, records, cwd } = someReports({ disk: 'new', known: 'old', shown });
    const bad = path.join(cwd, 'bad.txt');
    fs.writeFileSync(bad, 'new');
    records.get(bad).agentText = 'old';
    const locations = ['bad.txt', 'a.txt'].map((name) => ({ path: name, line: undefined }));
    reports.note({ ...aRead('call'), locations });
    await reports.settled();
    expect(failing).toEqual([bad]);
    expect(records.get(bad).agentText).toBe('old');
    expect(record.agentText).toBe('new');
  });

  it.each<[string, Setup]>([
    ['the agent knew nothing of before', { disk: 'new' }],
    ['is not there any more', { known: 'old' }],
    ['has the text that the agent knows', { disk: 'old', known: 'old' }],
  ])('changes nothing about a file that %s', async (_, setup) => {
    const asked: FileRecord[] = [];
    const shown = (about: FileRecord) => {
      asked.push(about);
      return undefined;
    };
    const { reports, record } = someReports({ ...setup, shown });
    reports.note(aRead('call'));
    await reports.settled();
    expect(record.agentText).toBe(setup.known);
    expect(asked).toEqual([]);
  });

  // On disk the second line is new, and the user has typed U there.
  it.each<[string, readonly string[], string]>([
    ['knows what it knew, if it shows neither', [], 'a\nold\nc'],
    ['knows the disk, if it shows that', ['a', 'new', 'c'], 'a\nnew\nc'],
    ['knows what it knew, if it shows the unsaved line', ['a', 'U', 'c'], 'a\nold\nc'],
  ])('of a file with unsaved text %s', async (_, texts, known) => {
    const { reports, record } = someReports({
      disk: 'a\nnew\nc',
      known: 'a\nold\nc',
      shown: () => 'a\nU\nc',
    });
    const call = aRead('call', 'a.txt', undefined, ...texts);
    reports.note({ ...call, content: [{ kind: 'other', label: 'image' }, ...call.content] });
    await reports.settled();
    expect(record.agentText).toBe(known);
  });

  it('knows the saved lines beside unsaved ones', async () => {
    const { reports, record } = someReports({
      ...{ disk: 'new\nb\nold', known: 'old\nb\nold', shown: () => 'new\nb\nU' },
    });
    reports.note(aRead('call'));
    await reports.settled();
    expect(record.agentText).toBe('new\nb\nold');
  });

  it('says less than a write meanwhile', async () => {
    const shown = (record: FileRecord) => {
      record.agentText = 'written';
      return undefined;
    };
    const { reports, record } = someReports({ disk: 'new', known: 'old', shown });
    reports.note(aRead('call'));
    await reports.settled();
    expect(record.agentText).toBe('written');
  });
});
