import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Disposable } from '../../src/base.ts';

/** What this machine takes to wake another process and be woken by it, whatever that does: the floor of a round trip. */
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
