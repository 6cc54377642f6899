import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { once } from '../../src/base.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** The built tour agent; `node <tourPath>` runs it. */
export const tourPath = path.join(root, 'dist', 'tour.js');

/** Builds the program from the sources as they are now, once for all tests of a file. */
export const buildOnce = once(async () => {
  await promisify(execFile)(process.execPath, [path.join(root, 'scripts', 'build.mjs')], { cwd: root });
});
