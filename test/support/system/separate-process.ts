import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { shellText } from '../../../scripts/shell-text.mjs';
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

/** Writes a program that has a source module as `ours`, and resolves with its path. */
export async function makeProgram({
  folder,
  module,
  code,
}: Omit<SeparateProcess, 'limits'>): Promise<string> {
  const input = path.join(repoRoot, module);
  const bundle = await rolldown({ input, platform: 'node', plugins: [shellText], logLevel: 'warn' });
  await bundle.write({ file: path.join(folder, 'ours.mjs'), format: 'esm' });
  await bundle.close();
  const program = path.join(folder, 'program.mjs');
  fs.writeFileSync(program, `import * as ours from './ours.mjs';\n${code}`);
  return program;
}

/** Runs code with a source module in a separate process and resolves with its output. */
export async function runInSeparateProcess({
  folder,
  module,
  code,
  limits = '',
}: SeparateProcess): Promise<string> {
  const program = await makeProgram({ folder, module, code });
  const { stdout, stderr } = spawnSync('sh', ['-c', `${limits}\nexec "$0" "$1"`, process.execPath, program], {
    encoding: 'utf8',
  });
  if (stderr !== '') throw new Error(stderr);
  return stdout;
}
