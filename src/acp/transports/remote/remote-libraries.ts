// The libraries that only remote agents need, in a separate bundle: most hosts never load it.
export { createHttpStream, MemoryAcpCookieStore } from '@agentclientprotocol/sdk/experimental/http-client';
export { Agent as Dispatcher, fetch, Response } from 'undici';
export { WebSocket } from 'ws';
