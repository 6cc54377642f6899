import path from 'node:path';
import { isRecord } from '../../base/record.ts';
import { comparablePath } from '../../model/run-files.ts';

/** Whether a write to `package.json` changes what the package manager runs; invalid JSON counts as a change. */
export function changesScripts(real: string, before: string | undefined, after: string): boolean {
  if (comparablePath(path.basename(real)) !== 'package.json') return false;
  const [old, now] = [scriptsIn(before ?? '{}'), scriptsIn(after)];
  return old === undefined || now === undefined || old !== now;
}

const runFields = [
  'scripts',
  'bin',
  'husky',
  'lint-staged',
  'simple-git-hooks',
  'gypfile',
  'pnpm',
  'packageManager',
] as const;

function scriptsIn(text: string): string | undefined {
  try {
    const manifest: unknown = JSON.parse(text);
    if (!isRecord(manifest)) return undefined;
    return JSON.stringify(runFields.map((field) => manifest[field] ?? null));
  } catch {
    return undefined;
  }
}
