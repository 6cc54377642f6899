import type { PermissionOption } from '@agentclientprotocol/sdk';
import { messageOf } from '../../errors.ts';
import { choose } from '../services.ts';
import type { Stage } from '../stage.ts';
import { Terminal } from '../terminal.ts';
import { type ToolCall, textContent } from '../tool-call.ts';

const usualCommand = 'echo one; echo two; echo three';

const options: readonly PermissionOption[] = [
  { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

/** Asks for consent, and runs the command in a terminal of the client. */
export async function runCommand(stage: Stage, rest: string): Promise<void> {
  const command = rest || usualCommand;
  const tool = await stage.startTool({ kind: 'execute', title: command, rawInput: { command } });
  if (!stage.can.hasTerminals) {
    await tool.finish(textContent('Not run: this client offers no terminals.'));
    return stage.say('This client offers no terminals, so the command was not run.');
  }
  const answer = await choose(stage, tool, options);
  if (answer?.kind === 'allow_once') return runInTerminal(stage, tool, command);
  await tool.fail(textContent('Rejected.'));
  await stage.say('The command was not run.');
}

async function runInTerminal(stage: Stage, tool: ToolCall, command: string): Promise<void> {
  let terminal: Terminal | undefined;
  try {
    terminal = await Terminal.open(stage, command);
    await follow(stage, tool, terminal);
  } catch (error) {
    await tool.fail(textContent(messageOf(error)));
    await stage.say(`The command could not be run: ${messageOf(error)}`);
  } finally {
    terminal?.release();
  }
}

async function follow(stage: Stage, tool: ToolCall, terminal: Terminal): Promise<void> {
  await tool.begin({ type: 'terminal', terminalId: terminal.id });
  const { isGood, how } = await terminal.ended();
  const output = await terminal.output();
  if (isGood) await tool.finish();
  else await tool.fail();
  await stage.say(`The command ended with ${how} and wrote ${countLines(output)}.`);
}

function countLines(output: string): string {
  const count = output.trimEnd() === '' ? 0 : output.trimEnd().split('\n').length;
  return count === 1 ? 'one line' : `${count} lines`;
}
