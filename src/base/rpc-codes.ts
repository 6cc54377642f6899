/** The JSON-RPC error codes that ACP defines or that are sent here. */
export const rpcCodes = {
  authRequired: -32000,
  notFound: -32002,
  cancelled: -32800,
  badParams: -32602,
  internal: -32603,
} as const;
