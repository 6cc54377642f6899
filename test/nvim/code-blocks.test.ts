import fs from 'node:fs';
import { describe, expect } from 'vitest';
import { speech } from '../support/agents/messages.ts';
import { startScriptedChat } from '../support/agents/scripted-chat.ts';
import { drawn, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { recordQuestions, User } from '../support/nvim/user.ts';

const file = ['import x', '', 'function a() {', '  one', '}', '', 'function b() {', '  two', '}', ''].join(
  '\n',
);
const files = { 'src/a.ts': file, 'own.txt': 'own\n' };
const code = 'function a() {\n  1\n  2\n}';

type Start = (options?: NvimOptions) => Promise<TestNvim>;

async function startWith(start: Start, text: string): Promise<User & { path(name: string): string }> {
  const options = { columns: 120, lines: 30, files, args: ['own.txt'], init: recordQuestions };
  const { nvim, turn } = await startScriptedChat(start, options);
  const { end } = await turn('go', speech(text));
  end();
  await waitForPhase(nvim, 'idle');
  await drawn(nvim);
  await nvim.command('wincmd b | wincmd k');
  return Object.assign(new User(nvim), { path: (name: string) => `${nvim.sandbox.cwd}/${name}` });
}

const search = (nvim: TestNvim, text: string) => nvim.lua("vim.fn.search(..., 'w')", text);

describe('a code block of the agent', () => {
  it('is yanked with gy into the named register', async ({ start }) => {
    const { nvim } = await startWith(start, `Here:\n\n\`\`\`ts\n${code}\n\`\`\`\n\nDone.`);
    await search(nvim, '  1');
    await nvim.input('"agy');
    await nvim.waitForScreen('acp: yanked 4 lines');
    expect(await nvim.lua("return { vim.fn.getreg('a'), vim.fn.getregtype('a') }")).toEqual([
      `${code}\n`,
      'V',
    ]);
    await search(nvim, 'Done');
    await nvim.input('gy');
    await nvim.waitForScreen('acp: there is no code block here');
  });

  it('is put into the file that it names with gp, and can be rejected', async ({ start }) => {
    const user = await startWith(start, `In \`src/a.ts\`:\n\n\`\`\`ts\n${code}\n\`\`\``);
    const { nvim } = user;
    const read = () => fs.readFileSync(user.path('src/a.ts'), 'utf8');
    await search(nvim, '  1');
    await nvim.input('gp');
    const asked = await user.next();
    expect(asked).toMatchObject({
      prompt: 'Put 4 lines into src/a.ts',
      kind: 'acp.code',
      labels: ['Replace lines 3 to 5', 'Replace all 9 lines'],
    });
    expect(read()).toBe(file);
    await user.pick('Replace lines 3 to 5');
    await nvim.waitFor(() => read() === file.replace('  one', '  1\n  2'), 'the change');
    await nvim.waitForScreen('acp: changed src/a.ts');
    await nvim.command('AcpReview');
    await nvim.waitForScreen('○ src/a.ts');
    await nvim.input('X');
    await nvim.waitFor(() => read() === file, 'the change to be rejected');
  });

  it('is merged with unsaved text', async ({ start }) => {
    const user = await startWith(start, `\`\`\`ts src/a.ts\n${code}\n\`\`\``);
    const { nvim } = user;
    await nvim.command('wincmd t | edit src/a.ts | call setline(8, "mine") | wincmd b | wincmd k');
    await search(nvim, '  1');
    await nvim.input('gp');
    await user.next();
    await user.pick('Replace lines 3 to 5');
    const lines = () => nvim.lua<string[]>("return vim.fn.getbufline('src/a.ts', 1, '$')");
    await nvim.waitFor(async () => (await lines()).includes('  2'), 'the change');
    expect(await lines()).toContain('mine');
    expect(fs.readFileSync(user.path('src/a.ts'), 'utf8')).not.toContain('mine');
  });

  it.for(['diff', 'patch'])('says that a %s does not fit its file', async (language, { start }) => {
    const { nvim } = await startWith(start, `\`\`\`${language} src/a.ts\nnot a patch\n\`\`\``);
    await search(nvim, 'not a patch');
    await nvim.input('gp');
    await nvim.waitForScreen('acp: this patch does not fit src/a.ts');
  });

  it('creates a file, or says that it names none', async ({ start }) => {
    const user = await startWith(start, '```ts\n// src/new.ts\none\n```\n\nNext.\n\n```ts\nnameless\n```');
    const { nvim } = user;
    await search(nvim, 'nameless');
    await nvim.input('gp');
    await nvim.waitForScreen('acp: this code block names no file; gy yanks it');
    await search(nvim, '^one');
    await nvim.input('gp');
    expect((await user.next()).labels).toEqual(['Create the file']);
    await user.pick('Create the file');
    await nvim.waitFor(() => fs.existsSync(user.path('src/new.ts')), 'the file');
    expect(fs.readFileSync(user.path('src/new.ts'), 'utf8')).toBe('one\n');
  });
});
