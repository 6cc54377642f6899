import type { PermissionOption } from '@agentclientprotocol/sdk';
import { messageOf } from '../../base/errors.ts';
import { chooseOption } from '../client-requests.ts';
import { ClientTerminal } from '../terminal.ts';
import { type ToolCall, textContent } from '../tool-call.ts';
import type { TourTurn } from '../turn.ts';

const defaultCommand = 'echo one; echo two; echo three';

const runOptions: readonly PermissionOption[] = [
  { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

/** Asks for permission, then runs the command in a terminal of the client. */
export async function runShellCommand(turn: TourTurn, rest: string): Promise<void> {
  const command = rest || defaultCommand;
  const tool = await turn.startToolCall({ kind: 'execute', title: command, rawInput: { command } });
  if (!turn.capabilities.hasTerminals) {
    await tool.finish(textContent('Not run: this client does not support terminals.'));
    return turn.sendMessage('This client does not support terminals, so the command was not run.');
  }
  const answer = await chooseOption(turn, tool, runOptions);
  if (answer?.kind === 'allow_once') return runInTerminal(turn, tool, command);
  await tool.fail(textContent('Rejected.'));
  await turn.sendMessage('The command was not run.');
}

async function runInTerminal(turn: TourTurn, tool: ToolCall, command: string): Promise<void> {
  let terminal: ClientTerminal | undefined;
  try {
    terminal = await ClientTerminal.open(turn, command);
    await followTerminal(turn, tool, terminal);
  } catch (error) {
    await tool.fail(textContent(messageOf(error)));
    await turn.sendMessage(`Could not run the command: ${messageOf(error)}`);
  } finally {
    terminal?.release();
  }
}

async function followTerminal(turn: TourTurn, tool: ToolCall, terminal: ClientTerminal): Promise<void> {
  await tool.begin({ type: 'terminal', terminalId: terminal.id });
  const { isGood, how } = await terminal.waitForExit();
  const output = await terminal.output();
  if (isGood) await tool.finish();
  else await tool.fail();
  await turn.sendMessage(`The command ended with ${how} and wrote ${describeLineCount(output)}.`);
}

function describeLineCount(output: string): string {
  const count = output.trimEnd() === '' ? 0 : output.trimEnd().split('\n').length;
  return count === 1 ? 'one line' : `${count} lines`;
}
