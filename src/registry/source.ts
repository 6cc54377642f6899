import path from 'node:path';
import { AcpError, messageOf } from '../base/errors.ts';
import { expandHome } from '../base/paths.ts';
import { isRecord } from '../base/record.ts';
import { readJsonFile } from '../system/files/json-file.ts';
import { loadRegularFile } from '../system/files/regular-file.ts';
import { replaceFile } from '../system/files/replace-file.ts';
import { fetchHttps, isLocalUrl, readResponseText } from './download.ts';
import { parseRegistry, type RegistryContent } from './manifest.ts';

const maxRegistryBytes = 8 * 1024 * 1024;
const fetchTimeoutMs = 15_000;

/** The last valid content of a registry url. */
interface RegistryCopy {
  readonly source: string;
  readonly etag: string | undefined;
  readonly content: unknown;
}

interface RegistryReading {
  readonly registry: RegistryContent;
  /** Why the last copy was used instead of the current registry. */
  readonly problem?: string;
}

/** A registry.json: a file, or a url with a local copy. */
export class RegistrySource {
  readonly name: string;
  private readonly copyFile: string;

  constructor(name: string, folder: string) {
    this.name = name;
    this.copyFile = path.join(folder, 'registry.json');
  }

  get isUrl(): boolean {
    return /^https?:\/\//i.test(this.name);
  }

  /** Whether its archives may come from this machine: only if the registry does too. */
  get isLocal(): boolean {
    return !this.isUrl || isLocalUrl(this.name);
  }

  /** Reads the current registry. Falls back to the last copy if the url cannot be read. */
  async read(signal: AbortSignal): Promise<RegistryReading> {
    if (!this.isUrl) return { registry: parseRegistry(await this.readFile()) };
    const copy = await this.readCopy();
    try {
      return { registry: await this.fetch(copy, signal) };
    } catch (error) {
      if (!copy) throw error;
      return { registry: parseRegistry(copy.content), problem: messageOf(error) };
    }
  }

  /** Reads the file, or the last copy of the url. */
  async readWithoutNetwork(): Promise<RegistryContent | undefined> {
    const content = this.isUrl ? (await this.readCopy())?.content : await this.readFile();
    return content === undefined ? undefined : parseRegistry(content);
  }

  private async fetch(copy: RegistryCopy | undefined, signal: AbortSignal): Promise<RegistryContent> {
    const response = await fetchHttps(this.name, {
      maxBytes: maxRegistryBytes,
      signal: AbortSignal.any([signal, AbortSignal.timeout(fetchTimeoutMs)]),
      isLocalAllowed: this.isLocal,
      headers: copy?.etag === undefined ? {} : { 'if-none-match': copy.etag },
    });
    if (response.status === 304 && copy) return parseRegistry(copy.content);
    if (!response.ok) throw new AcpError('registry_error', `${this.name} answered ${response.status}`);
    const content = parseRegistryJson(await readResponseText(response, maxRegistryBytes));
    const registry = parseRegistry(content);
    const fresh: RegistryCopy = {
      source: this.name,
      etag: response.headers.get('etag') ?? undefined,
      content,
    };
    await replaceFile(this.copyFile, JSON.stringify(fresh));
    return registry;
  }

  private async readCopy(): Promise<RegistryCopy | undefined> {
    const copy = await readJsonFile(this.copyFile);
    return isRecord(copy) && copy.source === this.name ? (copy as unknown as RegistryCopy) : undefined;
  }

  private async readFile(): Promise<unknown> {
    const content = await loadRegularFile(path.resolve(expandHome(this.name)), maxRegistryBytes);
    return parseRegistryJson(content.toString());
  }
}

function parseRegistryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AcpError('registry_error', 'not a registry: it is not JSON', { cause: error });
  }
}
