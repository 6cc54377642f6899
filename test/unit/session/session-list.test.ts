import { expect, it } from 'vitest';
import type { ChatSummary, SessionListItem } from '../../../src/model/session-list.ts';
import { mergeSessionLists, type SessionSources } from '../../../src/session/session-list.ts';
import { deletionPicker, sessionsPicker, timeAgo } from '../../../src/view/pickers/sessions.ts';
import { cpuTime } from '../../support/cpu-time.ts';

const none: SessionSources = { open: [], archived: [], kept: [], agent: 'tester' };

const anOpen = (fields: Partial<ChatSummary> = {}): ChatSummary => ({
  chat: 1,
  agent: 'tester',
  sessionId: 's1',
  cwd: '/work',
  title: 'Open',
  updatedAt: 1,
  isWaiting: false,
  isBusy: false,
  ...fields,
});

const archived = (file: string, updatedAt: number, sessionId = 's1', agent = 'tester') => ({
  file,
  sessionId,
  agent,
  cwd: '/work',
  title: `written in ${file}`,
  updatedAt,
});

const kept = (sessionId: string, updatedAt: number, title?: string) => ({
  sessionId,
  cwd: '/work',
  title,
  updatedAt,
});

const item = (fields: Partial<SessionListItem>): SessionListItem => ({
  agent: 'tester',
  sessionId: 's1',
  cwd: '/work',
  title: 'A title',
  updatedAt: 0,
  open: undefined,
  files: [],
  isStoredByAgent: false,
  ...fields,
});

it('mergeSessionLists lists a chat once even if it shows several sessions', () => {
  const items = mergeSessionLists({
    ...none,
    archived: [archived('old', 1, 's1'), archived('new', 2, 's2')],
    kept: [kept('s1', 3, 'Kept')],
    open: [anOpen({ sessionId: 's2', shownIds: ['s1', 's2'] })],
  });
  expect(items).toMatchObject([{ sessionId: 's2', open: { chat: 1 }, files: ['new', 'old'] }]);
});

it('mergeSessionLists lists a session of a profile once, under the name that it was started with', () => {
  const items = mergeSessionLists({
    ...none,
    archived: [archived('file', 1, 's1', 'work')],
    kept: [kept('s1', 3, 'Kept'), kept('s2', 2)],
    otherNames: ['work'],
  });
  expect(items).toMatchObject([
    { agent: 'work', sessionId: 's1', title: 'Kept', files: ['file'], isStoredByAgent: true },
    { agent: 'tester', sessionId: 's2' },
  ]);
});

it('mergeSessionLists takes the title that the user chose before that of the agent', () => {
  const items = mergeSessionLists({
    ...none,
    archived: [{ ...archived('file', 1), chosenTitle: 'Mine' }],
    kept: [kept('s1', 3, 'Kept')],
  });
  expect(items).toMatchObject([{ title: 'Mine' }]);
});

it('mergeSessionLists lists every open chat, even with equal session ids', () => {
  const open = [anOpen(), anOpen({ chat: 2 }), anOpen({ chat: 3, sessionId: 's3', shownIds: ['s1', 's3'] })];
  expect(mergeSessionLists({ ...none, open }).map((item) => item.open?.chat)).toEqual([1, 2, 3]);
});

it('mergeSessionLists lists a session once, whatever sources contain it', () => {
  const [only, ...others] = mergeSessionLists({
    ...none,
    archived: [archived('old', 1), archived('new', 2)],
    kept: [kept('s1', 3, 'Kept')],
    open: [anOpen()],
  });
  expect(others).toEqual([]);
  expect(only).toMatchObject({
    title: 'Open',
    files: ['new', 'old'],
    isStoredByAgent: true,
    open: { chat: 1 },
  });
});

it('mergeSessionLists lists sessions with an id that the agent gave again, unless it lists the id', () => {
  const journals = [
    { ...archived('monday', 1), begunAt: 1 },
    { ...archived('monday, continued', 2), begunAt: 1 },
    { ...archived('tuesday', 3), begunAt: 3 },
  ];
  const files = (sources: Partial<SessionSources>) =>
    mergeSessionLists({ ...none, archived: journals, ...sources }).map((item) => item.files);
  expect(files({})).toEqual([['tuesday'], ['monday, continued', 'monday']]);
  expect(files({ open: [anOpen({ begunAt: 3 })] })).toEqual([['tuesday'], ['monday, continued', 'monday']]);
  expect(files({ open: [anOpen({ begunAt: 1 })] })).toEqual([['monday, continued', 'monday'], ['tuesday']]);
  expect(files({ open: [anOpen({ begunAt: 5 })] })).toEqual([
    [],
    ['tuesday'],
    ['monday, continued', 'monday'],
  ]);
  expect(files({ kept: [kept('s1', 4)] })).toEqual([['tuesday', 'monday, continued', 'monday']]);
});

it('mergeSessionLists keeps sessions apart whose id is only in the list of another agent', () => {
  const ofOther = (file: string, begunAt: number) => ({ ...archived(file, begunAt, 's1', 'other'), begunAt });
  const items = mergeSessionLists({
    ...none,
    archived: [ofOther('monday', 1), ofOther('tuesday', 2)],
    kept: [kept('s1', 3)],
  });
  expect(items.map(({ files }) => files)).toEqual([[], ['tuesday'], ['monday']]);
});

it("mergeSessionLists prefers the agent's title to the journal's", () => {
  const sources = { ...none, archived: [archived('one', 1), archived('two', 1, 's2')] };
  const items = mergeSessionLists({ ...sources, kept: [kept('s1', 2, 'Kept'), kept('s2', 1)] });
  expect(items.map(({ title }) => title)).toEqual(['Kept', 'written in two']);
});

it('mergeSessionLists keeps sessions of different agents apart', () => {
  const items = mergeSessionLists({
    ...none,
    archived: [archived('one', 1), archived('two', 2, 's1', 'other')],
  });
  expect(items.map(({ agent }) => agent)).toEqual(['other', 'tester']);
});

it('mergeSessionLists sorts open sessions first, then the newest', () => {
  const items = mergeSessionLists({
    ...none,
    kept: [kept('a', 5), kept('b', 9)],
    open: [
      anOpen({ sessionId: undefined, updatedAt: 1 }),
      anOpen({ chat: 2, sessionId: undefined, updatedAt: 2 }),
    ],
  });
  expect(items.map(({ open, sessionId }) => open?.chat ?? sessionId)).toEqual([2, 1, 'b', 'a']);
});

it.each<[string, Partial<SessionListItem>, string]>([
  ['an open session', { open: anOpen() }, '○ A title · tester · open'],
  ['a session that is working', { open: anOpen({ isBusy: true }) }, '● A title · tester · working'],
  [
    'a session that waits for the user',
    { open: anOpen({ isBusy: true, isWaiting: true }) },
    '? A title · tester · waiting for you',
  ],
  ['the age of a session', {}, '  A title · tester · 2 h ago'],
  [
    'the folder of a session in another folder',
    { cwd: '/home/me/src' },
    '  A title · tester · 2 h ago · ~/src',
  ],
  [
    'that another Neovim has a session open',
    { isOpenElsewhere: true },
    '  A title · tester · 2 h ago · open in another Neovim',
  ],
  ['a new session without a title', { title: undefined, open: anOpen() }, '○ a new session · tester · open'],
  ['the id of a session without a title', { title: ' ' }, '  s1 · tester · 2 h ago'],
  [
    'a title with line breaks on one line',
    { title: 'A\ntitle\u001b[31m' },
    '  A title␛[31m · tester · 2 h ago',
  ],
])('sessionsPicker shows %s', (_, fields, label) => {
  const place = { cwd: '/work', home: '/home/me', now: 2 * 3_600_000 };
  expect(sessionsPicker([item(fields)], 'open', place).items).toEqual([
    { label, op: 'session.open', payload: { index: 0 } },
  ]);
});

it('deletionPicker says whether the agent deletes its copy too', () => {
  expect(deletionPicker(item({}), true, { index: 3 }).prompt).toBe(
    'Delete "A title"? (tester deletes it too)',
  );
  expect(deletionPicker(item({}), false, { index: 3 }).prompt).toContain('may keep its own copy');
  expect(deletionPicker(item({}), true, { index: 3 }).items[0]).toEqual({ label: 'Keep it' });
});

it('mergeSessionLists keeps that another Neovim has an older journal of the session open', () => {
  const older = { ...archived('theirs', 1), isOpenElsewhere: true };
  const newer = { ...archived('own', 2), isOpenElsewhere: false };
  expect(mergeSessionLists({ ...none, archived: [older, newer] })).toMatchObject([{ isOpenElsewhere: true }]);
});

it.each([
  [0, 'just now'],
  [59_000, 'just now'],
  [60_000, '1 m ago'],
  [3_600_000, '1 h ago'],
  [86_400_000, 'yesterday'],
  [10 * 86_400_000, '10 days ago'],
  [-5, 'just now'],
])('timeAgo formats %i ms', (ms, text) => {
  expect(timeAgo(0, ms)).toBe(text);
});

it('mergeSessionLists takes linear time', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => index);
  const sources = {
    ...none,
    archived: many(20_000).map((index) => archived(`${index}`, index, `a${index}`)),
    kept: many(20_000).map((index) => kept(`k${index}`, index)),
  };
  const before = cpuTime();
  expect(mergeSessionLists(sources)).toHaveLength(40_000);
  expect(cpuTime() - before).toBeLessThan(4_000);
});
