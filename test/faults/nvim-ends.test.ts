import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { FaultyChat } from '../support/faults/faulty-chat.ts';
import { isLong } from '../support/long.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';
import { recordQuestions } from '../support/nvim/user.ts';
import { expectNoneLeft } from '../support/system/processes.ts';
import { patienceMs, within } from '../support/wait.ts';

const signal = (name: NodeJS.Signals) => (nvim: TestNvim) => process.kill(nvim.pid, name);

/** Neovim does not run |VimLeavePre| then. */
const signalInAutocommand = (nvim: TestNvim) =>
  nvim.client.notify('nvim_exec_lua', [
    `vim.api.nvim_create_autocmd('User', { pattern = 'TestEnd', callback = function()
       vim.uv.kill(vim.uv.os_getpid(), 'sigterm')
       vim.cmd('sleep 10')
     end })
     vim.api.nvim_exec_autocmds('User', { pattern = 'TestEnd' })`,
    [],
  ]);

const ends: readonly (readonly [string, (nvim: TestNvim) => unknown])[] = [
  [':qa!', (nvim) => nvim.quit('qa!')],
  ['SIGKILL', signal('SIGKILL')],
  ['SIGTERM', signal('SIGTERM')],
  ['SIGHUP', signal('SIGHUP')],
  ['SIGTERM in an autocommand', signalInAutocommand],
  [
    'SIGSTOP and SIGKILL',
    (nvim) => {
      process.kill(nvim.pid, 'SIGSTOP');
      process.kill(nvim.pid, 'SIGKILL');
    },
  ],
];

const draftsIn = ({ sandbox }: TestNvim) => path.join(sandbox.env.XDG_STATE_HOME!, 'nvim/acp/drafts');

const draftTexts = (nvim: TestNvim) =>
  fs.readdirSync(draftsIn(nvim)).map((name) => fs.readFileSync(path.join(draftsIn(nvim), name), 'utf8'));

describe.concurrent('the end of Neovim, with an agent that floods, asks, ignores signals and has children', () => {
  it.for(isLong ? ends : ends.slice(0, 5))(
    'by %s leaves no process, and the draft on disk',
    async ([, end], { start }) => {
      const nvim = await start({ init: recordQuestions });
      const chat = await FaultyChat.open(nvim, { stage: 'permission', fault: 'everything' });
      await chat.waitForPhase('idle');
      const journal = await nvim.lua<string>("return require('acp.chats').current().journal");
      await chat.send('go on');
      await chat.waitForQuestions(1);
      await chat.type('a draft');
      chat.go();
      await nvim.waitForScreen('flood flood');
      await nvim.waitFor(() => chat.processes.length === 3, 'the children');
      await nvim.waitFor(() => draftTexts(nvim).some((text) => text.includes('a draft')), 'the draft');
      await end(nvim);
      const hasExited = nvim.exited.then(() => true);
      expect(await within(patienceMs, hasExited, false), 'Neovim has exited').toBe(true);
      await expectNoneLeft(nvim.sandbox.marker);
      expect(draftTexts(nvim).join('\n')).toContain('a draft');
      expect(fs.readFileSync(journal, 'utf8')).toContain('go on');
    },
  );
});
