import path from 'node:path';
import { isRecord } from '../../base/record.ts';
import type { AuthMethod } from '../../model/agent.ts';
import { runsItsArguments } from '../../system/program-kinds.ts';
import { asRecord, asString, mapList } from './fields.ts';

/** How the agent was started. A login command is checked against it. */
export interface LaunchInfo {
  /** The configured program and arguments; empty for an agent with a url. */
  readonly command: readonly string[];
  readonly isRemoteAgent: boolean;
}

/** Decodes the login methods. Methods without a type, or of an unknown type, are handled by the agent. */
export function decodeAuthMethods(
  methods: unknown,
  launch: LaunchInfo = { command: [], isRemoteAgent: false },
): readonly AuthMethod[] {
  return mapList(methods, (method) => {
    if (!isRecord(method)) return undefined;
    const id = asString(method.id);
    if (id === undefined) return undefined;
    const facts = { id, name: asString(method.name) ?? id, description: asString(method.description) };
    const terminal = decodeTerminalLogin(method, launch);
    if (terminal) return { ...facts, kind: 'terminal', ...terminal };
    const variable = apiKeyVariable(method);
    return { ...facts, kind: 'agent', ...(variable !== undefined && { variable }) };
  });
}

interface TerminalLogin {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly isOther?: true;
}

function decodeTerminalLogin(method: Record<string, unknown>, launch: LaunchInfo): TerminalLogin | undefined {
  const meta = asRecord(method._meta);
  // Some agents put the type and the arguments into _meta.
  const typed = [method, meta].find(({ type }) => type === 'terminal');
  if (typed) {
    const command = [...launch.command, ...mapList(typed.args, asString)];
    return { command, env: decodeEnv(typed.env) };
  }
  const legacy = meta['terminal-auth'];
  if (!isRecord(legacy)) return undefined;
  const command = legacyLoginCommand(legacy, launch);
  return command && { ...command, env: decodeEnv(legacy.env) };
}

/**
 * Before the protocol had terminal methods, agents sent a whole command. Its program is run if it is the configured one
 * or an ordinary program. Programs that run arbitrary code, such as an interpreter, a package runner or `ssh`, are only
 * run with the configured arguments.
 */
function legacyLoginCommand(
  descriptor: Record<string, unknown>,
  { command: configured, isRemoteAgent }: LaunchInfo,
): Omit<TerminalLogin, 'env'> | undefined {
  const [program = '', script = ''] = configured;
  const requested = asString(descriptor.command) ?? '';
  const args = mapList(descriptor.args, asString);
  if (program === '' || requested === '') return undefined;
  const isSame = path.basename(requested) === path.basename(program);
  if (isRemoteAgent) return { command: [...configured, ...args] };
  if (!runsItsArguments(program)) {
    if (isSame) return { command: [program, ...args] };
    if (runsItsArguments(requested)) return { command: [program, ...withoutScript(args)] };
  } else if (isSame && path.isAbsolute(script) && args[0] === script) {
    return { command: [program, ...args] };
  } else if (runsItsArguments(requested)) {
    return { command: [...configured, ...withoutScript(args)] };
  }
  return { command: [requested, ...args], isOther: true };
}

// The first argument of an interpreter is the script of the agent.
function withoutScript(args: readonly string[]): readonly string[] {
  return path.isAbsolute(args[0] ?? '') ? args.slice(1) : args;
}

const apiKeyVariables: Readonly<Record<string, string>> = {
  google: 'GEMINI_API_KEY',
  gemini: 'GEMINI_API_KEY',
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
};

/** The environment variable in which the agent looks for an API key. */
function apiKeyVariable({ vars, _meta }: Record<string, unknown>): string | undefined {
  const [named] = mapList(vars, (item) => (isRecord(item) ? asString(item.name) : undefined));
  if (named !== undefined && /^[A-Z][A-Z0-9_]*_(KEY|TOKEN)$/.test(named)) return named;
  const asked = isRecord(_meta) ? _meta['api-key'] : undefined;
  const provider = isRecord(asked) ? asString(asked.provider)?.toLowerCase() : undefined;
  return provider !== undefined && Object.hasOwn(apiKeyVariables, provider)
    ? apiKeyVariables[provider]
    : undefined;
}

function decodeEnv(env: unknown): Readonly<Record<string, string>> {
  if (!isRecord(env)) return {};
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
