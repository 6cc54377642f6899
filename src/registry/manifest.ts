import path from 'node:path';
import { AcpError } from '../base/errors.ts';
import { isRecord } from '../base/record.ts';

/** A package that npx or uvx downloads and starts. */
export interface PackageSource {
  readonly package: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** An archive with a program in it. */
interface BinarySource {
  readonly archive: string;
  /** The program, relative to the root of the archive. */
  readonly cmd: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The registry's entry for one agent. */
export interface AgentManifest {
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
  readonly agents: readonly AgentManifest[];
  /** Why the other entries were skipped. */
  readonly skipped: readonly string[];
}

type JsonFields = Record<string, unknown>;

/** Parses a registry.json. Skips invalid entries; throws if it is not a registry. */
export function parseRegistry(value: unknown): RegistryContent {
  if (!isRecord(value) || !Array.isArray(value.agents)) {
    throw new AcpError('registry_error', 'not a registry: it has no list of agents');
  }
  const agents = new Map<string, AgentManifest>();
  const skipped: string[] = [];
  for (const [index, item] of value.agents.entries()) {
    const manifest = parseManifest(item);
    if (typeof manifest === 'string') skipped.push(`${entryName(item, index)}: ${manifest}`);
    else if (agents.has(manifest.id)) skipped.push(`${manifest.id}: duplicate id`);
    else agents.set(manifest.id, manifest);
  }
  return { agents: [...agents.values()], skipped };
}

function entryName(item: unknown, index: number): string {
  return isRecord(item) && typeof item.id === 'string' ? JSON.stringify(item.id) : `agent ${index + 1}`;
}

/** The manifest, or what is wrong with it. */
function parseManifest(item: unknown): AgentManifest | string {
  if (!isRecord(item)) return 'not an object';
  const missing = ['id', 'name', 'version', 'description'].find((key) => !isNonEmptyText(item[key]));
  if (missing !== undefined) return `${missing} is missing`;
  const { id, name, version, description } = item as Record<string, string>;
  if (!/^[a-z][a-z0-9-]*$/.test(id ?? '')) return 'its id may contain only a-z, 0-9 and -';
  // The version becomes the name of a folder.
  if (!/^[A-Za-z0-9][\w.+-]*$/.test(version ?? ''))
    return `its version ${JSON.stringify(version)} is invalid`;
  if (!isRecord(item.distribution)) return 'distribution is missing';
  const sources = parseDistributions(item.distribution);
  if (!sources.npx && !sources.uvx && Object.keys(sources.binary).length === 0)
    return 'it has no usable distribution';
  return {
    id: id ?? '',
    name: name ?? '',
    version: version ?? '',
    description: description ?? '',
    ...sources,
  };
}

function parseDistributions(distribution: JsonFields): Pick<AgentManifest, 'npx' | 'uvx' | 'binary'> {
  const targets = isRecord(distribution.binary) ? Object.entries(distribution.binary) : [];
  return {
    npx: parsePackage(distribution.npx),
    uvx: parsePackage(distribution.uvx),
    binary: Object.fromEntries(
      targets.flatMap(([system, target]) => {
        const binary = parseBinary(target);
        return binary ? [[system, binary]] : [];
      }),
    ),
  };
}

// npx and uvx would read a name with a leading dash as an option.
function parsePackage(value: unknown): PackageSource | undefined {
  const extras = parseArgsAndEnv(value);
  if (!extras || !isRecord(value) || !isNonEmptyText(value.package)) return undefined;
  return /^[^\s-]\S*$/.test(value.package) ? { package: value.package, ...extras } : undefined;
}

function parseBinary(value: unknown): BinarySource | undefined {
  const extras = parseArgsAndEnv(value);
  if (!extras || !isRecord(value) || !isNonEmptyText(value.archive) || !isNonEmptyText(value.cmd))
    return undefined;
  const isUsable = URL.canParse(value.archive) && staysInside(value.cmd);
  return isUsable ? { archive: value.archive, cmd: value.cmd, ...extras } : undefined;
}

function parseArgsAndEnv(
  value: unknown,
): { args: readonly string[]; env: Record<string, string> } | undefined {
  if (!isRecord(value)) return undefined;
  const { args = [], env = {} } = value;
  if (!Array.isArray(args) || !args.every(isArgument)) return undefined;
  if (!isRecord(env) || !Object.values(env).every(isArgument)) return undefined;
  return { args, env: env as Record<string, string> };
}

/** Whether a relative path stays inside its folder, on every operating system. */
export function staysInside(name: string): boolean {
  const parts = path.posix.normalize(name.replaceAll('\\', '/')).split('/');
  const isRooted = path.posix.isAbsolute(name) || path.win32.isAbsolute(name) || /^[A-Za-z]:/.test(name);
  return !isRooted && parts[0] !== '..' && parts.join('/') !== '.' && !name.includes('\0');
}

function isNonEmptyText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && !value.includes('\0');
}

function isArgument(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}
