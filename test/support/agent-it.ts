import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it as base, expect } from 'vitest';
import { Agent } from '../../src/acp/agent.ts';
import type { Disposable } from '../../src/base.ts';
import type { AgentSpec, ElicitationRequest, PermissionRequest, SessionSink } from '../../src/ports/agent.ts';
import type { Extensions } from '../../src/ports/wire.ts';
import type { Workspace } from '../../src/ports/workspace.ts';
import { Leash } from '../../src/processes.ts';
import type { AgentEvent } from '../../src/session/events.ts';
import type { Outcome } from '../../src/session/form.ts';
import { complaintsAboutClient } from './client-schema.ts';
import { LogDouble } from './doubles.ts';
import type { WireMessage } from './piped-connection.ts';
import { expectNoneLeft, killAll } from './processes.ts';
import { within } from './wait.ts';

const fixtures = path.resolve(import.meta.dirname, '../fixtures/agents');

/** Where the reports of a session end; questions are answered as the test says. */
export class SinkDouble implements SessionSink {
  readonly events: AgentEvent[] = [];
  readonly asked: PermissionRequest[] = [];
  choose: (request: PermissionRequest) => Promise<string | undefined> = async () => 'ok';

  report(event: AgentEvent): void {
    this.events.push(event);
  }

  ask(request: PermissionRequest): Promise<string | undefined> {
    this.asked.push(request);
    return this.choose(request);
  }

  readonly elicited: ElicitationRequest[] = [];
  conclude: (request: ElicitationRequest) => Promise<Outcome> = async () => ({ action: 'decline' });

  elicit(request: ElicitationRequest): Promise<Outcome> {
    this.elicited.push(request);
    return this.conclude(request);
  }

  /** What the agent said. */
  get text(): string {
    return this.events.map((event) => (event.kind === 'chunk' ? event.text : '')).join('');
  }
}

/** A place where agents are started that leave nothing behind. */
export class Workshop {
  readonly folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'acp-agent-')));
  readonly marker = `ACP_TEST_RUN=${randomUUID()}`;
  readonly leash = new Leash();
  readonly log = new LogDouble();
  /** What agents are served beyond the protocol. */
  extensions: Extensions | undefined;
  /** What agents are served of the protocol's services. */
  offers: Workspace['offers'] | undefined;
  /** What is to be disposed with it. */
  readonly leftovers: Disposable[] = [];
  private readonly agents: Agent[] = [];

  /** How to start one of the fixtures. */
  spec(fixture: string, ...args: readonly string[]): AgentSpec {
    const file = path.join(fixtures, fixture);
    const command = fixture.endsWith('.sh') ? [file, ...args] : [process.execPath, file, ...args];
    return { name: 'tester', command, env: this.env, cwd: this.folder };
  }

  /** Where a fixture is, to be the argument of another. */
  path(fixture: string): string {
    return path.join(fixtures, fixture);
  }

  get env(): Readonly<Record<string, string>> {
    const [name = '', value = ''] = this.marker.split('=');
    return { [name]: value, ACP_TEST_RECORD: this.record };
  }

  launch(spec: AgentSpec): Agent {
    const agent = new Agent(spec, this.leash, this.log, this.offers, this.extensions);
    this.agents.push(agent);
    return agent;
  }

  start(fixture: string, ...args: readonly string[]): Agent {
    return this.launch(this.spec(fixture, ...args));
  }

  /** Starts an agent and opens a session with it. */
  async open(fixture = 'speaking.mjs', ...args: readonly string[]) {
    const agent = this.start(fixture, ...args);
    const sink = new SinkDouble();
    await agent.ready;
    const sessionId = await agent.openSession({ how: 'new', cwd: this.folder }, sink);
    return { agent, sink, sessionId, prompt: (text: string) => agent.prompt(sessionId, text) };
  }

  /** What the client sent to the agents that keep a record. */
  get sent(): readonly WireMessage[] {
    return readMessages(`${this.record}.in`);
  }

  /** The same as it came. */
  get received(): string {
    return fs.readFileSync(`${this.record}.in`, 'utf8');
  }

  async close(): Promise<void> {
    try {
      for (const leftover of this.leftovers.toReversed()) leftover.dispose();
      const ended = Promise.all(this.agents.map((agent) => agent.end()));
      expect(await within(10_000, ended, 'an agent did not end')).toHaveLength(this.agents.length);
      await expectNoneLeft(this.marker);
      expect(complaintsAboutClient(this.sent, readMessages(`${this.record}.out`))).toEqual([]);
    } finally {
      killAll(this.marker);
      this.leash.dispose();
      fs.rmSync(this.folder, { recursive: true, force: true });
    }
  }

  private get record(): string {
    return path.join(this.folder, 'record');
  }
}

// What is no message on its way out is noise that a fixture makes on purpose.
function readMessages(file: string): readonly WireMessage[] {
  if (!fs.existsSync(file)) return [];
  return fs.readFileSync(file, 'utf8').split('\n').flatMap(parse);
}

function parse(line: string): readonly WireMessage[] {
  try {
    const value = JSON.parse(line) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? [value] : [];
  } catch {
    return [];
  }
}

/**
 * `it` for tests with agents in processes of their own: they have ended after it, nobody of them is alive, and nothing
 * was sent to them that the schema forbids.
 */
export const it = base.extend<{ readonly workshop: Workshop }>({
  workshop: async ({ task: _ }, use) => {
    const workshop = new Workshop();
    await use(workshop);
    await workshop.close();
  },
});
