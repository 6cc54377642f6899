import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';

interface ReadingLimits {
  readonly maxBytes?: number;
  /** Refuse bytes that are not UTF-8, and NUL, which a crash of the system leaves in files. */
  readonly isText?: true;
}

/** Reads a small file of a project at once. Throws if it is a pipe or a device, which would block, or too large. */
export function readRegularFile(
  file: string,
  { maxBytes = 1024 * 1024, isText }: ReadingLimits = {},
): string {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  try {
    const facts = fs.fstatSync(fd);
    if (!facts.isFile()) throw new Error('it is not a regular file');
    if (facts.size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    const bytes = fs.readFileSync(fd);
    if (isText && (!isUtf8(bytes) || bytes.includes(0))) throw new Error('it is not a text in UTF-8');
    return bytes.toString();
  } finally {
    fs.closeSync(fd);
  }
}
