import { isRecord } from '../base.ts';

/** What the client offers beyond the baseline. */
export interface Abilities {
  readonly canRead: boolean;
  readonly canWrite: boolean;
  readonly hasTerminals: boolean;
  readonly hasForms: boolean;
  readonly opensPages: boolean;
  readonly hasNotices: boolean;
}

/** Reads the client's capabilities; what is absent, null or odd is not offered. */
export function abilitiesFrom(capabilities: unknown): Abilities {
  const { fs, terminal, elicitation, session } = recordFrom(capabilities);
  return {
    canRead: recordFrom(fs).readTextFile === true,
    canWrite: recordFrom(fs).writeTextFile === true,
    hasTerminals: terminal === true,
    hasForms: isRecord(recordFrom(elicitation).form),
    opensPages: isRecord(recordFrom(elicitation).url),
    hasNotices: isRecord(recordFrom(session).notices),
  };
}

function recordFrom(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
