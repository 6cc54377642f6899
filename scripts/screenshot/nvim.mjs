// A real Neovim with the plugin, and what draws its screen.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createViteServer } from 'vitest/node';
import { shellText } from '../shell-text.mjs';

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));

/** Calls back with a function that starts a Neovim, and the modules that draw its screen. */
export async function withDrawing(run) {
  // The test support is TypeScript, which Node 20 cannot load by itself.
  const vite = await createViteServer({
    root,
    configFile: false,
    appType: 'custom',
    server: { middlewareMode: true, ws: false },
    plugins: [shellText],
  });
  try {
    const { startNvim } = await vite.ssrLoadModule('/test/support/nvim/nvim.ts');
    const { Sandbox } = await vite.ssrLoadModule('/test/support/nvim/sandbox.ts');
    const { drawScreen } = await vite.ssrLoadModule('/scripts/screenshot/draw.ts');
    const { Recording } = await vite.ssrLoadModule('/scripts/screenshot/animate.ts');
    return await run({ startNvim, Sandbox, drawScreen, Recording });
  } finally {
    await vite.close();
  }
}

/** Types keys and waits for a text or a condition, in pairs. */
export async function play(nvim, steps) {
  for (let step = 0; step < steps.length; step += 2) {
    await nvim.input(steps[step]);
    const wanted = steps[step + 1] ?? '';
    if (typeof wanted === 'function') await nvim.waitFor(() => wanted(nvim), 'the next step', 30_000);
    else await nvim.waitForScreen(wanted, undefined, 30_000);
  }
  await nvim.lua('vim.cmd.redraw()');
}

/** The texts of the files of a folder by their names in it. */
export function filesIn(folder) {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const file = path.join(entry.parentPath ?? entry.path, entry.name);
      return [path.relative(folder, file), fs.readFileSync(file, 'utf8')];
    }),
  );
}
