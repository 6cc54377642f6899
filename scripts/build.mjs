// Bundles the host, what it loads for agents elsewhere only, the tour agent and a worker into one file each. node-pty stays
// outside: it loads on first use, so a machine without its native build loses terminals and nothing else.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, 'dist');

const bundles = {
  // A module, because it is imported by name.
  'remote.mjs': 'src/acp/transports/libraries.ts',
  'host.js': 'src/main.ts',
  'tour.js': 'src/tour/main.ts',
  'hunk-worker.js': 'src/workspace/hunk-worker.ts',
};

const remoteApart = {
  name: 'remote-apart',
  resolveId: (source) => (source === './libraries.ts' ? { id: './remote.mjs', external: true } : null),
};

for (const [name, entry] of Object.entries(bundles)) {
  const bundle = await rolldown({
    input: path.join(root, entry),
    platform: 'node',
    external: ['node-pty'],
    plugins: [remoteApart],
    // The logger inside `neovim` is a third of its start-up time and we have our own.
    resolve: { alias: { winston: path.join(root, 'src/nvim/winston.ts') } },
    logLevel: 'warn',
  });
  const format = name.endsWith('.mjs') ? 'esm' : 'cjs';
  const { output } = await bundle.generate({ format, minify: true, codeSplitting: false });
  await bundle.close();
  replaceFile(path.join(dist, name), output[0].code);
}

// A host that starts while another run builds must find a whole file.
function replaceFile(file, text) {
  fs.mkdirSync(dist, { recursive: true });
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, text);
  fs.renameSync(draft, file);
}
