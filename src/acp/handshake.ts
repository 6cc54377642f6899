import type { ClientCapabilities, InitializeRequest } from '@agentclientprotocol/sdk';
import { isRecord } from '../base.ts';
import { AcpError } from '../errors.ts';
import type { ExtensionOffer } from '../ports/wire.ts';
import type { Workspace } from '../ports/workspace.ts';
import type { AgentIdentity, AuthMethod } from '../session/model.ts';
import { version } from '../version.ts';
import { abilitiesFrom } from './abilities.ts';
import { authMethodsFrom, type StartedAs } from './auth.ts';
import type { Connection } from './connection.ts';
import type { Transport } from './transport.ts';
import { textOf } from './wire.ts';

const protocolVersion = 1;

/** Only what is implemented is advertised. */
function capabilitiesOf({ files, terminals }: Workspace['offers']): ClientCapabilities {
  return {
    fs: { readTextFile: files, writeTextFile: files },
    terminal: terminals,
    auth: { terminal: true },
    session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
    elicitation: { form: {}, url: {} },
  };
}

/** What we have to offer, and what the way to an agent allows. */
export interface Terms {
  readonly offers: Workspace['offers'];
  readonly reach: Reach;
  /** How the agent was started. */
  readonly started?: StartedAs;
  /** Methods beyond the protocol. */
  readonly offer?: ExtensionOffer | undefined;
}

type Reach = Pick<Transport, 'isRemote' | 'carriesRequests'>;

/** What an agent can make use of: one that can't ask gets no services, and no terminal here logs in elsewhere. */
export function capabilitiesFor({ offers, reach, offer }: Terms): ClientCapabilities {
  const { fs, terminal, auth, elicitation, ...plain } = capabilitiesOf(offers);
  return {
    ...plain,
    ...(reach.carriesRequests && { fs, terminal, elicitation }),
    ...(!reach.isRemote && { auth }),
    // Some agents tell what their commands write, and how to log in, only to clients that ask for it so.
    _meta: {
      terminal_output: true,
      ...(!reach.isRemote && { 'terminal-auth': true }),
      ...(offer && { 'acp.nvim/extensions': offer }),
    },
  };
}

/** Speaks the first words with an agent, and refuses one that speaks another version of the protocol. */
export async function shakeHands(
  connection: Connection,
  agentName: string,
  terms: Terms,
): Promise<AgentIdentity> {
  const hello: InitializeRequest = {
    protocolVersion,
    clientCapabilities: capabilitiesFor(terms),
    clientInfo: { name: 'acp.nvim', title: 'acp.nvim', version },
  };
  const answer = await connection.request('initialize', hello);
  const theirs = isRecord(answer) ? answer.protocolVersion : undefined;
  if (theirs !== undefined && Number(theirs) !== protocolVersion) {
    throw new AcpError(
      'agent_version',
      `${agentName} speaks ACP version ${String(theirs)}; this plugin speaks 1.`,
      {
        hint: 'Update acp.nvim or the agent, then :AcpRestart.',
      },
    );
  }
  const info = isRecord(answer) && isRecord(answer.agentInfo) ? answer.agentInfo : {};
  return {
    name: agentName,
    title: textOf(info.title) || textOf(info.name) || agentName,
    program: textOf(info.name),
    authMethods: isRecord(answer) ? loginsFrom(answer.authMethods, terms) : [],
    abilities: abilitiesFrom(isRecord(answer) ? answer.agentCapabilities : undefined),
  };
}

function loginsFrom(methods: unknown, { reach, started }: Terms): readonly AuthMethod[] {
  return authMethodsFrom(methods, started).filter(({ kind }) => !(reach.isRemote && kind === 'terminal'));
}
