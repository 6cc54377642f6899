// Draws the pictures of the README from real screens, dark and light, and a turn as an animation: node scripts/gallery.mjs
// [NAME …]. They are written to doc/gallery/.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { play, withDrawing } from './screenshot/nvim.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const folder = path.join(root, 'doc', 'gallery');
const shop = path.join(root, 'scripts', 'shop');

const frameMs = 250;
const restMs = 4_000;

const open = ['<Esc>:AcpChat tour<CR>', 'Welcome'];
const ask = (prompt, answer) => [`${prompt}<Esc><CR>`, answer];
const isAsked = (nvim) => nvim.lua("return require('acp.chats').with_question() ~= nil");
// The chat has two windows beside the one with the file.
const hasMoreWindows = (nvim) => nvim.lua('return #vim.api.nvim_list_wins() > 3 and vim.fn.line("$") > 1');
const allow = ['', isAsked, ':AcpAnswer<CR>', 'Type number', '1<CR>'];

/** Each scene: keys to type, then a text or a condition to wait for, in pairs. */
const scenes = {
  question: [...open, ...ask('questions', 'wants to')],
  markdown: [...open, ...ask('markdown', 'That was all of it')],
  review: [...open, ...ask('edit', 'wants to edit'), ...allow, '✓ edit', ':AcpReview<CR>', hasMoreWindows],
  terminal: [...open, ...ask('run', 'wants to run'), ...allow, '✓ run'],
  traffic: [...open, ...ask('hello', 'need no key'), ':AcpTraffic<CR>', 'session/prompt'],
  sessions: [
    ...open,
    ...ask('plan', '✓'),
    ':AcpNew<CR>',
    'Welcome',
    ...ask('questions', 'wants to'),
    ':AcpSessions panel<CR>',
    hasMoreWindows,
  ],
};
const animated = { turn: [...open, ...ask('tour', 'wants to edit')] };

const wanted = process.argv.slice(2);
const isWanted = ([name]) => wanted.length === 0 || wanted.includes(name);

fs.mkdirSync(folder, { recursive: true });
await withDrawing(async (drawing) => {
  for (const background of ['dark', 'light']) {
    for (const [name, steps] of Object.entries(scenes).filter(isWanted)) {
      const text = await withNvim(drawing, background, async (nvim) => {
        await play(nvim, steps);
        return drawing.drawScreen(nvim.screen);
      });
      fs.writeFileSync(path.join(folder, `${name}-${background}.svg`), text);
    }
  }
  for (const [name, steps] of Object.entries(animated).filter(isWanted)) {
    const text = await withNvim(drawing, 'dark', (nvim) => record(drawing, nvim, steps));
    fs.writeFileSync(path.join(folder, `${name}.svg`), text);
  }
});

async function withNvim({ startNvim, Sandbox }, background, run) {
  const files = { 'greet.lua': fs.readFileSync(path.join(shop, 'greet.lua'), 'utf8') };
  // Nobody reads here, so questions can be answered immediately.
  const init = `vim.o.background = '${background}' require('acp.dialogs.dialog').guard_ms = 0`;
  // The folder is shown as ~/work.
  const sandbox = new Sandbox();
  const env = { HOME: sandbox.root };
  const nvim = await startNvim({ columns: 110, lines: 32, files, init, sandbox, env, args: ['greet.lua'] });
  try {
    return await run(nvim);
  } finally {
    await nvim.dispose();
  }
}

/** Draws the screen again and again while the keys are played. */
async function record({ Recording }, nvim, steps) {
  const recording = new Recording(nvim.screen);
  const start = performance.now();
  const timer = setInterval(() => recording.add(Math.round(performance.now() - start)), frameMs);
  recording.add(0);
  try {
    await play(nvim, steps);
  } finally {
    clearInterval(timer);
  }
  recording.add(Math.round(performance.now() - start));
  return recording.draw(restMs);
}
