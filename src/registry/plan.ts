import path from 'node:path';
import { lookUp } from '../base/record.ts';
import type { AgentManifest, PackageSource } from './manifest.ts';
import { archiveKind } from './unpack.ts';

/** The computer the agent will run on. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
  /** Whether a program is on PATH. */
  has(program: string): boolean;
  /** The folder that agents are installed in. */
  readonly folder: string;
}

interface Launch {
  /** The text that the user consents to. It is stored with the consent, so changing it asks again. */
  readonly summary: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface BinaryPlan extends Launch {
  readonly kind: 'binary';
  readonly archive: string;
  readonly cmd: string;
  /** The folder it is installed in. */
  readonly folder: string;
}

/** How to install and start an agent on a machine. */
export type InstallPlan =
  | (Launch & { readonly kind: 'npx' | 'uvx'; readonly package: string })
  | BinaryPlan
  | { readonly kind: 'none'; readonly reason: string };

const systems: Readonly<Record<string, string>> = { darwin: 'darwin', linux: 'linux', win32: 'windows' };
const architectures: Readonly<Record<string, string>> = { arm64: 'aarch64', x64: 'x86_64' };

/** Chooses the first available way: npx, uvx, an archive. */
export function planFor(manifest: AgentManifest, machine: Machine): InstallPlan {
  const { npx, uvx } = manifest;
  if (npx && machine.has('npx'))
    return rejectUnsafeArguments(machine, packagePlan('npx', ['npx', '-y'], npx));
  if (uvx && machine.has('uvx')) return rejectUnsafeArguments(machine, packagePlan('uvx', ['uvx'], uvx));
  const binary = binaryPlan(manifest, machine);
  if (binary.kind !== 'none') return rejectUnsafeArguments(machine, binary);
  const runners = [npx && 'npx (part of Node)', uvx && 'uvx (part of uv)'].filter(Boolean);
  return runners.length > 0 ? noPlan(`it requires ${runners.join(' or ')} on PATH`) : binary;
}

function packagePlan(kind: 'npx' | 'uvx', runner: readonly string[], source: PackageSource): InstallPlan {
  const command = [...runner, source.package, ...source.args];
  return {
    kind,
    command,
    env: source.env,
    package: source.package,
    summary: summaryLine(command, source.env),
  };
}

function binaryPlan({ id, version, binary }: AgentManifest, machine: Machine): InstallPlan {
  const system = `${lookUp(systems, machine.platform) ?? machine.platform}-${lookUp(architectures, machine.arch) ?? machine.arch}`;
  const target = lookUp(binary, system);
  if (!target) return noPlan(`it has no build for ${system}`);
  const { archive, cmd, args, env } = target;
  if (!archiveKind(archive))
    return noPlan(`${path.posix.basename(new URL(archive).pathname)} is an unsupported archive format`);
  const folder = path.join(machine.folder, id, version);
  const command = [path.join(folder, cmd), ...args];
  const summary = `download ${archive} to ${folder} and run ${summaryLine([cmd, ...args], env)}`;
  return { kind: 'binary', archive, cmd, folder, command, env, summary };
}

// On Windows npx and uvx are scripts that run in a shell, which interprets these characters.
function rejectUnsafeArguments({ platform }: Machine, plan: InstallPlan): InstallPlan {
  const isUnsafe = plan.kind !== 'none' && plan.command.slice(1).some((word) => /[\s"&|<>^%!()]/.test(word));
  return platform === 'win32' && isUnsafe ? noPlan('its arguments are not safe on Windows') : plan;
}

function noPlan(reason: string): InstallPlan {
  return { kind: 'none', reason };
}

function summaryLine(command: readonly string[], env: Readonly<Record<string, string>>): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoteForSummary(value)}`);
  return [...variables, ...command.map(quoteForSummary)].join(' ');
}

// Not `shellQuote` of base, which quotes more: stored consents contain this text.
function quoteForSummary(word: string): string {
  return /^[\w@%+=:,./~^-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
