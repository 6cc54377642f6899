import fs from 'node:fs';
import path from 'node:path';
import { AcpError } from '../base/errors.ts';
import { downloadTo } from './download.ts';
import type { BinaryPlan } from './plan.ts';
import { archiveKind, unpack } from './unpack.ts';

interface InstallOptions {
  readonly signal: AbortSignal;
  readonly isLocalAllowed: boolean;
  readonly maxArchive?: number;
  readonly maxUnpacked?: number;
}

const megabyte = 1024 * 1024;
const draftAgeMs = 24 * 60 * 60 * 1_000;
const draftPrefix = '.draft-';

export function isInstalled({ command }: BinaryPlan): boolean {
  return fs.existsSync(command[0] ?? '');
}

/** Downloads and unpacks an agent. Its folder appears only once it is complete. */
export async function install(plan: BinaryPlan, options: InstallOptions): Promise<void> {
  if (isInstalled(plan)) return;
  const { signal, isLocalAllowed, maxArchive = 512 * megabyte, maxUnpacked = 2048 * megabyte } = options;
  await fs.promises.mkdir(path.dirname(plan.folder), { recursive: true, mode: 0o700 });
  await removeOldDrafts(path.dirname(plan.folder));
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
    await makeExecutable(folder, plan.cmd);
    await moveIntoPlace(folder, plan);
  } finally {
    await fs.promises.rm(draft, { recursive: true, force: true });
  }
}

// A killed host leaves its draft behind. A recent draft may belong to another Neovim.
async function removeOldDrafts(folder: string): Promise<void> {
  for (const name of await fs.promises.readdir(folder)) {
    const draft = path.join(folder, name);
    const isOld =
      name.startsWith(draftPrefix) && (await fs.promises.stat(draft)).mtimeMs < Date.now() - draftAgeMs;
    if (isOld) await fs.promises.rm(draft, { recursive: true, force: true });
  }
}

async function makeExecutable(folder: string, cmd: string): Promise<void> {
  const program = await fs.promises.realpath(path.join(folder, cmd)).catch(() => undefined);
  const isProgram = program !== undefined && (await fs.promises.stat(program)).isFile();
  if (!isProgram) throw new AcpError('registry_error', `the archive has no program ${cmd}`);
  await fs.promises.chmod(program, 0o755);
}

// Another Neovim may have installed it meanwhile. An incomplete folder is replaced.
async function moveIntoPlace(folder: string, plan: BinaryPlan): Promise<void> {
  if (isInstalled(plan)) return;
  await fs.promises.rm(plan.folder, { recursive: true, force: true });
  await fs.promises.rename(folder, plan.folder);
}
