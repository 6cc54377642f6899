import { expect, it } from 'vitest';
import { panelLines, type SessionRow } from '../../../../src/view/sessions/panel.ts';

const now = 10 * 60_000;

const aRow = (
  fields: Partial<SessionRow> = {},
  chat?: Partial<NonNullable<SessionRow['chat']>>,
): SessionRow => ({
  item: 1,
  title: 'Fix the redirect',
  agent: 'tester',
  cwd: '/work',
  branch: 'main',
  updatedAt: 0,
  ...fields,
  ...(chat && {
    chat: {
      ...{ state: 'idle', files: 0, context: undefined, queued: 0 },
      ...{ waitsFor: undefined, lastLine: undefined, marks: [] },
      ...chat,
    },
  }),
});

const linesOf = (...rows: readonly SessionRow[]) =>
  panelLines({ rows, cwd: '/work', home: '/home/me', isAll: false, isLoading: false }, now);

const texts = (...rows: readonly SessionRow[]) => linesOf(...rows).map(({ line }) => line.text);

it('a chat has its state, its facts and what it waits for', () => {
  const chat = { state: 'waiting', files: 2, context: 34, queued: 1, lastLine: 'hidden' } as const;
  expect(texts(aRow({}, { ...chat, waitsFor: '? run rm -rf build' }))).toEqual([
    'Sessions   /work',
    '? Fix the redirect',
    '    tester · main · 2 changed files · 34 % of the context · 1 queued',
    '    ? run rm -rf build',
  ]);
});

it('a session that another Neovim has open says so', () => {
  expect(texts(aRow({ isOpenElsewhere: true }))).toContain('    tester · main · open in another Neovim');
});

it('each line names its session, and earlier sessions come below a blank line', () => {
  const lines = linesOf(
    aRow({}, { lastLine: 'done' }),
    aRow({ item: 2, cwd: '/home/me/x', branch: undefined }),
  );
  expect(lines.map(({ item }) => item)).toEqual([0, 1, 1, 1, 0, 2, 2]);
  expect(lines.at(-1)?.line.text).toBe('    tester · ~/x');
  expect(lines[1]?.line.right).toEqual([['10 m ago', 'AcpMuted']]);
});

it('shows the last line of the agent as the chat does, without the signs of Markdown', () => {
  const [, , , last] = linesOf(aRow({}, { lastLine: 'Wrote `a.md` and **b**.' }));
  expect(last?.line.text).toBe('    Wrote a.md and b.');
  expect(last?.line.spans).toContainEqual({ from: 10, to: 14, hl: 'AcpCode' });
});

it('a hostile text is one short line without control characters', () => {
  const hostile = `a\nb\u001b[31m\u202e${'x'.repeat(1_000_000)}`;
  for (const { line } of linesOf(aRow({ title: hostile, branch: hostile }, { lastLine: hostile }))) {
    expect(line.text).not.toMatch(/[\n\u001b\u202e]/);
    expect(line.text.length).toBeLessThan(1_000);
  }
});

it('has words instead of signs and virtual text in plain mode', () => {
  const rows = [aRow({}, { state: 'working' }), aRow({ item: 2 })];
  const list = { rows, cwd: '/work', home: '/home/me', isAll: false, isPlain: true, isLoading: false };
  const lines = panelLines(list, now).map(({ line }) => line);
  expect(lines.map(({ text }) => text).filter((text) => text.includes(': '))).toEqual([
    'working: Fix the redirect  working',
    'closed: Fix the redirect  10 m ago',
  ]);
  expect(lines.every(({ right }) => right === undefined)).toBe(true);
});
