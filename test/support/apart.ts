import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { repoRoot } from './nvim-process.ts';

export interface Apart {
  /** Where it is put. */
  readonly folder: string;
  /** The module of ours that it uses, as `ours`. */
  readonly module: string;
  readonly code: string;
  /** Shell commands that limit the process. */
  readonly limits?: string;
}

/** Runs a few lines with a module of ours in a process of their own, and tells what they write. */
export async function runApart({ folder, module, code, limits = '' }: Apart): Promise<string> {
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
