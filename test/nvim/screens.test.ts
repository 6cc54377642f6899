import { describe, expect } from 'vitest';
import { converse, drawn, startChat, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import { screenSnapshot } from '../support/nvim/snapshot.ts';

const size = { columns: 130, lines: 28, files: { 'greet.lua': "return 'hello'\n" }, args: ['greet.lua'] };
const dontAsk = 'vim.ui.select = function() end';

describe('the screen', () => {
  it('shows the welcome of the tour', async ({ start }) => {
    const nvim = await startChat(start, size);
    await nvim.waitForScreen('Welcome');
    await drawn(nvim);
    expect(screenSnapshot(nvim.screen)).toMatchSnapshot();
  });

  it('shows thoughts, a plan and tool calls', async ({ start }) => {
    const nvim = await startChat(start, size);
    await converse(nvim, 'plan');
    await converse(nvim, 'tools');
    await nvim.waitForScreen('✗ delete');
    expect(screenSnapshot(nvim.screen)).toMatchSnapshot();
  });

  it('shows an open question', async ({ start }) => {
    const nvim = await startChat(start, { ...size, init: dontAsk });
    await nvim.command('AcpSend permission');
    await nvim.waitForScreen('gw answer');
    await drawn(nvim);
    expect(screenSnapshot(nvim.screen)).toMatchSnapshot();
  });

  it('shows an open form', async ({ start }) => {
    const nvim = await startChat(start, { ...size, init: `${dontAsk}; vim.ui.input = function() end` });
    await nvim.command('AcpSend form');
    await nvim.waitForScreen('gw answer');
    await drawn(nvim);
    expect(screenSnapshot(nvim.screen)).toMatchSnapshot();
  });

  it('shows a page that an agent asks to open', async ({ start }) => {
    const nvim = await startChat(start, { ...size, init: dontAsk });
    await nvim.command('AcpSend link http://user@xn--pple-43d.com/login?code=1');
    await nvim.waitForScreen('gw answer');
    await drawn(nvim);
    expect(screenSnapshot(nvim.screen)).toMatchSnapshot();
  });

  it('shows what went wrong and what to do', async ({ start }) => {
    const nvim = await startChat(start, size);
    await nvim.command('AcpSend crash');
    await waitForPhase(nvim, 'down');
    await drawn(nvim);
    await nvim.waitForScreen('✗ no agent');
    expect(screenSnapshot(nvim.screen)).toMatchSnapshot();
  });

  it('is legible in 60 columns', async ({ start }) => {
    const nvim = await startChat(start, {
      ...size,
      columns: 60,
      config: "{ position = 'bottom', size = 0.8 }",
    });
    await converse(nvim, 'tools');
    await nvim.waitForScreen('✗ delete');
    expect(screenSnapshot(nvim.screen)).toMatchSnapshot();
  });
});
