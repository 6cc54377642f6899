import { expect, it } from 'vitest';
import {
  type CatalogueItem,
  catalogueOf,
  type OpenSession,
  type Sources,
} from '../../../src/session/catalogue.ts';
import { ago, deletionPicker, sessionsPicker } from '../../../src/view/session-pickers.ts';

const none: Sources = { open: [], archived: [], kept: [], agent: 'tester' };

const anOpen = (fields: Partial<OpenSession> = {}): OpenSession => ({
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

const item = (fields: Partial<CatalogueItem>): CatalogueItem => ({
  agent: 'tester',
  sessionId: 's1',
  cwd: '/work',
  title: 'A title',
  updatedAt: 0,
  open: undefined,
  files: [],
  isKept: false,
  ...fields,
});

it('has a chat once whose agent began another session below the one it shows', () => {
  const items = catalogueOf({
    ...none,
    archived: [archived('old', 1, 's1'), archived('new', 2, 's2')],
    kept: [kept('s1', 3, 'Kept')],
    open: [anOpen({ sessionId: 's2', shownIds: ['s1', 's2'] })],
  });
  expect(items).toMatchObject([{ sessionId: 's2', open: { chat: 1 }, files: ['new', 'old'] }]);
});

it('has every open chat, also when two agents gave their sessions the same id', () => {
  const open = [anOpen(), anOpen({ chat: 2 }), anOpen({ chat: 3, sessionId: 's3', shownIds: ['s1', 's3'] })];
  expect(catalogueOf({ ...none, open }).map((item) => item.open?.chat)).toEqual([1, 2, 3]);
});

it('has each conversation once, wherever it is known from', () => {
  const [only, ...others] = catalogueOf({
    ...none,
    archived: [archived('old', 1), archived('new', 2)],
    kept: [kept('s1', 3, 'Kept')],
    open: [anOpen()],
  });
  expect(others).toEqual([]);
  expect(only).toMatchObject({ title: 'Open', files: ['new', 'old'], isKept: true, open: { chat: 1 } });
});

it('takes the title of the agent before what was written down, and keeps that where it has none', () => {
  const sources = { ...none, archived: [archived('one', 1), archived('two', 1, 's2')] };
  const items = catalogueOf({ ...sources, kept: [kept('s1', 2, 'Kept'), kept('s2', 1)] });
  expect(items.map(({ title }) => title)).toEqual(['Kept', 'written in two']);
});

it('tells sessions of different agents apart', () => {
  const items = catalogueOf({ ...none, archived: [archived('one', 1), archived('two', 2, 's1', 'other')] });
  expect(items.map(({ agent }) => agent)).toEqual(['other', 'tester']);
});

it('has those that are open first, then the newest', () => {
  const items = catalogueOf({
    ...none,
    kept: [kept('a', 5), kept('b', 9)],
    open: [
      anOpen({ sessionId: undefined, updatedAt: 1 }),
      anOpen({ chat: 2, sessionId: undefined, updatedAt: 2 }),
    ],
  });
  expect(items.map(({ open, sessionId }) => open?.chat ?? sessionId)).toEqual([2, 1, 'b', 'a']);
});

it.each<[string, Partial<CatalogueItem>, string]>([
  ['what is open', { open: anOpen() }, '● A title · tester · open'],
  ['what works', { open: anOpen({ isBusy: true }) }, '● A title · tester · working'],
  ['what waits', { open: anOpen({ isBusy: true, isWaiting: true }) }, '● A title · tester · waiting for you'],
  ['how old it is', {}, '  A title · tester · 2 h ago'],
  ['where it is when that is elsewhere', { cwd: '/home/me/src' }, '  A title · tester · 2 h ago · ~/src'],
  ['that it is new', { title: undefined, open: anOpen() }, '● a new session · tester · open'],
  ['its id where it has no title', { title: ' ' }, '  s1 · tester · 2 h ago'],
  ['a title of several lines on one', { title: 'A\ntitle\u001b[31m' }, '  A title␛[31m · tester · 2 h ago'],
])('shows %s', (_, fields, label) => {
  const place = { cwd: '/work', home: '/home/me', now: 2 * 3_600_000 };
  expect(sessionsPicker([item(fields)], 'open', place).items).toEqual([
    { label, op: 'session.open', payload: { index: 0 } },
  ]);
});

it('asks before it deletes, and says what stays', () => {
  expect(deletionPicker(item({}), 3, true).prompt).toBe('Delete "A title"? (tester forgets it too)');
  expect(deletionPicker(item({}), 3, false).prompt).toContain('may keep its own copy');
  expect(deletionPicker(item({}), 3, true).items[0]).toMatchObject({ label: 'Keep it', op: 'session.keep' });
});

it.each([
  [0, 'just now'],
  [59_000, 'just now'],
  [60_000, '1 m ago'],
  [3_600_000, '1 h ago'],
  [86_400_000, 'yesterday'],
  [10 * 86_400_000, '10 days ago'],
  [-5, 'just now'],
])('says %i ms as a person would', (ms, text) => {
  expect(ago(0, ms)).toBe(text);
});
