import { it } from 'vitest';
import fs from 'node:fs';
import { startNvim } from '/work/main/test/support/nvim.ts';
it('looks', async () => {
  const nvim = await startNvim({columns: 80, lines: 14, files: {'a.lua': 'local x = 1\nreturn x\n'}, args: ['a.lua']});
  await nvim.command('set number'); await nvim.command('vnew');
  await nvim.input('ihello');
  await nvim.waitForScreen('hello');
  await nvim.lua("vim.notify('a message')").catch(String);
  fs.writeFileSync('/tmp/look-' + process.env.ACP_TEST_NVIM, await nvim.report() + JSON.stringify(nvim.screen.cell(0, 2)));
  const t = performance.now();
  await nvim.quit().then((e) => fs.appendFileSync('/tmp/look-' + process.env.ACP_TEST_NVIM, JSON.stringify(e) + (performance.now()-t)));
  const times = [];
  for (let i = 0; i < 5; i++) { const t = performance.now(); const n = await startNvim(); const t2= performance.now(); await n.dispose(); times.push([t2 - t, performance.now() - t2]); }
  fs.appendFileSync('/tmp/look-' + process.env.ACP_TEST_NVIM, JSON.stringify(times));
  await nvim.dispose();
});
