import path from 'node:path';
import { messageOf } from '../base/errors.ts';
import { once } from '../base/once.ts';
import { isRecord } from '../base/record.ts';
import type { Editor } from '../ports/editor.ts';
import type { Log } from '../ports/log.ts';
import { install, isInstalled } from '../registry/install.ts';
import type { AgentManifest, RegistryContent } from '../registry/manifest.ts';
import { type InstallPlan, planFor } from '../registry/plan.ts';
import { RegistrySource } from '../registry/source.ts';
import { readJsonFile } from '../system/files/json-file.ts';
import { replaceFile } from '../system/files/replace-file.ts';
import { findProgram } from '../system/find-program.ts';
import { installPicker } from '../view/pickers/registry.ts';

/** Where the registry is, and the folders for its data. */
export interface RegistryLocation {
  /** A path or url of a registry.json. */
  readonly source: string;
  /** Data that can be downloaded again: the copy of the registry, the list of its agents, and the agents. */
  readonly cache: string;
  /** The consents of the user. */
  readonly state: string;
}

interface RegistryPorts {
  readonly editor: Editor;
  readonly log: Log;
}

type InstallStep = (manifest: AgentManifest, plan: Runnable) => Promise<void>;
type Runnable = Exclude<InstallPlan, { kind: 'none' }>;

/**
 * The agents of a registry. It is read when the user asks for it, and nothing is downloaded or run without consent to
 * exactly that. The list is written to a file, so that Lua can read it without a host.
 */
export class RegistryAgents {
  readonly location: RegistryLocation;
  private readonly source: RegistrySource;
  private readonly ports: RegistryPorts;
  private readonly ending = new AbortController();
  private readonly installing = new Set<string>();
  /** What `end()` waits for. */
  private readonly running = new Set<Promise<void>>();
  private content: RegistryContent | undefined;

  constructor(places: RegistryLocation, ports: RegistryPorts) {
    this.location = places;
    this.ports = ports;
    this.source = new RegistrySource(places.source, path.join(places.cache, 'registry'));
  }

  /** Reads the registry and lets the user choose an agent; if it cannot be read, among the agents known without it. */
  show(): Promise<void> {
    return this.run(() => this.readAndPick());
  }

  private async readAndPick(): Promise<void> {
    try {
      const { registry, problem } = await this.source.read(this.ending.signal);
      this.content = registry;
      for (const line of registry.skipped) this.ports.log.warn(`registry: skipped ${line}`);
      if (problem !== undefined)
        this.ports.editor.notify('warn', `could not read the registry, using the last copy: ${problem}`);
      await this.writeList();
    } catch (error) {
      this.reportFailure(`could not read the registry ${this.location.source}`, error);
    }
    if (!this.ending.signal.aborted) this.ports.editor.send('agents.pick', {});
  }

  /** Starts an agent that the user has consented to, and asks about any other. */
  open(id: string): Promise<void> {
    return this.attempt(id, async (manifest, plan) => {
      if (await this.isAllowed(manifest, plan)) return this.installAndOpen(manifest, plan);
      const { name, version } = manifest;
      const payload = { ...this.location, agent: id, summary: plan.summary };
      this.ports.editor.send(
        'picker.open',
        installPicker({ name, version, origin: this.location.source }, payload),
      );
    });
  }

  /** The user consents to the plan that was shown. */
  accept(id: string, summary: string): Promise<void> {
    return this.attempt(id, async (manifest, plan) => {
      // The registry may have been read again while the picker was open.
      if (plan.summary !== summary) return this.open(id);
      const consents = await this.consents();
      const changed = { ...consents, [keyOf(manifest)]: summary };
      await replaceFile(this.consentFile, JSON.stringify(changed, null, 2));
      await this.installAndOpen(manifest, plan);
    });
  }

  /** Resolves when nothing is downloaded or written any more. */
  readonly end = once(async () => {
    this.ending.abort();
    await Promise.allSettled([...this.running]);
  });

  private async run(act: () => Promise<void>): Promise<void> {
    const done = act();
    this.running.add(done);
    try {
      await done;
    } finally {
      this.running.delete(done);
    }
  }

  private async installAndOpen(manifest: AgentManifest, plan: Runnable): Promise<void> {
    if (plan.kind === 'binary' && !isInstalled(plan)) {
      if (this.installing.has(manifest.id)) return;
      this.installing.add(manifest.id);
      try {
        this.ports.editor.notify('info', `downloading ${manifest.name} ${manifest.version} …`);
        await install(plan, { signal: this.ending.signal, isLocalAllowed: this.source.isLocal });
      } finally {
        this.installing.delete(manifest.id);
      }
    }
    await this.writeList();
    this.ports.editor.send('agents.open', { agent: manifest.id });
  }

  private attempt(id: string, act: InstallStep): Promise<void> {
    return this.run(() => this.attemptNow(id, act));
  }

  private async attemptNow(id: string, act: InstallStep): Promise<void> {
    try {
      this.content ??= await this.source.readWithoutNetwork();
      const manifest = this.content?.agents.find((agent) => agent.id === id);
      if (!manifest)
        return this.ports.editor.notify(
          'warn',
          `the registry has no agent "${id}"; :AcpAgents reads it again`,
        );
      const plan = this.planOf(manifest);
      if (plan.kind === 'none')
        return this.ports.editor.notify(
          'warn',
          `${manifest.name} cannot run on this machine: ${plan.reason}`,
        );
      await act(manifest, plan);
    } catch (error) {
      this.reportFailure(`could not install ${id}`, error);
    }
  }

  private planOf(manifest: AgentManifest): InstallPlan {
    return planFor(manifest, {
      platform: process.platform,
      arch: process.arch,
      has: (program) => findProgram(program, { cwd: process.cwd() }) !== undefined,
      folder: path.join(this.location.cache, 'agents'),
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
    const file = path.join(this.location.cache, 'registry', 'agents.json');
    await replaceFile(file, JSON.stringify({ source: this.location.source, agents }));
  }

  private async isAllowed(manifest: AgentManifest, plan: Runnable): Promise<boolean> {
    return (await this.consents())[keyOf(manifest)] === plan.summary;
  }

  private async consents(): Promise<Record<string, unknown>> {
    const consents = await readJsonFile(this.consentFile);
    return isRecord(consents) ? consents : {};
  }

  private get consentFile(): string {
    return path.join(this.location.state, 'consents.json');
  }

  private reportFailure(what: string, error: unknown): void {
    if (this.ending.signal.aborted) return;
    this.ports.log.error(what, error);
    this.ports.editor.notify('error', `${what}: ${messageOf(error)}`);
  }
}

function keyOf({ id, version }: AgentManifest): string {
  return `${id}@${version}`;
}
