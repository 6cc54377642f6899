import path from 'node:path';
import { isRecord } from '../base.ts';
import type { AuthMethod } from '../session/model.ts';
import { listOf, textOf } from './wire.ts';

/**
 * Reads the ways to log in. One of a kind unknown here is driven by the agent, as those without a kind are. `program` is
 * what was started as the agent, and the only thing that is ever run for a login.
 */
export function authMethodsFrom(methods: unknown, program = ''): readonly AuthMethod[] {
  return listOf(methods, (method) => {
    if (!isRecord(method)) return undefined;
    const id = textOf(method.id);
    if (id === undefined) return undefined;
    const facts = { id, name: textOf(method.name) ?? id, description: textOf(method.description) };
    if (method.type === 'terminal') {
      return {
        ...facts,
        kind: 'terminal',
        args: listOf(method.args, textOf),
        env: variablesFrom(method.env),
      };
    }
    const older = olderTerminal(method._meta, program);
    return older ? { ...facts, kind: 'terminal', isAlone: true, ...older } : { ...facts, kind: 'agent' };
  });
}

// Before there were terminal methods, agents told the whole command. It is followed if it runs the agent's own program.
function olderTerminal(meta: unknown, program: string) {
  const descriptor = isRecord(meta) ? meta['terminal-auth'] : undefined;
  if (!isRecord(descriptor) || program === '') return undefined;
  if (path.basename(textOf(descriptor.command) ?? '') !== path.basename(program)) return undefined;
  return { args: listOf(descriptor.args, textOf), env: variablesFrom(descriptor.env) };
}

function variablesFrom(env: unknown): Readonly<Record<string, string>> {
  if (!isRecord(env)) return {};
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
