// Draws a real Neovim with the plugin to an SVG file. The arguments after the file are pairs: keys to type, then a text
// to wait for. --in names a directory whose files are copied into the working directory:
//   node scripts/screenshot.mjs --in scripts/shop chat.svg ':AcpChat tour<CR>' 'INSERT' 'tour<Esc><CR>' 'Plan'
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createViteServer } from 'vitest/node';
import { shellText } from './shell-text.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

async function main() {
  const options = { size: { type: 'string', default: '110x32' }, in: { type: 'string' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [file, ...steps] = positionals;
  if (!file)
    throw new Error('usage: screenshot.mjs [--size 110x32] [--in <directory>] <file.svg> [<keys> <text>]...');
  const [columns, lines] = values.size.split('x').map(Number);
  const files = values.in ? filesIn(values.in) : {};
  fs.writeFileSync(file, await picture({ columns, lines, files }, steps));
}

async function picture(options, steps) {
  const vite = await loader();
  const { startNvim } = await vite.ssrLoadModule('/test/support/nvim/nvim.ts');
  const { drawScreen } = await vite.ssrLoadModule('/scripts/screenshot/draw.ts');
  const nvim = await startNvim(options);
  try {
    for (let step = 0; step < steps.length; step += 2) {
      await nvim.input(steps[step]);
      await nvim.waitForScreen(steps[step + 1] ?? '', undefined, 60_000);
    }
    return drawScreen(nvim.screen);
  } finally {
    await nvim.dispose();
    await vite.close();
  }
}

// The test support is TypeScript, which Node 20 cannot load by itself.
function loader() {
  const server = { middlewareMode: true, ws: false };
  return createViteServer({ root, configFile: false, appType: 'custom', server, plugins: [shellText] });
}

function filesIn(dir) {
  const entries = fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile());
  const names = entries.map((entry) =>
    path.relative(dir, path.join(entry.parentPath ?? entry.path, entry.name)),
  );
  return Object.fromEntries(names.map((name) => [name, fs.readFileSync(path.join(dir, name), 'utf8')]));
}

await main();
