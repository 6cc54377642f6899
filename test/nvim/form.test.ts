import { describe, expect } from 'vitest';
import { drawn, startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { answerImmediately, recordQuestions, User } from '../support/nvim/user.ts';

async function startAsking(start: Parameters<typeof startChat>[0], word: string) {
  const nvim = await startChat(start, { init: recordQuestions });
  await nvim.command(`AcpSend ${word}`);
  return { nvim, user: new User(nvim) };
}

async function text(nvim: TestNvim): Promise<string> {
  await drawn(nvim);
  return (await transcript(nvim)).join('\n');
}

describe('a form', () => {
  it('is filled in field by field, with a second try, and sent after a review of all fields', async ({
    start,
  }) => {
    const { nvim, user } = await startAsking(start, 'form');
    expect(await user.open()).toMatchObject({ kind: 'input', default: '' });
    await user.type('A project');
    const again = await user.next();
    expect(again.prompt).toMatch(/^"Name" must be text that matches .* Tour 1\/9 · Name/);
    expect(again.default).toBe('A project');
    await user.type('a-project');
    expect((await user.next()).prompt).toContain('Tour 2/9 · Email');
    await user.type('');
    expect(await user.next()).toMatchObject({ default: '2030-01-31' });
    await user.type('2030-02-01');
    expect((await user.next()).labels).toEqual(['  MIT', '  Apache-2.0', '  none', '  Skip this field']);
    await user.pick('MIT');
    expect((await user.next()).labels).toEqual(['› Lua — small and quick', '  TypeScript — with types']);
    await user.pick('TypeScript — with types');
    expect(await user.next()).toMatchObject({ default: '1' });
    await user.type('7');
    await user.next();
    await user.type('99.5');
    expect((await user.next()).labels).toEqual(['› Yes', '  No', '  Skip this field']);
    await user.pick('No');
    expect((await user.next()).labels).toEqual(['[ ] A linter', '[ ] Types', '[x] Tests', 'Done']);
    await user.pick('[ ] Types');
    expect((await user.next()).labels).toEqual(['[ ] A linter', '[x] Types', '[x] Tests', 'Done']);
    await user.pick('Done');
    const review = await user.next();
    expect(review).toMatchObject({ kind: 'acp.form', prompt: 'Tour: Let us plan a project.' });
    expect(review.labels).toContain('Checks: Types, Tests');
    expect(await text(nvim)).toContain('    Licence: MIT');
    await user.pick('Send');
    await waitForPhase(nvim, 'idle');
    const said = await text(nvim);
    expect(said).toContain('· asked: Let us plan a project.  Name: a-project, Due on: 2030-02-01');
    expect(said).toContain(
      ['• Name: a-project', '• Due on: 2030-02-01', '• Licence: MIT', '• Language: TypeScript']
        .join('\n')
        .replaceAll('•', '-'),
    );
    expect(said).toMatch(/- How many people\? 7\n- Budget: 99.5\n- Open source\? no\n- Checks: Types, Tests/);
    expect(await user.timesAsked).toBe(12);
  });

  it('keeps its values when it is closed, and reopens at the same field', async ({ start }) => {
    const { nvim, user } = await startAsking(start, 'form');
    await user.open();
    await user.type('a-project');
    await user.next();
    await user.type(undefined);
    await nvim.waitForScreen('answer with :AcpAnswer');
    await nvim.command('wincmd t');
    await nvim.command('wincmd b');
    await nvim.input('i<Esc>');
    await drawn(nvim);
    expect(await user.timesAsked).toBe(2);
    await nvim.command('AcpAnswer');
    expect((await user.next()).labels).toContain('Name: a-project');
    await user.pick('Decline');
    await waitForPhase(nvim, 'idle');
    expect(await text(nvim)).toContain('· asked: Let us plan a project.  declined');
  });

  it('does not open by itself', async ({ start }) => {
    const { nvim, user } = await startAsking(start, 'form');
    await nvim.waitForScreen('? waiting for you');
    await nvim.input('itext<Esc>dd');
    await drawn(nvim);
    expect(await user.timesAsked).toBe(0);
    expect((await user.open()).kind).toBe('input');
  });

  it('is withdrawn when the turn is cancelled, and ignores a late answer', async ({ start }) => {
    const { nvim, user } = await startAsking(start, 'form');
    await user.open();
    await nvim.command('AcpCancel');
    await waitForPhase(nvim, 'idle');
    await user.type('a-project');
    expect(await text(nvim)).toContain('· asked: Let us plan a project.  cancelled');
    expect(await user.timesAsked).toBe(1);
  });

  it('works with the built-in inputs of Neovim', async ({ start }) => {
    const nvim = await startChat(start, { init: answerImmediately });
    await nvim.command('AcpSend ask');
    await nvim.waitFor(() => nvim.lua("return require('acp.chats').current().waiting == 1"), 'the form');
    await nvim.command('AcpAnswer');
    await nvim.waitForScreen('Tour 1/4 · Your name');
    await nvim.input('<C-u>Ada<CR>');
    await nvim.waitForScreen('With spaces');
    await nvim.waitForScreen('Tour 2/4');
    await nvim.input('1<CR>');
    await nvim.waitForScreen('Tour 3/4');
    await nvim.input('<CR>');
    await nvim.waitForScreen('Tour 4/4');
    await nvim.input('1<CR>');
    await nvim.waitForScreen('Send');
    await nvim.input('1<CR>');
    await waitForPhase(nvim, 'idle');
    expect(await text(nvim)).toContain(
      '- Your name: Ada\n- How do you indent? With tabs\n- How wide? 2\n- Is this your first agent? yes',
    );
  });
});

describe('input into a field', () => {
  it.for([
    [true, ''],
    [false, 'sesame \\ [x]'],
  ] as const)(
    'is kept in the history of Neovim unless it is a secret (%s)',
    async ([isSecret, remembered], { start }) => {
      const nvim = await startChat(start);
      const input = `{ prompt = 'Say: ', default = '', op = 'form.fill', payload = { chat = 1, id = 9, turn = 0, act = 'type' }, isSecret = ${isSecret} }`;
      await nvim.lua(`require('acp.operations').receive('input.open', ${input})`);
      await nvim.waitForScreen('Say:');
      await nvim.input('sesame \\ [x]<CR>');
      await nvim.waitFor(
        async () => (await nvim.lua('return vim.api.nvim_get_mode().mode')) === 'n',
        'Normal mode',
      );
      expect(await nvim.lua("return vim.fn.histget('input', -1)")).toBe(remembered);
    },
  );
});

describe('a page of a form', () => {
  const url = 'https://github.com@evil.example/login';

  it('is shown with its full address and warnings, and opened only on consent', async ({ start }) => {
    const { nvim, user } = await startAsking(start, `link ${url}`);
    const asked = await user.open();
    expect(asked).toMatchObject({
      kind: 'acp.page',
      prompt: expect.stringContaining('(evil.example)'),
    });
    const waiting = await text(nvim);
    expect(waiting).toContain('? Tour wants you to open a page');
    expect(waiting).toContain(`    ${url}`);
    expect(waiting).toContain('! The text before the @ is not the host; the page is on evil.example.');
    expect(await nvim.lua('return _G.opened')).toEqual([]);
    await user.pick('Open in the browser');
    await waitForPhase(nvim, 'idle');
    expect(await nvim.lua('return _G.opened')).toEqual([url]);
    expect(await text(nvim)).toContain('· asked to open evil.example  done');
  });

  it('is not opened when it is declined', async ({ start }) => {
    const { nvim, user } = await startAsking(start, 'link');
    await user.open();
    await user.pick('Decline');
    await waitForPhase(nvim, 'idle');
    expect(await nvim.lua('return _G.opened')).toEqual([]);
    expect(await text(nvim)).toContain('· asked to open agentclientprotocol.com  declined');
  });

  it('can be copied instead', async ({ start }) => {
    const { nvim, user } = await startAsking(start, 'link');
    await user.open();
    await user.pick('Copy the address and open it yourself');
    await waitForPhase(nvim, 'idle');
    expect(await nvim.lua('return vim.fn.getreg()')).toBe('https://agentclientprotocol.com/');
    expect(await nvim.lua('return _G.opened')).toEqual([]);
  });

  it('without a browser is reported, with a reference to the chat', async ({ start }) => {
    const { nvim, user } = await startAsking(start, 'link');
    await nvim.lua(`
      vim.ui.open = function() return nil, 'no handler' end
      vim.notify = function(message) _G.notified = message end`);
    await user.open();
    await user.pick('Open in the browser');
    await nvim.waitFor(() => nvim.lua<string | null>('return _G.notified'), 'a message');
    expect(await nvim.lua('return _G.notified')).toContain('could not open a browser for http');
  });
});
