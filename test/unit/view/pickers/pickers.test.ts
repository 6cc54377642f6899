import { expect, it } from 'vitest';
import { loginPicker, loginRunPicker } from '../../../../src/view/pickers/login.ts';
import { pagePicker } from '../../../../src/view/pickers/references.ts';
import { installPicker } from '../../../../src/view/pickers/registry.ts';
import { checkpointPicker, restorePicker } from '../../../../src/view/pickers/restore.ts';
import { sessionsPicker } from '../../../../src/view/pickers/sessions.ts';

const columns = 80;
const long = 'a first prompt that goes on and on '.repeat(5);
const numbered = (label: string | undefined) => `1: ${label}`.length;

it('loginRunPicker quotes the words of its command', () => {
  const { prompt } = loginRunPicker({ chat: 1, run: 1 }, 'Agent', {
    id: 'a',
    name: 'A',
    description: undefined,
    kind: 'terminal',
    command: ['agent', '--name', 'a b', 'login'],
    env: { HOME: '/x PATH=/y' },
  });
  expect(prompt).toContain("HOME='/x PATH=/y' agent --name 'a b' login");
});

it.each([
  [
    'login',
    (text: string) =>
      loginRunPicker({ chat: 1, run: 1 }, 'Agent', {
        ...{ id: 'a', name: 'A', description: undefined, kind: 'terminal', env: {} },
        command: ['sh', '-c', text],
      }),
  ],
  [
    'agent of a registry',
    (text: string) =>
      installPicker({ name: 'A', version: '1', origin: 'o' }, { summary: `npx -y a '${text}'` }),
  ],
] as const)('the picker about the command of a %s shows line breaks, and the whole command', (_, picker) => {
  const text = `# harmless\nrm  -rf ~ # ${'x'.repeat(500)}\rls`;
  const { prompt, body, mustSee, items } = picker(text);
  expect(prompt).toContain('# harmless ⏎ rm  -rf ~ # ');
  const lines = body!.lines;
  expect(lines.slice(0, 2).map((line) => line.trimEnd())).toEqual([
    expect.stringMatching(/# harmless$/),
    expect.stringMatching(/^ {2}rm {2}-rf ~ # x+$/),
  ]);
  expect(lines.join('')).toMatch(/x{500}␍ls'$/);
  expect(mustSee).toBe(lines.length);
  expect(items.map(({ consents }) => consents)).toEqual([true, undefined]);
});

it('an address is shown and opened as a browser reads it, so that its host is in sight', () => {
  const [backslash, noSlashes] = ['https://evil.example\\@good.example', 'https:evil.example'];
  expect(pagePicker(1, backslash).prompt).toBe('https://evil.example/@good.example');
  expect(pagePicker(1, noSlashes).items[0]?.payload).toEqual({ chat: 1, url: 'https://evil.example/' });
});

it('pagePicker lets a page be opened only after its whole address was on the screen', () => {
  const url = `https://good.example.${'a'.repeat(2_000)}.evil.example/`;
  const { body, mustSee, items } = pagePicker(1, url);
  expect(body!.lines.join('')).toContain('.evil.example/');
  expect(mustSee).toBe(body!.lines.length);
  expect(items[0]).toMatchObject({ label: 'Open it in the browser', consents: true });
});

it('sessionsPicker limits a row with a long first prompt to 80 columns', () => {
  const item = {
    agent: 'opencode',
    sessionId: 's',
    cwd: '/p',
    title: undefined,
    firstPrompt: long,
    updatedAt: 0,
    open: undefined,
    files: [],
    isStoredByAgent: true,
  };
  const { items } = sessionsPicker([item], 'open', { cwd: '/p', home: '/h', now: 0 });
  expect(numbered(items[0]?.label)).toBeLessThanOrEqual(columns);
});

it('checkpointPicker lists prompts that changed nothing only on request, or if none did', () => {
  const checkpoint = (id: number, changed: number) => ({ id, at: 0, prompt: `p${id}`, changed });
  const labels = (...of: Parameters<typeof checkpointPicker>) =>
    checkpointPicker(...of).items.map(({ label }) => label.replace(/^\S+ +/, ''));
  const all = [checkpoint(3, 0), checkpoint(2, 1), checkpoint(1, 0)];
  expect(labels(1, all)).toEqual(['p2  (1 file changed)', 'all 3 prompts']);
  expect(checkpointPicker(1, all).items[1]).toMatchObject({ op: 'restore.show', payload: { all: true } });
  expect(labels(1, all, true)).toHaveLength(3);
  expect(labels(1, [checkpoint(1, 0)])).toEqual(['p1  (0 files changed)']);
});

it('checkpointPicker limits a row with a long prompt to 80 columns', () => {
  const { items } = checkpointPicker(1, [{ id: 1, at: 0, prompt: long, changed: 12 }]);
  expect(numbered(items[0]?.label)).toBeLessThanOrEqual(columns);
});

it('pickers have kinds that plugins for vim.ui.select can rely on', () => {
  expect(loginPicker(1, 'Agent', []).kind).toBe('acp.login');
  expect(checkpointPicker(1, []).kind).toBe('acp.checkpoint');
  expect(restorePicker(1, 1, []).kind).toBe('acp.restore');
});

it('the id of a session without a title is shown on one line, without control characters', () => {
  const item = {
    ...{ agent: 'a', sessionId: 'x\n2: Other\u001b[2J\u202e', cwd: undefined, title: undefined },
    ...{ updatedAt: undefined, open: undefined, files: [], isStoredByAgent: true },
  };
  const place = { cwd: '/p', home: '/h', now: 0 };
  const { items } = sessionsPicker([item, { ...item, sessionId: ' ' }], 'open', place);
  expect(items.map(({ label }) => label)).toEqual(['  x 2: Other␛[2J\ufffd · a', '  a session · a']);
});
