// Draws a real Neovim with the plugin to an SVG file. Keys to type and texts to wait for alternate:
//   node scripts/screenshot.mjs chat.svg 100x30 ':AcpChat<CR>' 'tour' 'hello<CR>' 'Done'
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createViteServer } from 'vitest/node';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const [file, size, ...steps] = process.argv.slice(2);
const [columns, lines] = (size ?? '').split('x').map(Number);
if (!lines) {
  process.stderr.write('usage: screenshot.mjs <file.svg> <columns>x<lines> [<keys> <text>]...\n');
  process.exit(2);
}

// The rig is TypeScript, which the oldest supported Node can't load by itself.
const vite = await createViteServer({
  root,
  configFile: false,
  appType: 'custom',
  server: { middlewareMode: true, ws: false },
});
const { startNvim } = await vite.ssrLoadModule('/test/support/nvim.ts');
const { drawScreen } = await vite.ssrLoadModule('/test/support/draw.ts');

const nvim = await startNvim({ columns, lines });
try {
  for (let step = 0; step < steps.length; step += 2) {
    await nvim.input(steps[step]);
    await nvim.waitForScreen(steps[step + 1] ?? '');
  }
  fs.writeFileSync(file, drawScreen(nvim.screen));
} finally {
  await nvim.dispose();
  await vite.close();
}
