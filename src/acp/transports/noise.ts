import { shorten } from '../../base.ts';
import type { Log } from '../../ports/host.ts';

const maxLogged = 500;

/** Logs what an agent sends that is no message. */
export function reportingNoise(log: Log, where: string): (text: string) => void {
  return (text) => log.warn(`not JSON-RPC on ${where}: ${shorten(text, maxLogged)}`);
}
