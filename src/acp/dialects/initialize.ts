import type { JsonObject } from '../../base/record.ts';
import { isRecord } from '../../base/record.ts';
import { snakeKeys } from './keys.ts';
import type { Peer } from './peer.ts';
import {
  applyRules,
  defined,
  documents,
  mapSame,
  type RewriteRule,
  type RuleObserver,
  renameFields,
  withField,
  withMeta,
  without,
} from './rules.ts';
import { canonicalModes, nameFromId } from './sessions.ts';

/** Rules for the result of initialize. */
const initializeRules: readonly RewriteRule[] = [
  snakeKeys,
  renameFields({ name: 'E: serverInfo', implies: documents.overview }, { serverInfo: 'agentInfo' }),
  {
    name: 'E: protocolVersion',
    applies: ({ protocolVersion }) => protocolVersion === undefined || isVersionOneText(protocolVersion),
    rewrite: (result) => ({ ...result, protocolVersion: 1 }),
  },
  {
    name: 'E: capabilities',
    // Version 2 of ACP uses this name too.
    applies: ({ protocolVersion, capabilities, agentCapabilities }) =>
      protocolVersion === 1 && isRecord(capabilities) && agentCapabilities === undefined,
    rewrite: (result) => ({ ...without(result, 'capabilities'), agentCapabilities: result.capabilities }),
  },
  renameFields(
    { name: 'B: authenticationMethods', implies: documents.completeSpecification },
    { authenticationMethods: 'authMethods' },
  ),
  {
    name: 'A: authMethods none',
    implies: documents.reverseEngineered,
    applies: ({ authMethods: methods }) =>
      Array.isArray(methods) && methods.length === 1 && methods[0] === 'none',
    rewrite: (result) => ({ ...result, authMethods: [] }),
  },
];

const capabilityRules: readonly RewriteRule[] = [
  {
    name: 'A: capabilities modes, plan',
    implies: documents.reverseEngineered,
    applies: ({ modes, plan }) => typeof modes === 'boolean' || typeof plan === 'boolean',
    rewrite: (capabilities) => {
      const { modes, plan } = capabilities;
      const shown = { 'acp.nvim/capabilities': defined({ modes, plan }) };
      return withMeta(without(capabilities, 'modes', 'plan'), shown);
    },
  },
  {
    name: 'B: supportedTransports',
    implies: documents.completeSpecification,
    applies: ({ mcpCapabilities: mcp }) => isRecord(mcp) && Array.isArray(mcp.supportedTransports),
    rewrite: (capabilities) => ({
      ...capabilities,
      mcpCapabilities: mcpTransportFlags(capabilities.mcpCapabilities as JsonObject),
    }),
  },
];

const authMethodKeys = renameFields(
  { name: 'B: authMethod methodId, title' },
  { methodId: 'id', title: 'name' },
);

/** The canonical result of initialize. Stores the modes announced for all sessions. */
export function canonicalInitializeResult(result: JsonObject, peer: Peer): JsonObject {
  const flat = applyRules(initializeRules, result, peer);
  const withMethods = withField(
    flat,
    'authMethods',
    mapSame(flat.authMethods, (method) => canonicalAuthMethod(method, peer)),
  );
  const { agentCapabilities } = flat;
  if (!isRecord(agentCapabilities)) return withMethods;
  peer.announcedModes = canonicalModes(agentCapabilities.sessionModes, peer);
  return withField(withMethods, 'agentCapabilities', applyRules(capabilityRules, agentCapabilities, peer));
}

function canonicalAuthMethod(method: unknown, observer: RuleObserver): unknown {
  if (isRecord(method)) return applyRules([authMethodKeys], method, observer);
  if (typeof method !== 'string') return method;
  observer.ruleApplied({ name: 'A: authMethods words', implies: documents.reverseEngineered });
  return nameFromId(method);
}

function isVersionOneText(version: unknown): boolean {
  return typeof version === 'string' && /^1(\.0)*$/.test(version);
}

function mcpTransportFlags(mcp: JsonObject): JsonObject {
  const transports = mcp.supportedTransports as readonly unknown[];
  const rest = without(mcp, 'supportedTransports');
  return { http: transports.includes('http'), sse: transports.includes('sse'), ...rest };
}
