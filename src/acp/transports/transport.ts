import type { MessageReader, MessageWriter } from 'vscode-jsonrpc';
import type { AcpError } from '../../base/errors.ts';
import type { FlowControl } from './flow-control.ts';

/** Carries the messages between us and an agent. */
export interface Transport {
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
