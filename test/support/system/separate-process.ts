import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { repoRoot } from '../nvim/nvim-process.ts';

export interface SeparateProcess {
  /** The folder for the generated program. */
  readonly folder: string;
  /** A source module, imported as `ours`. */
  readonly module: string;
  readonly code: string;
  /** Shell commands that limit the process. */
  readonly limits?: string;
}

/** Runs code with a source module in a separate process and resolves with its output. */
export async function runInSeparateProcess({
  folder,
  module,
  code,
  limits = '',
}: SeparateProcess): Promise<string> {
  const bundle = await rolldown({ input: path.join(repoRoot, module), platform: 'node', logLevel: 'warn' });
  await bundle.write({ file: path.join(folder, 'ours.mjs'), format: 'esm' });
  await bundle.close();
  const program = path.join(folder, 'program.mjs');
  fs.writeFileSync(program, `import * as ours from './ours.mjs';\n${code}`);
  const { stdout, stderr } = spawnSync('sh', ['-c', `${limits}\nexec "$0" "$1"`, process.execPath, program], {
    encoding: 'utf8',
  });
  if (stderr !== '') throw new Error(stderr);
  return stdout;
}
