import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Terminal as HeadlessTerminal } from '@xterm/headless';
import { nvimFor } from '../../scripts/nvim.mjs';
import type { Sandbox } from '../support/nvim/sandbox.ts';
import { repoRoot } from '../support/system/repo-root.ts';
import { waitFor } from '../support/wait.ts';

interface Pty {
  onData(listener: (text: string) => void): void;
  onExit(listener: () => void): void;
  write(text: string): void;
  kill(signal: string): void;
}

const require = createRequire(import.meta.url);
const { spawn } = require('node-pty') as { spawn(file: string, args: string[], options: object): Pty };
const { Terminal } = require('@xterm/headless') as { Terminal: typeof HeadlessTerminal };

/** A real Neovim with its own user interface, in a pseudo-terminal. `:restart` needs one. */
export class TerminalNvim {
  readonly exited: Promise<void>;
  private readonly pty: Pty;
  private readonly terminal = new Terminal({ cols: 110, rows: 30, allowProposedApi: true });

  /** `init` is Lua that runs before any plugin is loaded. */
  constructor(sandbox: Sandbox, init: string) {
    const before = path.join(sandbox.root, 'before.lua');
    fs.writeFileSync(before, `vim.opt.runtimepath:prepend(${JSON.stringify(repoRoot)})\n${init}\n`);
    const nvim = nvimFor(process.env.ACP_TEST_NVIM ?? '0.12');
    this.pty = spawn(nvim, ['--clean', '--cmd', `luafile ${before}`], {
      cols: 110,
      rows: 30,
      cwd: sandbox.cwd,
      env: { ...sandbox.env, TERM: 'xterm-256color' },
    });
    this.pty.onData((text) => this.terminal.write(text));
    // Neovim asks the terminal what it can do.
    this.terminal.onData((answer) => this.pty.write(answer));
    this.exited = new Promise((resolve) => this.pty.onExit(() => resolve()));
  }

  type(keys: string): void {
    this.pty.write(keys);
  }

  async waitForScreen(text: string): Promise<void> {
    await waitFor(() => this.screen().includes(text), {
      describe: () => `waiting for "${text}" on the screen\n${this.screen()}`,
    });
  }

  screen(): string {
    const { active } = this.terminal.buffer;
    const rows = Array.from({ length: this.terminal.rows }, (_, row) =>
      active.getLine(active.viewportY + row)?.translateToString(true),
    );
    return rows.join('\n');
  }

  dispose(): void {
    this.terminal.dispose();
  }
}
