import { isRecord } from '../base.ts';
import type { AuthMethod } from '../session/model.ts';
import { listOf, textOf } from './wire.ts';

/** Reads the ways to log in. One of a kind unknown here is driven by the agent, as those without a kind are. */
export function authMethodsFrom(methods: unknown): readonly AuthMethod[] {
  return listOf(methods, (method) => {
    if (!isRecord(method)) return undefined;
    const id = textOf(method.id);
    if (id === undefined) return undefined;
    const facts = { id, name: textOf(method.name) ?? id, description: textOf(method.description) };
    if (method.type !== 'terminal') return { ...facts, kind: 'agent' };
    return { ...facts, kind: 'terminal', args: listOf(method.args, textOf), env: variablesFrom(method.env) };
  });
}

function variablesFrom(env: unknown): Readonly<Record<string, string>> {
  if (!isRecord(env)) return {};
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
