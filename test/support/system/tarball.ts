import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { create, Header } from 'tar';

/** A .tar.gz of executable files by path. */
export async function aTarball(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-tar-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      fs.writeFileSync(path.join(folder, name), text, { mode: 0o755 });
    }
    const file = path.join(folder, '.tar.gz');
    await create({ file, cwd: folder, gzip: true }, Object.keys(files));
    return fs.readFileSync(file);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

export interface TarEntry {
  readonly path: string;
  readonly type?:
    | 'File'
    | 'Directory'
    | 'SymbolicLink'
    | 'Link'
    | 'FIFO'
    | 'CharacterDevice'
    | 'ExtendedHeader';
  readonly linkpath?: string;
  readonly text?: string;
  readonly mode?: number;
}

/** A .tar.gz made of arbitrary, also malicious, entries. */
export function anOddTarball(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ path: name, type = 'File', linkpath, text = '', mode = 0o644 }) => {
    const header = Buffer.alloc(512);
    new Header({
      path: name,
      type,
      mode,
      size: Buffer.byteLength(text),
      mtime: new Date(0),
      ...(linkpath !== undefined && { linkpath }),
    }).encode(header, 0);
    const body = Buffer.alloc(Math.ceil(Buffer.byteLength(text) / 512) * 512);
    body.write(text);
    return [header, body];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}
