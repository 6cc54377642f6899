import type { Host } from '../../../src/app/host.ts';
import type { TestNvim } from './nvim.ts';

export interface HostLink {
  readonly host: Host;
  /** Ends the host and everything it started. */
  detach(): Promise<void>;
}

/** Attaches a host in this process to Neovim's channel to the test. */
export async function attachHostTo(nvim: TestNvim): Promise<HostLink> {
  const { createHost } = await import('../../../src/main.ts');
  const restoreEnv = mark(nvim.sandbox.marker);
  const host = createHost(nvim.client);
  nvim.client.on('notification', (method: string, [args]: [unknown]) => {
    if (method.endsWith(':function:AcpNotify')) void host.notify(...asCall(args));
  });
  await nvim.lua("require('acp.host').attach(...)", await nvim.client.channelId);
  const detach = async () => {
    await host.end();
    restoreEnv();
  };
  return { host, detach };
}

function asCall(args: unknown): [op: string, payload: unknown] {
  return args as [string, unknown];
}

// The processes of the host must have the marker of its Neovim.
function mark(marker: string): () => void {
  const [name = '', value] = marker.split('=');
  const before = process.env[name];
  process.env[name] = value;
  return () => {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  };
}
