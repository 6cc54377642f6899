import { AcpError } from '../base/errors.ts';
import type { HostOptions } from '../ports/options.ts';

/** The options that Neovim sent last. */
export class LatestOptions {
  private latest: HostOptions | undefined;

  set(options: HostOptions): void {
    this.latest = options;
  }

  get(): HostOptions {
    if (!this.latest) throw new AcpError('bug', 'Neovim has sent no options yet');
    return this.latest;
  }
}
