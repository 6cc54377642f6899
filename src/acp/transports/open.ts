import type { TransportKind } from '../../model/transport-kinds.ts';
import type { AgentSpec } from '../../ports/agent.ts';
import type { Log } from '../../ports/log.ts';
import type { OrphanGuard } from '../../system/orphan-guard.ts';
import { HttpTransport } from './remote/http.ts';
import { CookieJars } from './remote/http-client.ts';
import { PostTransport } from './remote/post.ts';
import { WebSocketTransport } from './remote/websocket.ts';
import { StdioTransport } from './stdio/stdio.ts';
import type { Transport } from './transport.ts';

interface TransportParts {
  readonly spec: AgentSpec;
  readonly orphanGuard: OrphanGuard;
  readonly log: Log;
  readonly jars: CookieJars;
}

const openers: Readonly<Record<TransportKind, (parts: TransportParts) => Transport>> = {
  stdio: ({ spec, orphanGuard, log }) => new StdioTransport(spec, orphanGuard, log),
  websocket: ({ spec, log, jars }) => new WebSocketTransport(spec, log, jars),
  http: ({ spec, jars }) => new HttpTransport(spec, jars),
  post: ({ spec, log, jars }) => new PostTransport(spec, log, jars),
};

/** Starts an agent, or connects to it, as its configuration says. Pass the same `jars` to keep cookies. */
export function openTransport(
  spec: AgentSpec,
  orphanGuard: OrphanGuard,
  log: Log,
  jars = new CookieJars(),
): Transport {
  return openers[spec.transport ?? 'stdio']({ spec, orphanGuard, log, jars });
}
