import type { Disposable } from '../../base/disposable.ts';
import { AcpError, messageOf } from '../../base/errors.ts';
import { once } from '../../base/once.ts';
import type { AgentCapabilities } from '../../model/agent.ts';
import type { AgentCalls, AgentLauncher, AgentLink, AgentSpec, StoredSession } from '../../ports/agent.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Editor } from '../../ports/editor.ts';

// The user is likely to open a session of the agent that was started for the list.
const lingerMs = 60_000;
const listTimeoutMs = 15_000;

interface StoredSessionsPorts {
  readonly launcher: AgentLauncher;
  readonly editor: Editor;
  readonly clock: Clock;
}

/** The sessions that an agent stores. The agent is started for the list, unless it runs. */
export class StoredSessions {
  private readonly ports: StoredSessionsPorts;
  private link: AgentLink | undefined;
  /** Ends the agent when it was not used for a minute. */
  private lingering: Disposable | undefined;
  private isEnded = false;
  /** Of the agent whose sessions were listed last. */
  capabilities: AgentCapabilities = {};

  constructor(ports: StoredSessionsPorts) {
    this.ports = ports;
  }

  /** The sessions of some folders or of all. If the agent cannot list them, the user reads why. */
  async list(spec: AgentSpec, folders: ReadonlySet<string> | undefined): Promise<readonly StoredSession[]> {
    const giveUp = new AbortController();
    const timer = this.ports.clock.after(listTimeoutMs, () => giveUp.abort());
    try {
      const agent = this.agentOf(spec);
      const { capabilities = {} } = await Promise.race([agent.ready, rejectAfter(agent, giveUp.signal)]);
      this.capabilities = capabilities;
      if (!capabilities.list) return [];
      const wanted = folders ? [...folders] : [undefined];
      const lists = wanted.map((folder) => agent.listSessions(folder, giveUp.signal));
      return (await Promise.all(lists)).flat();
    } catch (error) {
      this.capabilities = {};
      this.ports.editor.notify('warn', `only sessions with a journal are listed: ${messageOf(error)}`);
      return [];
    } finally {
      timer.dispose();
    }
  }

  /** The agent, started if it does not run. */
  agentOf(spec: AgentSpec): AgentCalls {
    if (this.isEnded) throw new AcpError('cancelled', 'the host has ended');
    const link = this.ports.launcher.launch(spec);
    this.release(this.link);
    this.link = link;
    this.lingering?.dispose();
    this.lingering = this.ports.clock.after(lingerMs, () => this.release(link));
    return link.agent;
  }

  /** Resolves when the agent that was started for the list has ended. No other is started afterwards. */
  readonly end = once(async () => {
    this.isEnded = true;
    this.lingering?.dispose();
    await this.link?.end();
  });

  private release(link: AgentLink | undefined): void {
    link?.end().catch((error: unknown) => this.ports.editor.notify('warn', messageOf(error)));
  }
}

function rejectAfter({ title }: AgentCalls, signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const message = `${title} did not answer within ${listTimeoutMs / 1000} s`;
    const fail = () => reject(new AcpError('agent_error', message));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
