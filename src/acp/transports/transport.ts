import type { MessageReader, MessageWriter } from 'vscode-jsonrpc';
import type { AcpError } from '../../base/errors.ts';
import type { AgentSpec } from '../../ports/agent.ts';
import type { FlowControl } from './flow-control.ts';

/** What messages call the agent. */
export interface AgentLabel {
  /** The handshake sets it to the name that the agent reports. */
  title: string;
}

/** What messages call an agent that has not named itself. */
export function titleOf({ name, title = name }: AgentSpec): string {
  return title;
}

/** Carries the messages between us and an agent. */
export interface Transport {
  readonly label: AgentLabel;
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
  /** Backpressure: pauses reading from the agent. */
  readonly flow: FlowControl;
  /** The agent is not a program that we started. */
  readonly isRemote: boolean;
  /** Whether the agent can send requests to us. */
  readonly carriesRequests: boolean;
  /** Resolves with the reason once everything the agent sent was read, also after our own `end`. */
  readonly gone: Promise<AcpError>;
  /** Ends the connection and the agent's program, if we started one. */
  end(): Promise<void>;
  /** Like `end`, but without time for an orderly exit. */
  kill?(): Promise<void>;
}
