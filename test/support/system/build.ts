import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { once } from '../../../src/base/once.ts';
import { repoRoot } from './repo-root.ts';

/** The built tour agent; `node <tourPath>` runs it. */
export const tourPath = path.join(repoRoot, 'dist', 'tour.js');

/** Fails if the Neovim lanes would start an old tour agent. */
export const requireBuild = once(() => {
  const sources = fs.readdirSync(path.join(repoRoot, 'src'), { recursive: true, withFileTypes: true });
  const changed = sources
    .filter((entry) => entry.isFile())
    .map((entry) => fs.statSync(path.join(entry.parentPath, entry.name)).mtimeMs);
  const built = fs.statSync(tourPath, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (built < Math.max(...changed)) {
    throw new Error(
      'The Neovim lanes start the built tour agent: run `npm run build` first, and after every change in src/',
    );
  }
});

/** Builds the current sources, once per test file. */
export const buildOnce = once(async () => {
  await promisify(execFile)(process.execPath, [path.join(repoRoot, 'scripts', 'build.mjs')], {
    cwd: repoRoot,
  });
});
