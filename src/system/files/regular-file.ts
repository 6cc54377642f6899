import fs from 'node:fs';

/** Reads a small file of a project at once. Throws if it is a pipe or a device, which would block, or too large. */
export function readRegularFile(file: string, maxBytes = 1024 * 1024): string {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  try {
    const facts = fs.fstatSync(fd);
    if (!facts.isFile()) throw new Error('it is not a regular file');
    if (facts.size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    return fs.readFileSync(fd, 'utf8');
  } finally {
    fs.closeSync(fd);
  }
}
