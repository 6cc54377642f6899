// Bundles the host and the tour agent into one file each. node-pty stays outside: it loads on first use, so a
// machine without its native build loses terminals and nothing else.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const bundles = { host: 'src/main.ts', tour: 'src/tour/main.ts' };

for (const [name, entry] of Object.entries(bundles)) {
  const bundle = await rolldown({
    input: path.join(root, entry),
    platform: 'node',
    external: ['node-pty'],
    // The logger inside `neovim` is a third of its start-up time and we have our own.
    resolve: { alias: { winston: path.join(root, 'src/nvim/winston.ts') } },
    logLevel: 'warn',
  });
  await bundle.write({ file: path.join(root, 'dist', `${name}.js`), format: 'cjs', minify: true });
  await bundle.close();
}
