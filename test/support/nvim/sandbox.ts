import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Disposable } from '../../../src/base/disposable.ts';

/** The text of files by their path in the working directory. */
export type Files = Readonly<Record<string, string>>;

/** The directories and the environment of one Neovim. */
export class Sandbox implements Disposable {
  /** A variable in the environment of every process that is started in the sandbox. */
  readonly marker = `ACP_TEST_RUN=${randomUUID()}`;
  readonly root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'acp-')));
  /** The working directory. */
  readonly cwd = this.dir('work');

  /** Only PATH comes from the developer's environment. */
  readonly env: Readonly<Record<string, string>> = {
    PATH: process.env.PATH ?? '',
    LANG: 'C.UTF-8',
    SHELL: '/bin/sh',
    HOME: this.dir('home'),
    TMPDIR: this.dir('tmp'),
    XDG_CONFIG_HOME: this.dir('config'),
    XDG_DATA_HOME: this.dir('data'),
    XDG_STATE_HOME: this.dir('state'),
    XDG_CACHE_HOME: this.dir('cache'),
    XDG_RUNTIME_DIR: this.dir('run'),
    ...Object.fromEntries([this.marker.split('=')]),
  };

  path(...names: string[]): string {
    return path.join(this.cwd, ...names);
  }

  read(name: string): string {
    return fs.readFileSync(this.path(name), 'utf8');
  }

  write(files: Files): void {
    for (const [name, text] of Object.entries(files)) {
      fs.mkdirSync(path.dirname(this.path(name)), { recursive: true });
      fs.writeFileSync(this.path(name), text);
    }
  }

  // A thread of an exited process may still finish a write.
  dispose(): void {
    for (let tries = 1; fs.existsSync(this.root); tries += 1) {
      try {
        fs.rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
      } catch (error) {
        if (tries === 5) throw error;
      }
    }
  }

  private dir(name: string): string {
    const dir = path.join(this.root, name);
    fs.mkdirSync(dir, { mode: 0o700 });
    return dir;
  }
}
