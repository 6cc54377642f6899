import fs from 'node:fs';
import path from 'node:path';
import { AcpError } from '../errors.ts';
import { downloadTo } from './download.ts';
import type { BinaryPlan } from './plan.ts';
import { archiveKind, unpack } from './unpack.ts';

export interface Installing {
  readonly signal: AbortSignal;
  readonly isLocalAllowed: boolean;
  readonly maxArchive?: number;
  readonly maxUnpacked?: number;
}

const megabyte = 1024 * 1024;
const dayMs = 24 * 60 * 60 * 1_000;
const draftPrefix = '.draft-';

export function isInstalled({ command }: BinaryPlan): boolean {
  return fs.existsSync(command[0] ?? '');
}

/** Downloads and unpacks an agent. Its folder appears when it is complete, or not at all. */
export async function install(plan: BinaryPlan, installing: Installing): Promise<void> {
  if (isInstalled(plan)) return;
  const { signal, isLocalAllowed, maxArchive = 512 * megabyte, maxUnpacked = 2048 * megabyte } = installing;
  await fs.promises.mkdir(path.dirname(plan.folder), { recursive: true, mode: 0o700 });
  await sweep(path.dirname(plan.folder));
  const draft = await fs.promises.mkdtemp(path.join(path.dirname(plan.folder), draftPrefix));
  try {
    const archive = path.join(draft, 'archive');
    const folder = path.join(draft, 'unpacked');
    await downloadTo(archive, plan.archive, { maxBytes: maxArchive, signal, isLocalAllowed });
    await unpack(archive, folder, {
      kind: archiveKind(plan.archive) ?? 'tar',
      maxBytes: maxUnpacked,
      signal,
    });
    await makeRunnable(folder, plan.cmd);
    await moveTo(folder, plan);
  } finally {
    await fs.promises.rm(draft, { recursive: true, force: true });
  }
}

// A host that was killed in the middle leaves its draft; one of today may be another Neovim's.
async function sweep(folder: string): Promise<void> {
  for (const name of await fs.promises.readdir(folder)) {
    const draft = path.join(folder, name);
    const isOld =
      name.startsWith(draftPrefix) && (await fs.promises.stat(draft)).mtimeMs < Date.now() - dayMs;
    if (isOld) await fs.promises.rm(draft, { recursive: true, force: true });
  }
}

async function makeRunnable(folder: string, cmd: string): Promise<void> {
  const program = await fs.promises.realpath(path.join(folder, cmd)).catch(() => undefined);
  const isProgram = program !== undefined && (await fs.promises.stat(program)).isFile();
  if (!isProgram) throw new AcpError('registry_error', `there is no program ${cmd} in the archive`);
  await fs.promises.chmod(program, 0o755);
}

// Another Neovim may have been faster; what it left half done is replaced.
async function moveTo(folder: string, plan: BinaryPlan): Promise<void> {
  if (isInstalled(plan)) return;
  await fs.promises.rm(plan.folder, { recursive: true, force: true });
  await fs.promises.rename(folder, plan.folder);
}
