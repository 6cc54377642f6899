import path from 'node:path';
import { isRecord } from '../base.ts';
import { runsItsArguments } from '../program-kinds.ts';
import type { AuthMethod } from '../session/model.ts';
import { listOf, textOf } from './wire.ts';

/** How the agent was started, which decides what may be run for a login. */
export interface StartedAs {
  /** The program and arguments of the configuration; empty for an agent that is reached by its url. */
  readonly command: readonly string[];
  readonly isElsewhere: boolean;
}

/** Reads the ways to log in. One of a kind unknown here is driven by the agent, as those without a kind are. */
export function authMethodsFrom(
  methods: unknown,
  started: StartedAs = { command: [], isElsewhere: false },
): readonly AuthMethod[] {
  return listOf(methods, (method) => {
    if (!isRecord(method)) return undefined;
    const id = textOf(method.id);
    if (id === undefined) return undefined;
    const facts = { id, name: textOf(method.name) ?? id, description: textOf(method.description) };
    const terminal = terminalFrom(method, started);
    if (terminal) return { ...facts, kind: 'terminal', ...terminal };
    const variable = keyVariableOf(method);
    return { ...facts, kind: 'agent', ...(variable !== undefined && { variable }) };
  });
}

interface TerminalLogin {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly isOther?: true;
}

function terminalFrom(method: Record<string, unknown>, started: StartedAs): TerminalLogin | undefined {
  const meta = isRecord(method._meta) ? method._meta : {};
  // Some agents tell the kind and the arguments beside the protocol.
  const typed = [method, meta].find(({ type }) => type === 'terminal');
  if (typed) {
    const command = [...started.command, ...listOf(typed.args, textOf)];
    return { command, env: variablesFrom(typed.env) };
  }
  const older = meta['terminal-auth'];
  if (!isRecord(older)) return undefined;
  const command = olderCommand(older, started);
  return command && { ...command, env: variablesFrom(older.env) };
}

/**
 * Before there were terminal methods, agents told a whole command. Its program is run if the user configured that very
 * program, or if it has a name of its own; what runs any code, such as an interpreter, a package runner or `ssh`, is run
 * only with what the user configured behind it.
 */
function olderCommand(
  descriptor: Record<string, unknown>,
  { command: own, isElsewhere }: StartedAs,
): Omit<TerminalLogin, 'env'> | undefined {
  const [program = '', script = ''] = own;
  const told = textOf(descriptor.command) ?? '';
  const args = listOf(descriptor.args, textOf);
  if (program === '' || told === '') return undefined;
  const isSame = path.basename(told) === path.basename(program);
  if (isElsewhere) return { command: [...own, ...args] };
  if (!runsItsArguments(program)) {
    if (isSame) return { command: [program, ...args] };
    if (runsItsArguments(told)) return { command: [program, ...withoutScript(args)] };
  } else if (isSame && path.isAbsolute(script) && args[0] === script) {
    return { command: [program, ...args] };
  } else if (runsItsArguments(told)) {
    return { command: [...own, ...withoutScript(args)] };
  }
  return { command: [told, ...args], isOther: true };
}

// An interpreter is told the agent's own script first.
function withoutScript(args: readonly string[]): readonly string[] {
  return path.isAbsolute(args[0] ?? '') ? args.slice(1) : args;
}

const providers: Readonly<Record<string, string>> = {
  google: 'GEMINI_API_KEY',
  gemini: 'GEMINI_API_KEY',
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
};

/** The variable that holds the key which a method wants. */
function keyVariableOf({ vars, _meta }: Record<string, unknown>): string | undefined {
  const [named] = listOf(vars, (item) => (isRecord(item) ? textOf(item.name) : undefined));
  if (named !== undefined && /^[A-Z][A-Z0-9_]*_(KEY|TOKEN)$/.test(named)) return named;
  const asked = isRecord(_meta) ? _meta['api-key'] : undefined;
  const provider = isRecord(asked) ? textOf(asked.provider)?.toLowerCase() : undefined;
  return provider !== undefined && Object.hasOwn(providers, provider) ? providers[provider] : undefined;
}

function variablesFrom(env: unknown): Readonly<Record<string, string>> {
  if (!isRecord(env)) return {};
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
