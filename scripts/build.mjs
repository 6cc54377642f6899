// Bundles the host, what loads it, the libraries for remote agents, the tour agent and a worker into one file each. node-pty is not
// bundled: it loads on first use, so a machine without its native build only loses terminals.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { shellText } from './shell-text.mjs';

/** For profiles. */
const isReadable = process.argv.includes('--readable');
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, 'dist');

const bundles = {
  'remote.js': 'src/acp/transports/remote/remote-libraries.ts',
  'host.js': 'src/main.ts',
  'code-cache.js': 'src/system/code-cache.ts',
  'tour.js': 'src/tour/main.ts',
  'diff-worker.js': 'src/diff/diff-worker.ts',
};

const remoteApart = {
  name: 'remote-apart',
  resolveId: (source) => (source === './remote-libraries.ts' ? { id: './remote.js', external: true } : null),
};

for (const [name, entry] of Object.entries(bundles)) {
  const bundle = await rolldown({
    input: path.join(root, entry),
    platform: 'node',
    external: ['node-pty'],
    plugins: [remoteApart, shellText],
    // The logger of `neovim` takes a third of its start-up time, and we have our own.
    resolve: { alias: { winston: path.join(root, 'scripts/winston-stub.mjs') } },
    logLevel: 'warn',
  });
  const { output } = await bundle.generate({
    format: 'cjs',
    minify: !isReadable,
    codeSplitting: false,
    // Node cannot import() from code that was compiled at an earlier start.
    dynamicImportInCjs: false,
  });
  await bundle.close();
  replaceFile(path.join(dist, name), withEscapes(output[0].code));
}

// V8 keeps a text with any other character in two bytes per character. Behind a backslash, an escape would be text.
function withEscapes(code) {
  const escaped = /(?<!\\)(?:\\\\)*\\[\u0080-\uffff]/.exec(code);
  if (escaped) throw new Error(`there is a backslash in front of ${escaped[0].at(-1)}`);
  return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

// A host that starts during a build must find complete files.
function replaceFile(file, text) {
  fs.mkdirSync(dist, { recursive: true });
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, text);
  fs.renameSync(draft, file);
}
