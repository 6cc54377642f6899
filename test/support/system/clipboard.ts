import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { waitFor } from '../wait.ts';

/** A folder of small programs that stand in for those that read the clipboard. */
export class ClipboardPrograms {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    fs.mkdirSync(folder, { recursive: true });
  }

  /** Only the stand-ins are on this PATH; a stand-in itself finds the usual programs. */
  get searchPath(): string {
    return this.folder;
  }

  add(name: string, script: string): void {
    const file = path.join(this.folder, name);
    fs.writeFileSync(
      file,
      `#!/bin/sh\nPATH=/usr/bin:/bin\necho "$*" >> '${this.folder}/${name}.log'\n${script}\n`,
      {
        mode: 0o755,
      },
    );
  }

  /** The arguments of each call, joined. */
  calls(name: string): readonly string[] {
    const file = path.join(this.folder, `${name}.log`);
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n') : [];
  }

  /** A stand-in for wl-paste that has a picture. */
  addPicture(bytes: Buffer, types = 'text/html\nimage/png'): void {
    const file = path.join(this.folder, 'clipboard');
    fs.writeFileSync(file, bytes);
    this.add('wl-paste', `if [ "$1" = --list-types ]; then printf '${types}\n'; else cat '${file}'; fi`);
  }
}

export const hasXclip = ['Xvfb', 'xclip'].every((name) => spawnSync('which', [name]).status === 0);

/** An X server without a screen. */
export async function startXvfb(): Promise<{ readonly display: string; end(): Promise<void> }> {
  const server: ChildProcess = spawn(
    'Xvfb',
    ['-displayfd', '1', '-screen', '0', '640x480x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  let output = '';
  server.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await waitFor(() => output.includes('\n'), { describe: () => 'Xvfb to name its display' });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  return {
    display: `:${output.trim()}`,
    end: () => {
      server.kill();
      return ended;
    },
  };
}
