// Draws a real Neovim with the plugin to an SVG file. The arguments after the file are pairs: keys to type, then a text
// to wait for. --in names a directory whose files are copied into the working directory:
//   node scripts/screenshot.mjs --in scripts/shop chat.svg ':AcpChat tour<CR>' 'INSERT' 'tour<Esc><CR>' 'Plan'
import fs from 'node:fs';
import { parseArgs } from 'node:util';
import { filesIn, play, withDrawing } from './screenshot/nvim.mjs';

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

function picture(options, steps) {
  return withDrawing(async ({ startNvim, drawScreen }) => {
    const nvim = await startNvim(options);
    try {
      await play(nvim, steps);
      return drawScreen(nvim.screen);
    } finally {
      await nvim.dispose();
    }
  });
}

await main();
