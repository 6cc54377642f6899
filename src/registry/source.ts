import fs from 'node:fs';
import path from 'node:path';
import { isRecord } from '../base.ts';
import { AcpError, messageOf } from '../errors.ts';
import { expandHome } from '../programs.ts';
import { fetchSafely, fetchText, isLocal } from './download.ts';
import { readJson, replaceFile } from './files.ts';
import { type RegistryContent, registryFrom } from './manifest.ts';

const maxBytes = 8 * 1024 * 1024;
const patienceMs = 15_000;

/** The last good copy of a registry that was read from a url. */
interface Copy {
  readonly source: string;
  readonly etag: string | undefined;
  readonly content: unknown;
}

export interface Reading {
  readonly registry: RegistryContent;
  /** Why this is an older copy. */
  readonly problem?: string;
}

/** A registry.json: a file, or a url with a copy of what was there last. */
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

  /** Whether what it names may be on this machine, because it is itself. */
  get isLocal(): boolean {
    return !this.isUrl || isLocal(this.name);
  }

  /** Reads it anew, from the network if need be. What fails is made up for by the last good copy. */
  async read(signal: AbortSignal): Promise<Reading> {
    if (!this.isUrl) return { registry: registryFrom(await this.readFile()) };
    const copy = await this.copy();
    try {
      return { registry: await this.fetch(copy, signal) };
    } catch (error) {
      if (!copy) throw error;
      return { registry: registryFrom(copy.content), problem: messageOf(error) };
    }
  }

  /** What is known of it without the network. */
  async recall(): Promise<RegistryContent | undefined> {
    const content = this.isUrl ? (await this.copy())?.content : await this.readFile();
    return content === undefined ? undefined : registryFrom(content);
  }

  private async fetch(copy: Copy | undefined, signal: AbortSignal): Promise<RegistryContent> {
    const response = await fetchSafely(this.name, {
      maxBytes,
      signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
      isLocalAllowed: this.isLocal,
      headers: copy?.etag === undefined ? {} : { 'if-none-match': copy.etag },
    });
    if (response.status === 304 && copy) return registryFrom(copy.content);
    if (!response.ok) throw new AcpError('registry_error', `${this.name} answered ${response.status}`);
    const content = parse(await fetchText(response, maxBytes));
    const registry = registryFrom(content);
    const fresh: Copy = { source: this.name, etag: response.headers.get('etag') ?? undefined, content };
    await replaceFile(this.copyFile, JSON.stringify(fresh));
    return registry;
  }

  private async copy(): Promise<Copy | undefined> {
    const copy = await readJson(this.copyFile);
    return isRecord(copy) && copy.source === this.name ? (copy as unknown as Copy) : undefined;
  }

  private async readFile(): Promise<unknown> {
    return parse(await fs.promises.readFile(path.resolve(expandHome(this.name)), 'utf8'));
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AcpError('registry_error', 'it is no registry: it is not JSON', { cause: error });
  }
}
