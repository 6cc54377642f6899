import { assertNever } from '../../base.ts';
import type { AgentSpec } from '../../ports/agent.ts';
import type { Log } from '../../ports/host.ts';
import type { Leash } from '../../processes.ts';
import type { Transport } from '../transport.ts';
import { HttpTransport } from './http.ts';
import { PostTransport } from './post.ts';
import { StdioTransport } from './stdio.ts';
import { WebSocketTransport } from './websocket.ts';

/** Starts an agent, or connects to it, in the way its configuration says. */
export function openTransport(spec: AgentSpec, leash: Leash, log: Log): Transport {
  const kind = spec.transport ?? 'stdio';
  switch (kind) {
    case 'stdio':
      return new StdioTransport(spec, leash, log);
    case 'websocket':
      return new WebSocketTransport(spec, log);
    case 'http':
      return new HttpTransport(spec);
    case 'post':
      return new PostTransport(spec, log);
    default:
      return assertNever(kind);
  }
}
