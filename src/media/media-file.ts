import fs from 'node:fs/promises';
import path from 'node:path';
import { mediaProbeBytes, mediaTypeOf } from './media-type.ts';

/** Whether a file is a picture or a sound, by its content and by its name. False if it can't be read. */
export async function isMediaFile(file: string): Promise<boolean> {
  try {
    // Opening a pipe would wait for a writer.
    if (!(await fs.stat(file)).isFile()) return false;
    const handle = await fs.open(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(mediaProbeBytes), 0, mediaProbeBytes, 0);
      const type = mediaTypeOf(buffer.subarray(0, bytesRead));
      return type?.extensions.includes(path.extname(file).toLowerCase()) === true;
    } finally {
      await handle.close();
    }
  } catch {
    return false;
  }
}
