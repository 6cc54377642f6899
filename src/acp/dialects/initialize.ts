import { isRecord } from '../../base.ts';
import { snakeKeys } from './keys.ts';
import type { Peer } from './peer.ts';
import {
  applyRules,
  defined,
  mapSame,
  type Rule,
  renaming,
  type Wire,
  type Witness,
  withField,
  withMeta,
  without,
} from './rules.ts';
import { modesFrom, named } from './sessions.ts';

/** Rules for the result of initialize. */
const resultRules: readonly Rule[] = [
  snakeKeys,
  renaming({ name: 'E: serverInfo', tells: 'E' }, { serverInfo: 'agentInfo' }),
  {
    name: 'E: protocolVersion',
    applies: ({ protocolVersion }) => protocolVersion === undefined || isWordForOne(protocolVersion),
    rewrite: (result) => ({ ...result, protocolVersion: 1 }),
  },
  {
    name: 'E: capabilities',
    // Version 2 has this name too.
    applies: ({ protocolVersion, capabilities, agentCapabilities }) =>
      protocolVersion === 1 && isRecord(capabilities) && agentCapabilities === undefined,
    rewrite: (result) => ({ ...without(result, 'capabilities'), agentCapabilities: result.capabilities }),
  },
  renaming({ name: 'B: authenticationMethods', tells: 'B' }, { authenticationMethods: 'authMethods' }),
  {
    name: 'A: authMethods none',
    tells: 'A',
    applies: ({ authMethods: methods }) =>
      Array.isArray(methods) && methods.length === 1 && methods[0] === 'none',
    rewrite: (result) => ({ ...result, authMethods: [] }),
  },
];

const capabilityRules: readonly Rule[] = [
  {
    name: 'A: capabilities modes, plan',
    applies: ({ modes, plan }) => typeof modes === 'boolean' || typeof plan === 'boolean',
    rewrite: (capabilities) => {
      const { modes, plan } = capabilities;
      const shown = { 'acp.nvim/capabilities': defined({ modes, plan }) };
      return withMeta(without(capabilities, 'modes', 'plan'), shown);
    },
  },
  {
    name: 'B: supportedTransports',
    tells: 'B',
    applies: ({ mcpCapabilities: mcp }) => isRecord(mcp) && Array.isArray(mcp.supportedTransports),
    rewrite: (capabilities) => ({
      ...capabilities,
      mcpCapabilities: transportsFrom(capabilities.mcpCapabilities as Wire),
    }),
  },
];

const authMethodKeys = renaming({ name: 'B: authMethod methodId, title' }, { methodId: 'id', title: 'name' });

/** The canonical result of initialize; remembers the modes it announces for all sessions. */
export function initializeResultFrom(result: Wire, peer: Peer): Wire {
  const flat = applyRules(resultRules, result, peer);
  const withMethods = withField(
    flat,
    'authMethods',
    mapSame(flat.authMethods, (method) => authMethodFrom(method, peer)),
  );
  const { agentCapabilities } = flat;
  if (!isRecord(agentCapabilities)) return withMethods;
  peer.modes = modesFrom(agentCapabilities.sessionModes, peer);
  return withField(withMethods, 'agentCapabilities', applyRules(capabilityRules, agentCapabilities, peer));
}

function authMethodFrom(method: unknown, witness: Witness): unknown {
  if (isRecord(method)) return applyRules([authMethodKeys], method, witness);
  if (typeof method !== 'string') return method;
  witness.note({ name: 'A: authMethods words', tells: 'A' });
  return named(method);
}

function isWordForOne(version: unknown): boolean {
  return typeof version === 'string' && /^1(\.0)*$/.test(version);
}

function transportsFrom(mcp: Wire): Wire {
  const transports = mcp.supportedTransports as readonly unknown[];
  const rest = without(mcp, 'supportedTransports');
  return { http: transports.includes('http'), sse: transports.includes('sse'), ...rest };
}
