import path from 'node:path';
import { isRecord } from '../base.ts';
import { AcpError } from '../errors.ts';

/** A package that a runner fetches and starts. */
export interface PackageSource {
  readonly package: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** An archive with a program in it. */
export interface BinarySource {
  readonly archive: string;
  /** The program, from the root of the archive. */
  readonly cmd: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What the registry says of one agent. */
export interface Manifest {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly npx: PackageSource | undefined;
  readonly uvx: PackageSource | undefined;
  /** By system, such as `linux-x86_64`. */
  readonly binary: Readonly<Record<string, BinarySource>>;
}

export interface RegistryContent {
  readonly agents: readonly Manifest[];
  /** What is wrong with the others. */
  readonly skipped: readonly string[];
}

type Fields = Record<string, unknown>;

/** Reads a registry.json. A manifest that is not in order is skipped; what is no registry at all is refused. */
export function registryFrom(value: unknown): RegistryContent {
  if (!isRecord(value) || !Array.isArray(value.agents)) {
    throw new AcpError('registry_error', 'it is no registry: there is no list of agents in it');
  }
  const agents = new Map<string, Manifest>();
  const skipped: string[] = [];
  for (const [index, item] of value.agents.entries()) {
    const manifest = manifestFrom(item);
    if (typeof manifest === 'string') skipped.push(`${nameFor(item, index)}: ${manifest}`);
    else if (agents.has(manifest.id)) skipped.push(`${manifest.id}: it is there twice`);
    else agents.set(manifest.id, manifest);
  }
  return { agents: [...agents.values()], skipped };
}

function nameFor(item: unknown, index: number): string {
  return isRecord(item) && typeof item.id === 'string' ? JSON.stringify(item.id) : `agent ${index + 1}`;
}

/** The manifest, or what is wrong with it. */
function manifestFrom(item: unknown): Manifest | string {
  if (!isRecord(item)) return 'it is no object';
  const missing = ['id', 'name', 'version', 'description'].find((key) => !isText(item[key]));
  if (missing !== undefined) return `${missing} is missing`;
  const { id, name, version, description } = item as Record<string, string>;
  if (!/^[a-z][a-z0-9-]*$/.test(id ?? '')) return 'its id is not made of a-z, 0-9 and -';
  // The version names a folder.
  if (!/^[A-Za-z0-9][\w.+-]*$/.test(version ?? '')) return `its version ${JSON.stringify(version)} is odd`;
  if (!isRecord(item.distribution)) return 'distribution is missing';
  const ways = waysFrom(item.distribution);
  if (!ways.npx && !ways.uvx && Object.keys(ways.binary).length === 0) return 'there is no way to get it';
  return { id: id ?? '', name: name ?? '', version: version ?? '', description: description ?? '', ...ways };
}

function waysFrom(distribution: Fields): Pick<Manifest, 'npx' | 'uvx' | 'binary'> {
  const targets = isRecord(distribution.binary) ? Object.entries(distribution.binary) : [];
  return {
    npx: packageFrom(distribution.npx),
    uvx: packageFrom(distribution.uvx),
    binary: Object.fromEntries(
      targets.flatMap(([system, target]) => {
        const binary = binaryFrom(target);
        return binary ? [[system, binary]] : [];
      }),
    ),
  };
}

// What begins with a dash would be an option of the runner.
function packageFrom(value: unknown): PackageSource | undefined {
  const extras = extrasFrom(value);
  if (!extras || !isRecord(value) || !isText(value.package)) return undefined;
  return /^[^\s-]\S*$/.test(value.package) ? { package: value.package, ...extras } : undefined;
}

function binaryFrom(value: unknown): BinarySource | undefined {
  const extras = extrasFrom(value);
  if (!extras || !isRecord(value) || !isText(value.archive) || !isText(value.cmd)) return undefined;
  const isUsable = URL.canParse(value.archive) && isInside(value.cmd);
  return isUsable ? { archive: value.archive, cmd: value.cmd, ...extras } : undefined;
}

function extrasFrom(value: unknown): { args: readonly string[]; env: Record<string, string> } | undefined {
  if (!isRecord(value)) return undefined;
  const { args = [], env = {} } = value;
  if (!Array.isArray(args) || !args.every(isArgument)) return undefined;
  if (!isRecord(env) || !Object.values(env).every(isArgument)) return undefined;
  return { args, env: env as Record<string, string> };
}

/** Whether a path stays in the folder it begins in, on every system. */
export function isInside(name: string): boolean {
  const parts = path.posix.normalize(name.replaceAll('\\', '/')).split('/');
  const isRooted = path.posix.isAbsolute(name) || path.win32.isAbsolute(name) || /^[A-Za-z]:/.test(name);
  return !isRooted && parts[0] !== '..' && parts.join('/') !== '.' && !name.includes('\0');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && !value.includes('\0');
}

function isArgument(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}
