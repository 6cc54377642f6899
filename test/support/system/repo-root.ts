import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const repoRoot = findRepoRoot(path.dirname(fileURLToPath(import.meta.url)));

// The benchmark bundles this file into another folder, so its own path tells nothing about the depth.
function findRepoRoot(folder: string): string {
  return fs.existsSync(path.join(folder, 'package.json')) ? folder : findRepoRoot(path.dirname(folder));
}
