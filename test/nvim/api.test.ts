import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { promptText, startChat, transcript } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';

describe("require('acp')", () => {
  it('sends a prompt with what it mentions', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120 });
    fs.writeFileSync(path.join(nvim.sandbox.cwd, 'notes.md'), 'one\ntwo\nthree\n');
    await nvim.lua("require('acp').send('resources @notes.md:2-3\\nand more')");
    await nvim.waitFor(
      async () => (await transcript(nvim)).some((line) => line.includes('notes.md#L2-3')),
      'the answer',
    );
    expect((await transcript(nvim)).filter((line) => line.includes('▪ notes.md:2-3'))).toHaveLength(1);
  });

  it('is not needed to add a file: :Acp add does the same as :AcpAdd', async ({ start }) => {
    const nvim = await startChat(start);
    fs.writeFileSync(path.join(nvim.sandbox.cwd, 'notes.md'), 'one\n');
    await nvim.command('Acp add notes.md');
    await nvim.waitFor(async () => (await promptText(nvim)).includes('@notes.md'), 'the mention');
    expect(await promptText(nvim)).toMatch(/^@notes\.md\s*$/);
  });

  it('adds a file to the draft', async ({ start }) => {
    const nvim = await startChat(start);
    fs.writeFileSync(path.join(nvim.sandbox.cwd, 'notes.md'), 'one\n');
    await nvim.input('ilook at<Esc>');
    await nvim.lua("require('acp').add('notes.md')");
    await nvim.waitFor(async () => (await promptText(nvim)).includes('@notes.md'), 'the mention');
    expect(await promptText(nvim)).toMatch(/^look at\s+@notes\.md/);
  });
});
