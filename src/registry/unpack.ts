import fs from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import { AcpError } from '../base/errors.ts';
import { staysInside } from './manifest.ts';
import { unpackContent } from './tar-content.ts';

export type ArchiveKind = 'tar' | 'zip';

interface UnpackOptions {
  readonly kind: ArchiveKind;
  readonly maxBytes: number;
  readonly maxFiles?: number;
  readonly signal?: AbortSignal;
}

const allowedTarTypes = ['File', 'OldFile', 'ContiguousFile', 'Directory', 'SymbolicLink'];
const fileTypeBits = 0o170000;
const linkBits = 0o120000;
const megabyte = 1024 * 1024;
const defaultMaxFiles = 100_000;
/** A long name, a long target of a link, and one of pax. */
const maxExtendedPerFile = 3;

/** The kind of an archive by its file name. */
export function archiveKind(url: string): ArchiveKind | undefined {
  const name = new URL(url).pathname.toLowerCase();
  if (/\.(tar|tar\.gz|tgz)$/.test(name)) return 'tar';
  return name.endsWith('.zip') ? 'zip' : undefined;
}

/** Unpacks an archive into a folder. Rejects an archive with files or links outside of that folder. */
export async function unpack(archive: string, folder: string, options: UnpackOptions): Promise<void> {
  await fs.promises.mkdir(folder, { recursive: true });
  await (options.kind === 'tar' ? unpackTar : unpackZip)(archive, folder, options);
  await rejectLinksOutside(folder);
}

async function unpackTar(file: string, cwd: string, options: UnpackOptions): Promise<void> {
  const { maxBytes, maxFiles = defaultMaxFiles, signal } = options;
  const tar = await import('tar');
  let problem: AcpError | undefined;
  let bytes = 0;
  let files = 0;
  const filter = (name: string, entry: object) => {
    const header = entry as { type?: string; size?: number; mode?: number };
    const { type, size = 0, mode } = header;
    // Nobody else gets the rights of the user by running a program of the archive, and the user can remove all of it.
    if (mode !== undefined) header.mode = (mode & 0o755) | (type === 'Directory' ? 0o700 : 0o600);
    bytes += size;
    if (!staysInside(name) && name !== './' && name !== '.')
      problem ??= unsafeArchive(`${name} is outside of the archive`);
    if (!allowedTarTypes.includes(String(type))) problem ??= unsafeArchive(`${name} is a ${type}`);
    if (bytes > maxBytes) problem ??= largerThan(maxBytes);
    if (++files > maxFiles) problem ??= moreThan(maxFiles);
    if (signal?.aborted) problem ??= new AcpError('cancelled', 'the installation was cancelled');
    // What is refused is not decompressed to its end.
    if (problem) unpacking.abort(problem);
    return problem === undefined;
  };
  // Strict turns warnings into errors.
  const unpacking = tar.extract({ cwd, filter, strict: true, noMtime: true });
  // Long names and other extended headers belong to a file each, but one may follow another without an end.
  let extended = 0;
  unpacking.on('meta', () => {
    if (++extended <= maxExtendedPerFile * maxFiles) return;
    problem ??= moreThan(maxFiles);
    unpacking.abort(problem);
  });
  // Headers and padding take less than the files and this.
  const limits = { maxBytes: 2 * maxBytes + megabyte, tooLarge: largerThan(maxBytes), signal };
  const failure = await unpackContent(file, unpacking, limits).catch(unpackError);
  if (problem ?? failure) throw problem ?? failure;
}

async function unpackZip(file: string, folder: string, options: UnpackOptions): Promise<void> {
  const { maxBytes, maxFiles = defaultMaxFiles, signal } = options;
  const yauzl = await import('yauzl');
  let bytes = 0;
  let files = 0;
  try {
    const zip = await yauzl.openPromise(file, { strictFileNames: true });
    for await (const entry of zip.eachEntry()) {
      signal?.throwIfAborted();
      const mode = entry.externalFileAttributes >>> 16;
      bytes += entry.uncompressedSize;
      if (bytes > maxBytes) throw largerThan(maxBytes);
      if (++files > maxFiles) throw moreThan(maxFiles);
      if (!staysInside(entry.fileName)) throw unsafeArchive(`${entry.fileName} is outside of the archive`);
      if ((mode & fileTypeBits) === linkBits) throw unsafeArchive(`${entry.fileName} is a link`);
      const target = path.join(folder, entry.fileName);
      await fs.promises.mkdir(entry.fileName.endsWith('/') ? target : path.dirname(target), {
        recursive: true,
      });
      if (entry.fileName.endsWith('/')) continue;
      const content = await zip.openReadStreamPromise(entry);
      const written = fs.createWriteStream(target, { flags: 'wx', mode: 0o644 | (mode & 0o111) });
      const checked = (chunks: AsyncIterable<Buffer>) => withChecksum(chunks, entry);
      await pipeline(content, checked, written, { ...(signal && { signal }) });
    }
  } catch (error) {
    throw unpackError(error);
  }
}

// The first releases of Node 20 do not have it.
const crc32 = zlib.crc32 as typeof zlib.crc32 | undefined;

// The reader of zip files compares only the sizes.
async function* withChecksum(
  chunks: AsyncIterable<Buffer>,
  { fileName, crc32: expected }: { readonly fileName: string; readonly crc32: number },
): AsyncIterable<Buffer> {
  let sum = 0;
  for await (const chunk of chunks) {
    sum = crc32?.(chunk, sum) ?? expected;
    yield chunk;
  }
  if (sum !== expected) throw new Error(`${fileName} is damaged`);
}

// The target of a link is known only when everything is unpacked.
async function rejectLinksOutside(folder: string): Promise<void> {
  const root = await fs.promises.realpath(folder);
  for (const entry of await fs.promises.readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue;
    const link = path.join(entry.parentPath ?? entry.path, entry.name);
    const target = await fs.promises.realpath(link).catch(() => '');
    if (!target.startsWith(root + path.sep))
      throw unsafeArchive(`${entry.name} links outside of the archive`);
  }
}

function largerThan(maxBytes: number): AcpError {
  return unsafeArchive(`it is larger than ${maxBytes} bytes`);
}

function moreThan(maxFiles: number): AcpError {
  return unsafeArchive(`it has more than ${maxFiles} files`);
}

function unsafeArchive(reason: string): AcpError {
  return new AcpError('registry_error', `unsafe archive: ${reason}`);
}

function unpackError(error: unknown): AcpError {
  if (error instanceof AcpError) return error;
  return new AcpError('registry_error', `could not unpack the archive: ${(error as Error).message}`, {
    cause: error,
  });
}
