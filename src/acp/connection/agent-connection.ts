import { AcpError } from '../../base/errors.ts';
import { once } from '../../base/once.ts';
import type { AgentIdentity } from '../../model/agent.ts';
import type { Transport } from '../transports/transport.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { type HandshakeOptions, initialize } from './handshake.ts';
import { isConnectionEnd, toAcpError } from './rpc-errors.ts';
import { TrafficLog } from './traffic-log.ts';

interface AgentConnectionOptions extends Omit<ConnectionOptions, 'onMessage'> {
  readonly agentName: string;
  readonly transport: Transport;
}

/** The connection to one agent and its end: no call outlives the agent. */
export class AgentConnection {
  /** Resolves when the agent has ended, with the reason; undefined when this client ended it. */
  readonly gone: Promise<AcpError | undefined>;
  readonly traffic = new TrafficLog();
  private readonly agentName: string;
  private readonly transport: Transport;
  private readonly connection: Connection;
  private isEnding = false;

  constructor(options: AgentConnectionOptions) {
    this.agentName = options.agentName;
    this.transport = options.transport;
    this.connection = new Connection({ ...options, onMessage: this.traffic.add });
    this.gone = this.awaitEnd();
  }

  get agentTitle(): string {
    return this.transport.label.title;
  }

  async initialize(options: Omit<HandshakeOptions, 'transport'>): Promise<AgentIdentity> {
    const { agentName, transport } = this;
    const shake = () => initialize(this.connection, agentName, { ...options, transport });
    const identity = await this.untilGone(shake);
    transport.label.title = identity.title;
    return identity;
  }

  request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    return this.untilGone(() => this.connection.request(method, params, signal));
  }

  notify(method: string, params: object): void {
    this.connection.notify(method, params);
  }

  /** Rejects when the agent exits, because a request to it would never settle. */
  async untilGone<T>(call: () => Promise<T>): Promise<T> {
    const exited = this.gone.then((error) => {
      throw error ?? new AcpError('cancelled', `${this.agentTitle} was ended.`);
    });
    try {
      return await Promise.race([call(), exited]);
    } catch (error) {
      // The transport knows the reason, the connection only that it was closed.
      if (isConnectionEnd(error)) await exited;
      throw toAcpError(this.agentTitle, error);
    }
  }

  readonly end = once(async () => {
    this.isEnding = true;
    this.connection.dispose();
    await this.transport.end();
  });

  async kill(): Promise<void> {
    await Promise.all([this.transport.kill?.(), this.end()]);
  }

  // The last messages of an agent that exited may still be in the queue.
  private async awaitEnd(): Promise<AcpError | undefined> {
    const reason = await this.transport.gone;
    await this.connection.drained();
    this.traffic.close();
    return this.isEnding ? undefined : reason;
  }
}
