import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { once } from '../../../src/base/once.ts';
import { isMet } from '../system/requirements.ts';

/** A file system of its own in a folder, so that it can be full or read-only. */
export class SmallDisk {
  private readonly folder: string;

  constructor(folder: string, kilobytes: number) {
    this.folder = folder;
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k,mode=700`, 'tmpfs', folder]);
  }

  private get filler(): string {
    return path.join(this.folder, '.filler');
  }

  /** Leaves no room. */
  fill(): void {
    const fd = fs.openSync(this.filler, 'a');
    try {
      for (const block = Buffer.alloc(4096); ; ) fs.writeSync(fd, block);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      fs.closeSync(fd);
    }
  }

  /** Makes room again. */
  free(): void {
    fs.rmSync(this.filler);
  }

  makeReadOnly(): void {
    execFileSync('mount', ['-o', 'remount,ro', this.folder]);
  }

  dispose(): void {
    // A process that still ends may use it; the folder below can be removed then too.
    execFileSync('umount', ['--lazy', this.folder]);
  }
}

/** Whether this user may mount file systems. */
export const canMount = once(() => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]).status === 0;
  if (mounted) spawnSync('umount', ['--lazy', folder]);
  fs.rmdirSync(folder);
  return isMet(mounted, 'this user may not mount file systems');
});
