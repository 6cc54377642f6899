import type { MemoryAcpCookieStore } from '@agentclientprotocol/sdk/experimental/http-client';
import type { AgentSpec } from '../../ports/agent.ts';

type Jar = MemoryAcpCookieStore;

/** The cookies of agents elsewhere. They live as long as the chat does, so a connection that is made anew has them. */
const jars = new WeakMap<AgentSpec, Jar>();

export function cookiesOf(spec: AgentSpec, create: new () => Jar): Jar {
  const jar = jars.get(spec) ?? new create();
  jars.set(spec, jar);
  return jar;
}
