import type { ClientCapabilities, InitializeRequest } from '@agentclientprotocol/sdk';
import { isRecord } from '../base.ts';
import { AcpError } from '../errors.ts';
import type { ExtensionOffer, Workspace } from '../ports.ts';
import type { AgentIdentity } from '../session/model.ts';
import { version } from '../version.ts';
import { abilitiesFrom } from './abilities.ts';
import { authMethodsFrom } from './auth.ts';
import type { Connection } from './connection.ts';
import { textOf } from './wire.ts';

const protocolVersion = 1;

/** Only what is implemented is advertised. */
function capabilitiesOf({ files, terminals }: Workspace['offers']): ClientCapabilities {
  return {
    fs: { readTextFile: files, writeTextFile: files },
    terminal: terminals,
    auth: { terminal: true },
    session: { configOptions: { boolean: {} }, notices: {} },
  };
}

/** Speaks the first words with an agent, and refuses one that speaks another version of the protocol. */
export async function shakeHands(
  connection: Connection,
  agentName: string,
  offers: Workspace['offers'],
  extensions?: ExtensionOffer,
): Promise<AgentIdentity> {
  const hello: InitializeRequest = {
    protocolVersion,
    clientCapabilities: {
      ...capabilitiesOf(offers),
      ...(extensions && { _meta: { 'acp.nvim/extensions': extensions } }),
    },
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
    title: textOf(info.title) ?? textOf(info.name) ?? agentName,
    authMethods: isRecord(answer) ? authMethodsFrom(answer.authMethods) : [],
    abilities: abilitiesFrom(isRecord(answer) ? answer.agentCapabilities : undefined),
  };
}
