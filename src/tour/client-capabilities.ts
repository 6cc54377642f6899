import { isRecord } from '../base/record.ts';

/** The optional features of the client. */
export interface ClientCapabilities {
  readonly canRead: boolean;
  readonly canWrite: boolean;
  readonly hasTerminals: boolean;
  readonly hasForms: boolean;
  readonly opensPages: boolean;
  readonly hasNotices: boolean;
}

/** Reads the client's capabilities. Missing or invalid fields mean unsupported. */
export function readClientCapabilities(capabilities: unknown): ClientCapabilities {
  const { fs, terminal, elicitation, session } = objectOrEmpty(capabilities);
  return {
    canRead: objectOrEmpty(fs).readTextFile === true,
    canWrite: objectOrEmpty(fs).writeTextFile === true,
    hasTerminals: terminal === true,
    hasForms: isRecord(objectOrEmpty(elicitation).form),
    opensPages: isRecord(objectOrEmpty(elicitation).url),
    hasNotices: isRecord(objectOrEmpty(session).notices),
  };
}

function objectOrEmpty(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}
