import fs from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AcpError } from '../errors.ts';
import { isInside } from './manifest.ts';

export type ArchiveKind = 'tar' | 'zip';

export interface Unpacking {
  readonly kind: ArchiveKind;
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

const plainFiles = ['File', 'OldFile', 'ContiguousFile', 'Directory', 'SymbolicLink'];
const fileTypeBits = 0o170000;
const linkBits = 0o120000;

/** What the name of an archive says it is. */
export function archiveKind(url: string): ArchiveKind | undefined {
  const name = new URL(url).pathname.toLowerCase();
  if (/\.(tar|tar\.gz|tgz)$/.test(name)) return 'tar';
  return name.endsWith('.zip') ? 'zip' : undefined;
}

/** Unpacks an archive into a folder. One that would write, or lead, anywhere else is refused as a whole. */
export async function unpack(archive: string, folder: string, unpacking: Unpacking): Promise<void> {
  await fs.promises.mkdir(folder, { recursive: true });
  await (unpacking.kind === 'tar' ? unpackTar : unpackZip)(archive, folder, unpacking);
  await refuseLinksOut(folder);
}

async function unpackTar(file: string, cwd: string, { maxBytes, signal }: Unpacking): Promise<void> {
  const tar = await import('tar');
  let problem: AcpError | undefined;
  let bytes = 0;
  const filter = (name: string, entry: object) => {
    const { type, size = 0 } = entry as { type?: string; size?: number };
    bytes += size;
    if (!isInside(name) && name !== './' && name !== '.') problem ??= refusal(`${name} is not inside of it`);
    if (!plainFiles.includes(String(type))) problem ??= refusal(`${name} is a ${type}`);
    if (bytes > maxBytes) problem ??= refusal(`it is larger than ${maxBytes} bytes`);
    if (signal?.aborted) problem ??= new AcpError('cancelled', 'it was stopped');
    return problem === undefined;
  };
  // Strict: what would be a warning ends it.
  const failure = await tar.extract({ file, cwd, filter, strict: true, noMtime: true }).catch(refusalOf);
  if (problem ?? failure) throw problem ?? failure;
}

async function unpackZip(file: string, folder: string, { maxBytes, signal }: Unpacking): Promise<void> {
  const yauzl = await import('yauzl');
  let bytes = 0;
  try {
    const zip = await yauzl.openPromise(file, { strictFileNames: true });
    for await (const entry of zip.eachEntry()) {
      signal?.throwIfAborted();
      const mode = entry.externalFileAttributes >>> 16;
      bytes += entry.uncompressedSize;
      if (bytes > maxBytes) throw refusal(`it is larger than ${maxBytes} bytes`);
      if (!isInside(entry.fileName)) throw refusal(`${entry.fileName} is not inside of it`);
      if ((mode & fileTypeBits) === linkBits) throw refusal(`${entry.fileName} is a link`);
      const target = path.join(folder, entry.fileName);
      await fs.promises.mkdir(entry.fileName.endsWith('/') ? target : path.dirname(target), {
        recursive: true,
      });
      if (entry.fileName.endsWith('/')) continue;
      const content = await zip.openReadStreamPromise(entry);
      await pipeline(content, fs.createWriteStream(target, { flags: 'wx', mode: 0o644 | (mode & 0o111) }));
    }
  } catch (error) {
    throw refusalOf(error);
  }
}

// Where a link leads in the end is known only when everything is there.
async function refuseLinksOut(folder: string): Promise<void> {
  const root = await fs.promises.realpath(folder);
  for (const entry of await fs.promises.readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue;
    const link = path.join(entry.parentPath ?? entry.path, entry.name);
    const target = await fs.promises.realpath(link).catch(() => '');
    if (!target.startsWith(root + path.sep)) throw refusal(`${entry.name} leads out of it`);
  }
}

function refusal(reason: string): AcpError {
  return new AcpError('registry_error', `the archive is refused: ${reason}`);
}

function refusalOf(error: unknown): AcpError {
  if (error instanceof AcpError) return error;
  return new AcpError('registry_error', `the archive can't be unpacked: ${(error as Error).message}`, {
    cause: error,
  });
}
