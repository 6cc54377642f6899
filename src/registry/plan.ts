import path from 'node:path';
import { lookUp } from '../base.ts';
import type { Manifest, PackageSource } from './manifest.ts';
import { archiveKind } from './unpack.ts';

/** The computer an agent is to run on. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
  /** Whether a program is on PATH. */
  has(program: string): boolean;
  /** Where agents are unpacked. */
  readonly folder: string;
}

interface Run {
  /** What is started, and all the user is asked to agree to. */
  readonly summary: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface BinaryPlan extends Run {
  readonly kind: 'binary';
  readonly archive: string;
  readonly cmd: string;
  /** Where it is unpacked to. */
  readonly folder: string;
}

/** How an agent gets onto a machine and is started there. */
export type Plan =
  | (Run & { readonly kind: 'npx' | 'uvx'; readonly package: string })
  | BinaryPlan
  | { readonly kind: 'none'; readonly reason: string };

const systems: Readonly<Record<string, string>> = { darwin: 'darwin', linux: 'linux', win32: 'windows' };
const architectures: Readonly<Record<string, string>> = { arm64: 'aarch64', x64: 'x86_64' };

/** The first way there is: npx, uvx, an archive. */
export function planFor(manifest: Manifest, machine: Machine): Plan {
  const { npx, uvx } = manifest;
  if (npx && machine.has('npx')) return safely(machine, packagePlan('npx', ['npx', '-y'], npx));
  if (uvx && machine.has('uvx')) return safely(machine, packagePlan('uvx', ['uvx'], uvx));
  const binary = binaryPlan(manifest, machine);
  if (binary.kind !== 'none') return safely(machine, binary);
  const runners = [npx && 'npx (it comes with Node)', uvx && 'uvx (it comes with uv)'].filter(Boolean);
  return runners.length > 0 ? none(`it needs ${runners.join(' or ')} on PATH`) : binary;
}

function packagePlan(kind: 'npx' | 'uvx', runner: readonly string[], source: PackageSource): Plan {
  const command = [...runner, source.package, ...source.args];
  return { kind, command, env: source.env, package: source.package, summary: lineOf(command, source.env) };
}

function binaryPlan({ id, version, binary }: Manifest, machine: Machine): Plan {
  const system = `${lookUp(systems, machine.platform) ?? machine.platform}-${lookUp(architectures, machine.arch) ?? machine.arch}`;
  const target = lookUp(binary, system);
  if (!target) return none(`there is none for ${system}`);
  const { archive, cmd, args, env } = target;
  if (!archiveKind(archive))
    return none(`${path.posix.basename(new URL(archive).pathname)} can't be unpacked`);
  const folder = path.join(machine.folder, id, version);
  const command = [path.join(folder, cmd), ...args];
  const summary = `download ${archive} to ${folder} and run ${lineOf([cmd, ...args], env)}`;
  return { kind: 'binary', archive, cmd, folder, command, env, summary };
}

// On Windows scripts are started by a shell, which would read more in a word than a word.
function safely({ platform }: Machine, plan: Plan): Plan {
  const isOdd = plan.kind !== 'none' && plan.command.slice(1).some((word) => /[\s"&|<>^%!()]/.test(word));
  return platform === 'win32' && isOdd ? none('its arguments are not safe to use on Windows') : plan;
}

function none(reason: string): Plan {
  return { kind: 'none', reason };
}

function lineOf(command: readonly string[], env: Readonly<Record<string, string>>): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
  return [...variables, ...command.map(quoted)].join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./~^-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
