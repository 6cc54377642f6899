import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { Sandbox } from '../support/nvim/sandbox.ts';
import { recordQuestions } from '../support/nvim/user.ts';

const kinds: Readonly<Record<string, (file: string) => void>> = {
  'a pipe': (file) => execFileSync('mkfifo', [file]),
  'an endless device': (file) => fs.symlinkSync('/dev/zero', file),
  'a file of 3 GB': (file) => {
    fs.writeFileSync(file, '');
    fs.truncateSync(file, 3 * 1024 ** 3);
  },
};

/** Puts such a file in the place of everything that the plugin reads of its own by itself. */
function fill({ cwd, env }: Sandbox, make: (file: string) => void): void {
  const [state, cache] = [env.XDG_STATE_HOME!, env.XDG_CACHE_HOME!].map((at) => path.join(at, 'nvim', 'acp'));
  const project = createHash('sha256').update(cwd).digest('hex').slice(0, 16);
  const files = [
    ...['20200101-000000-1-1.jsonl', 'prune.json', 'settings.json', 'trusted-permissions.json', 'last-agent'],
    ...['drafts/20200101-000000-1-1.draft', 'drafts/20200101-000000-1-2.draft.new'],
    ...[`history/${project}.jsonl`, `history/${project}.jsonl.1`, 'tour/sessions.json'],
  ].map((name) => path.join(state!, name));
  for (const file of [...files, path.join(cache!, 'registry', 'agents.json')]) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    make(file);
  }
}

const isAnswered = (nvim: TestNvim, prompt: string) =>
  nvim.waitFor(async () => {
    const shown = await nvim.lua<string>(
      "return table.concat(vim.api.nvim_buf_get_lines(require('acp.chats').current().buf, 0, -1, false), '\\n')",
    );
    return shown.includes(`You wrote \`${prompt}\``);
  }, 'the answer');

it.for(Object.keys(kinds))('%s in the place of its own files makes nothing wait', async (kind, { start }) => {
  const sandbox = new Sandbox();
  fill(sandbox, kinds[kind]!);
  const tour = "vim.g.acp = { agents = { tour = { env = { ACP_TOUR_PACE = '0' } } } }";
  const nvim = await start({ sandbox, init: `${tour}\n${recordQuestions}` });
  await nvim.command('AcpChat tour');
  await nvim.waitForScreen('Welcome');
  await nvim.input('<Esc>');
  await nvim.command('AcpSend one word');
  await isAnswered(nvim, 'one word');
  for (const [index, command] of ['AcpSearch word', 'AcpSessions'].entries()) {
    await nvim.command(command);
    await nvim.waitFor(() => nvim.lua<boolean>('return #_G.asked > ...', index), `the list of :${command}`);
    await nvim.lua('_G.asked[#_G.asked].answer(nil)');
  }
  await nvim.command('AcpForget folder');
  await nvim.waitForScreen('Delete it');
  await nvim.input('q');
  await nvim.command('AcpHistory');
  await nvim.command('AcpSend another word');
  await isAnswered(nvim, 'another word');
  const began = performance.now();
  expect(await nvim.quit('qa!')).toMatchObject({ code: 0 });
  expect(performance.now() - began).toBeLessThan(2_000);
});
