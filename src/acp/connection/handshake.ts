import type { ClientCapabilities, InitializeRequest } from '@agentclientprotocol/sdk';
import { AcpError } from '../../base/errors.ts';
import { version } from '../../base/version.ts';
import type { AgentIdentity, AuthMethod } from '../../model/agent.ts';
import type { ExtensionOffer } from '../../ports/extensions.ts';
import type { Workspace } from '../../ports/workspace.ts';
import { decodeAuthMethods, type LaunchInfo } from '../decode/auth-methods.ts';
import { decodeCapabilities } from '../decode/capabilities.ts';
import { asRecord, asString } from '../decode/fields.ts';
import type { Transport } from '../transports/transport.ts';
import type { Connection } from './connection.ts';

const protocolVersion = 1;

/** The proposals of the protocol that are implemented belong to it. */
type Capabilities = ClientCapabilities & { readonly plan: object; readonly subagents: object };

function implementedCapabilities({ files, terminals }: Workspace['offers']): Capabilities {
  return {
    fs: { readTextFile: files, writeTextFile: files },
    terminal: terminals,
    auth: { terminal: true },
    session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
    elicitation: { form: {}, url: {} },
    plan: {},
    subagents: {},
  };
}

export interface HandshakeOptions {
  readonly offers: Workspace['offers'];
  readonly transport: Pick<Transport, 'isRemote' | 'carriesRequests' | 'label'>;
  readonly launch?: LaunchInfo;
  readonly extensions?: ExtensionOffer | undefined;
}

/** The capabilities that this agent can use: no services if it cannot send requests, no terminal login if it is remote. */
export function clientCapabilities({ offers, transport, extensions }: HandshakeOptions): ClientCapabilities {
  const { fs, terminal, auth, elicitation, ...plain } = implementedCapabilities(offers);
  return {
    ...plain,
    ...(transport.carriesRequests && { fs, terminal, elicitation }),
    ...(!transport.isRemote && { auth }),
    // Some agents send command output and login commands only to clients with these flags.
    _meta: {
      terminal_output: true,
      ...(!transport.isRemote && { 'terminal-auth': true }),
      ...(extensions && { 'acp.nvim/extensions': extensions }),
    },
  };
}

/** The handshake; rejects an agent with another protocol version. */
export async function initialize(
  connection: Connection,
  agentName: string,
  options: HandshakeOptions,
): Promise<AgentIdentity> {
  const request: InitializeRequest = {
    protocolVersion,
    clientCapabilities: clientCapabilities(options),
    clientInfo: { name: 'acp.nvim', title: 'acp.nvim', version },
  };
  const answer = asRecord(await connection.request('initialize', request));
  const theirs = answer.protocolVersion;
  if (theirs !== undefined && Number(theirs) !== protocolVersion) {
    throw new AcpError(
      'agent_version',
      `${options.transport.label.title} uses ACP version ${String(theirs)}; this plugin supports version 1.`,
      {
        hint: 'Update acp.nvim or the agent, then :AcpRestart.',
      },
    );
  }
  const info = asRecord(answer.agentInfo);
  return {
    name: agentName,
    title: asString(info.title) || asString(info.name) || agentName,
    program: asString(info.name),
    version: asString(info.version),
    authMethods: usableAuthMethods(answer.authMethods, options),
    capabilities: decodeCapabilities(answer.agentCapabilities, answer._meta),
  };
}

function usableAuthMethods(methods: unknown, { transport, launch }: HandshakeOptions): readonly AuthMethod[] {
  return decodeAuthMethods(methods, launch).filter(
    ({ kind }) => !(transport.isRemote && kind === 'terminal'),
  );
}
