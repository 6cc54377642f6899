import { describe, expect } from 'vitest';
import { busyOptions } from '../support/faults/busy-options.ts';
import { HostRig } from '../support/faults/host-rig.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

/** What a chat shows of the host: above its windows, and in the line below its text. */
interface ShownState {
  readonly winbars: readonly string[];
  readonly activity: string;
}

const stateOfAll = `
  local ns = vim.api.nvim_get_namespaces()['acp.activity']
  local states = {}
  for id, chat in pairs(require('acp.chats').all()) do
    local state = { winbars = {}, activity = '' }
    for _, win in ipairs(chat.buf and vim.fn.win_findbuf(chat.buf) or {}) do
      table.insert(state.winbars, vim.wo[win].winbar)
    end
    local marks = chat.buf and vim.api.nvim_buf_get_extmarks(chat.buf, ns, 0, -1, { details = true }) or {}
    for _, mark in ipairs(marks) do
      for _, piece in ipairs(mark[4].virt_text or {}) do state.activity = state.activity .. piece[1] end
    end
    states[tostring(id)] = state
  end
  return states`;

const states = (nvim: TestNvim) => nvim.lua<Record<string, ShownState>>(stateOfAll);

/** From now on every host exits at once, and the agents of the open chats are unknown; the host that runs is killed. */
async function giveUp(nvim: TestNvim): Promise<void> {
  await nvim.lua("require('acp').setup({ node = 'false' }) rig.kill_after(0)");
  const isGivenUp = 'return rig.exits[#rig.exits] and not rig.exits[#rig.exits].isRestarted';
  await nvim.waitFor(() => nvim.lua<boolean>(isGivenUp), 'the host to be given up');
}

async function expectAllDown(nvim: TestNvim, chats: number): Promise<void> {
  const isDown = (bar: string) => bar.includes('the host is down');
  await nvim.waitFor(async () => {
    const shown = Object.values(await states(nvim));
    return (
      shown.length === chats && shown.every(({ winbars }) => winbars.length > 0 && winbars.every(isDown))
    );
  }, `${chats} chats to say that the host is down`);
  const activities = Object.values(await states(nvim)).map(({ activity }) => activity);
  expect(activities, 'the line below each chat').toEqual(activities.map(() => ''));
}

/** A chat with a running turn and a queued prompt, and one whose agent does not start. */
async function openBusyChats(rig: HostRig): Promise<void> {
  const { nvim } = rig;
  await rig.open();
  await rig.send([['plan'], ['hang']]);
  await rig.waitForText('p0-i0');
  await nvim.lua("require('acp').send('a prompt that waits')");
  await nvim.waitForScreen('1 queued');
  await nvim.lua("require('acp').setup({ agents = { mute = { command = { 'sleep', '60' } } } })");
  await nvim.input('<C-\\><C-n>:tabnew | AcpNew mute<CR><Esc>');
  await nvim.waitForScreen('○ starting');
  await nvim.lua("require('acp').send('sent to a mute agent')");
  await nvim.waitForScreen('1 queued');
}

describe('a host that is given up', () => {
  it('is shown as down by every chat, however it is opened, until it is started again', async ({ start }) => {
    const rig = new HostRig(await start(busyOptions()));
    const { nvim } = rig;
    await openBusyChats(rig);
    await giveUp(nvim);
    await expectAllDown(nvim, 2);

    await nvim.command('AcpPlan');
    await expectAllDown(nvim, 2);
    await nvim.lua("require('acp').send('sent to no host')");
    await expectAllDown(nvim, 2);
    await nvim.command('tabnew | AcpNew tour');
    await nvim.input('<Esc>');
    await expectAllDown(nvim, 3);
    await nvim.lua("vim.api.nvim_buf_delete(require('acp.chats').current().buf, { force = true })");
    await nvim.command('AcpChat');
    await nvim.input('<Esc>');
    await expectAllDown(nvim, 3);
    await nvim.lua("require('acp').setup({ node = 'no-such-node' })");
    await nvim.command('tabnew | AcpNew tour');
    await nvim.input('<Esc>');
    await expectAllDown(nvim, 4);

    await nvim.lua("require('acp').setup({ node = 'node' })");
    await nvim.command('AcpRestart!');
    const bars = async () => Object.values(await states(nvim)).flatMap(({ winbars }) => winbars);
    const isBack = async () => !(await bars()).some((bar) => bar.includes('the host is down'));
    await nvim.waitFor(isBack, 'all chats to be back');
    await rig.waitForText('p0-i0');
    const shown = (await rig.shown())
      .map(({ text, draft, queue }) => `${text}\n${draft}\n${queue}`)
      .join('\n');
    for (const text of ['a prompt that waits', 'sent to a mute agent', 'sent to no host']) {
      expect(shown, text).toContain(text);
    }
    await rig.expectNoTrouble();
    await nvim.quit('qa!');
  });
});
