import { isRecord } from '../base.ts';
import { AcpError } from '../errors.ts';
import type { Abilities } from '../session/model.ts';

export type Ability = Exclude<keyof Abilities, 'mcpHttp' | 'mcpSse' | 'directories'>;

/** What each ability lets us do, and the word of the protocol for it. */
const meanings: Readonly<Record<Ability, readonly [what: string, method: string]>> = {
  load: ['open an earlier session', 'session/load'],
  resume: ['go on with an earlier session', 'session/resume'],
  list: ['list its sessions', 'session/list'],
  delete: ['delete a session', 'session/delete'],
  close: ['close a session', 'session/close'],
  logout: ['log out', 'logout'],
};

/** Reads what an agent offers. An object offers by being there, a flag by being true. */
export function abilitiesFrom(capabilities: unknown): Abilities {
  const all = recordOf(capabilities);
  const session = recordOf(all.sessionCapabilities);
  const mcp = recordOf(all.mcpCapabilities);
  return {
    load: all.loadSession === true,
    resume: isRecord(session.resume),
    list: isRecord(session.list),
    delete: isRecord(session.delete),
    close: isRecord(session.close),
    logout: isRecord(recordOf(all.auth).logout),
    mcpHttp: mcp.http === true,
    mcpSse: mcp.sse === true,
    directories: isRecord(session.additionalDirectories),
  };
}

/** Throws when the agent does not offer what is about to be asked of it. */
export function requireAbility(agent: string, abilities: Abilities, ability: Ability): void {
  if (abilities[ability]) return;
  const [what, method] = meanings[ability];
  throw new AcpError('unsupported', `${agent} can't ${what}: it does not offer ${method}.`);
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
