// Everything that only agents elsewhere need, in a chunk of its own: most hosts never load it.
export { createHttpStream, MemoryAcpCookieStore } from '@agentclientprotocol/sdk/experimental/http-client';
export { Agent as Dispatcher, fetch, Response } from 'undici';
export { WebSocket } from 'ws';
