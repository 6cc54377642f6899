import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Disposable } from '../../src/base/disposable.ts';

/** The round trip to a process that only echoes: the minimum on this machine. */
export class Echo implements Disposable {
  private readonly cat = spawn('cat', { stdio: ['pipe', 'pipe', 'ignore'] });

  async time(): Promise<number> {
    const start = performance.now();
    this.cat.stdin.write('x');
    await once(this.cat.stdout, 'data');
    return performance.now() - start;
  }

  dispose(): void {
    this.cat.kill();
  }
}
