import path from 'node:path';
import { type Disposable, isRecord } from './base.ts';
import { messageOf } from './errors.ts';
import type { Editor, Log } from './ports/host.ts';
import { findProgram } from './programs.ts';
import { readJson, replaceFile } from './registry/files.ts';
import { install, isInstalled } from './registry/install.ts';
import type { Manifest, RegistryContent } from './registry/manifest.ts';
import { type Plan, planFor } from './registry/plan.ts';
import { RegistrySource } from './registry/source.ts';
import { consentPicker } from './view/pickers.ts';

/** Where the registry is, and what is kept of it. */
export interface RegistryPlaces {
  /** A path or url of a registry.json. */
  readonly source: string;
  /** For what can be fetched again: the copy of the registry, the list of its agents, and the agents. */
  readonly cache: string;
  /** For what the user agreed to. */
  readonly state: string;
}

interface RegistryPorts {
  readonly editor: Editor;
  readonly log: Log;
}

type Runnable = Exclude<Plan, { kind: 'none' }>;

/**
 * The agents of a registry. Nothing is read before the user asks for it, and nothing is run or downloaded before the
 * user agreed to exactly that. Lua reads the list from the file it is written to, so that it is there without a host.
 */
export class RegistryAgents implements Disposable {
  readonly places: RegistryPlaces;
  private readonly source: RegistrySource;
  private readonly ports: RegistryPorts;
  private readonly over = new AbortController();
  private readonly underWay = new Set<string>();
  private content: RegistryContent | undefined;

  constructor(places: RegistryPlaces, ports: RegistryPorts) {
    this.places = places;
    this.ports = ports;
    this.source = new RegistrySource(places.source, path.join(places.cache, 'registry'));
  }

  /** Reads the registry and lets the user choose. Without it there are still the agents known without it. */
  async show(): Promise<void> {
    try {
      const { registry, problem } = await this.source.read(this.over.signal);
      this.content = registry;
      for (const line of registry.skipped) this.ports.log.warn(`registry: skipped ${line}`);
      if (problem !== undefined)
        this.tellUser(`the registry could not be read, so this is what it was: ${problem}`);
      await this.writeList();
    } catch (error) {
      this.fail(`the registry ${this.places.source} could not be read`, error);
    }
    if (!this.over.signal.aborted) this.ports.editor.tell('agents.pick', {});
  }

  /** Starts an agent the user has agreed to, and asks about any other. */
  async take(id: string): Promise<void> {
    await this.attempt(id, async (manifest, plan) => {
      if (await this.isAllowed(manifest, plan)) return this.bring(manifest, plan);
      const { name, version } = manifest;
      const payload = { ...this.places, agent: id, summary: plan.summary };
      this.ports.editor.tell(
        'picker.open',
        consentPicker({ name, version, origin: this.places.source }, payload),
      );
    });
  }

  /** The user agreed to what they were shown. */
  async accept(id: string, summary: string): Promise<void> {
    await this.attempt(id, async (manifest, plan) => {
      // The registry may have been read anew while the question stood there.
      if (plan.summary !== summary) return this.take(id);
      const consents = await this.consents();
      const changed = { ...consents, [keyOf(manifest)]: summary };
      await replaceFile(this.consentFile, JSON.stringify(changed, null, 2));
      await this.bring(manifest, plan);
    });
  }

  dispose(): void {
    this.over.abort();
  }

  private async bring(manifest: Manifest, plan: Runnable): Promise<void> {
    if (plan.kind === 'binary' && !isInstalled(plan)) {
      if (this.underWay.has(manifest.id)) return;
      this.underWay.add(manifest.id);
      try {
        this.tellUser(`downloading ${manifest.name} ${manifest.version} …`, 'info');
        await install(plan, { signal: this.over.signal, isLocalAllowed: this.source.isLocal });
      } finally {
        this.underWay.delete(manifest.id);
      }
    }
    await this.writeList();
    this.ports.editor.tell('agents.open', { agent: manifest.id });
  }

  private async attempt(
    id: string,
    act: (manifest: Manifest, plan: Runnable) => Promise<void>,
  ): Promise<void> {
    try {
      this.content ??= await this.source.recall();
      const manifest = this.content?.agents.find((agent) => agent.id === id);
      if (!manifest) return this.tellUser(`the registry has no agent "${id}"; :AcpAgents reads it again`);
      const plan = this.planOf(manifest);
      if (plan.kind === 'none')
        return this.tellUser(`${manifest.name} can't be started here: ${plan.reason}`);
      await act(manifest, plan);
    } catch (error) {
      this.fail(`${id} could not be brought here`, error);
    }
  }

  private planOf(manifest: Manifest): Plan {
    return planFor(manifest, {
      platform: process.platform,
      arch: process.arch,
      has: (program) => findProgram(program, { cwd: process.cwd() }) !== undefined,
      folder: path.join(this.places.cache, 'agents'),
    });
  }

  private async writeList(): Promise<void> {
    const consents = await this.consents();
    const agents = (this.content?.agents ?? []).map((manifest) => {
      const facts = { name: manifest.id, version: manifest.version };
      const plan = this.planOf(manifest);
      if (plan.kind === 'none') return { ...facts, problem: plan.reason };
      const { command, env, summary } = plan;
      const isAllowed = consents[keyOf(manifest)] === summary;
      const origin = plan.kind === 'npx' ? { package: plan.package } : {};
      return { ...facts, ...origin, command, env, is_allowed: isAllowed };
    });
    const file = path.join(this.places.cache, 'registry', 'agents.json');
    await replaceFile(file, JSON.stringify({ source: this.places.source, agents }));
  }

  private async isAllowed(manifest: Manifest, plan: Runnable): Promise<boolean> {
    return (await this.consents())[keyOf(manifest)] === plan.summary;
  }

  private async consents(): Promise<Record<string, unknown>> {
    const consents = await readJson(this.consentFile);
    return isRecord(consents) ? consents : {};
  }

  private get consentFile(): string {
    return path.join(this.places.state, 'consents.json');
  }

  private fail(what: string, error: unknown): void {
    if (this.over.signal.aborted) return;
    this.ports.log.error(what, error);
    this.tellUser(`${what}: ${messageOf(error)}`, 'error');
  }

  private tellUser(message: string, level = 'warn'): void {
    this.ports.editor.tell('user.notify', { message, level });
  }
}

function keyOf({ id, version }: Manifest): string {
  return `${id}@${version}`;
}
