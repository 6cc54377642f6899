import type { MessageReader, MessageWriter } from 'vscode-jsonrpc';
import type { AcpError } from '../errors.ts';
import type { Flow } from './inbox.ts';

/** What carries the messages between us and an agent. */
export interface Transport {
  readonly reader: MessageReader;
  readonly writer: MessageWriter;
  /** Holds up what comes in, as far as the other side can be held up. */
  readonly flow: Flow;
  /** The agent is no program that we started. */
  readonly isRemote: boolean;
  /** Whether the agent can ask us something. */
  readonly carriesRequests: boolean;
  /** Settles with the reason when nothing more will come and what came was read, also when we ended it ourselves. */
  readonly gone: Promise<AcpError>;
  /** Ends the connection, and the program behind it if there is one. */
  end(): Promise<void>;
  /** Ends it without giving a program the time to end in order. */
  kill?(): Promise<void>;
}
