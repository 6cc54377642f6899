import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it as base, expect } from 'vitest';
import { Agent } from '../../../src/acp/agent.ts';
import { openTransport } from '../../../src/acp/transports/open.ts';
import { CookieJars } from '../../../src/acp/transports/remote/http-client.ts';
import type { Disposable } from '../../../src/base/disposable.ts';
import { textPrompt } from '../../../src/model/prompt.ts';
import type { AgentSpec } from '../../../src/ports/agent.ts';
import type { Extensions } from '../../../src/ports/extensions.ts';
import type { Workspace } from '../../../src/ports/workspace.ts';
import { OrphanGuard } from '../../../src/system/orphan-guard.ts';
import { LogDouble } from '../doubles/log.ts';
import { SinkDouble } from '../doubles/sink.ts';
import { violationsOfClient } from '../schema.ts';
import { expectNoneLeft, killAll } from '../system/processes.ts';
import { patienceMs, within } from '../wait.ts';
import type { WireMessage } from './piped-connection.ts';

const fixtures = path.resolve(import.meta.dirname, '../../fixtures/agents');

/** Starts agents, ends them with the test, and checks that they leave nothing behind. */
export class AgentHarness {
  readonly folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'acp-agent-')));
  readonly marker = `ACP_TEST_RUN=${randomUUID()}`;
  readonly orphanGuard = new OrphanGuard();
  private readonly cookieJars = new CookieJars();
  readonly log = new LogDouble();
  /** The extension methods offered to agents. */
  extensions: Extensions | undefined;
  /** The file and terminal methods offered to agents. */
  offers: Workspace['offers'] | undefined;
  /** Disposed in reverse order at the end. */
  readonly disposables: Disposable[] = [];
  private readonly agents: Agent[] = [];

  /** How to start a fixture. */
  spec(fixture: string, ...args: readonly string[]): AgentSpec {
    const file = path.join(fixtures, fixture);
    const command = fixture.endsWith('.sh') ? [file, ...args] : [process.execPath, file, ...args];
    return { name: 'tester', command, env: this.env, cwd: this.folder };
  }

  /** The path of a fixture. */
  path(fixture: string): string {
    return path.join(fixtures, fixture);
  }

  get env(): Readonly<Record<string, string>> {
    const [name = '', value = ''] = this.marker.split('=');
    return { [name]: value, ACP_TEST_RECORD: this.record };
  }

  launch(spec: AgentSpec): Agent {
    const agent = new Agent(spec, {
      transport: openTransport(spec, this.orphanGuard, this.log, this.cookieJars),
      log: this.log,
      ...(this.offers && { offers: this.offers }),
      extensions: this.extensions,
    });
    this.agents.push(agent);
    return agent;
  }

  start(fixture: string, ...args: readonly string[]): Agent {
    return this.launch(this.spec(fixture, ...args));
  }

  /** Starts an agent and opens a session with it. */
  async open(fixture = 'commands.mjs', ...args: readonly string[]) {
    const agent = this.start(fixture, ...args);
    const sink = new SinkDouble();
    await agent.ready;
    const sessionId = await agent.openSession({ method: 'new', cwd: this.folder }, sink);
    return { agent, sink, sessionId, prompt: (text: string) => agent.prompt(sessionId, textPrompt(text)) };
  }

  /** The messages sent to agents that record their input. */
  get sent(): readonly WireMessage[] {
    return readMessages(`${this.record}.in`);
  }

  /** The same, unparsed. */
  get received(): string {
    return fs.readFileSync(`${this.record}.in`, 'utf8');
  }

  async close(): Promise<void> {
    try {
      for (const leftover of this.disposables.toReversed()) leftover.dispose();
      const ended = Promise.all(this.agents.map((agent) => agent.end()));
      expect(await within(patienceMs, ended, 'an agent did not end')).toHaveLength(this.agents.length);
      await expectNoneLeft(this.marker);
      expect(violationsOfClient(this.sent, readMessages(`${this.record}.out`))).toEqual([]);
    } finally {
      killAll(this.marker);
      this.orphanGuard.dispose();
      fs.rmSync(this.folder, { recursive: true, force: true });
    }
  }

  private get record(): string {
    return path.join(this.folder, 'record');
  }
}

// Output lines that are not messages are intended noise of a fixture.
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
 * `it` for tests with agent processes: all of them end with the test, and every message to them is validated against the
 * schema.
 */
export const it = base.extend<{ readonly harness: AgentHarness }>({
  harness: async ({ task: _ }, use) => {
    const harness = new AgentHarness();
    await use(harness);
    await harness.close();
  },
});
