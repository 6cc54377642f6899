/** How to reach an agent. `lua/acp/agents/spec.lua` accepts the same names, which a test checks. */
export const transportKinds = ['stdio', 'websocket', 'http', 'post'] as const;

export type TransportKind = (typeof transportKinds)[number];
