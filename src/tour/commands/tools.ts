import path from 'node:path';
import type { ToolCallContent } from '@agentclientprotocol/sdk';
import { type ToolStart, textContent } from '../tool-call.ts';
import type { TourTurn } from '../turn.ts';

interface FakeToolCall {
  readonly start: ToolStart;
  readonly result: readonly ToolCallContent[];
  readonly isFailure?: boolean;
}

const waitingBeats = 20;
const workingBeats = 40;

/** Shows tool calls of all common kinds from pending to their end, without doing anything. */
export async function showToolCalls(turn: TourTurn): Promise<void> {
  await turn.sendExplanation('These tool calls are a demonstration: nothing is read, changed or run.');
  for (const act of fakeToolCalls(turn.session.cwd)) await runFakeToolCall(turn, act);
  await turn.sendMessage(
    'Each tool call is one line. `za` on a line with `▸` shows its result. So does `<CR>`, but on the name of a file it opens the file.',
  );
}

async function runFakeToolCall(turn: TourTurn, { start, result, isFailure }: FakeToolCall): Promise<void> {
  const tool = await turn.startToolCall(start);
  await turn.pause(waitingBeats);
  await tool.begin();
  await turn.pause(workingBeats);
  if (isFailure) await tool.fail(...result);
  else await tool.finish(...result);
}

function fakeToolCalls(cwd: string): readonly FakeToolCall[] {
  const file = path.join(cwd, 'greeting.lua');
  return [
    {
      start: { kind: 'read', title: file, locations: [{ path: file, line: 1 }], rawInput: { path: file } },
      result: [textContent("print('Hello')")],
    },
    {
      start: { kind: 'search', title: '"Hello" in lua/', rawInput: { pattern: 'Hello' } },
      result: [textContent("greeting.lua:1: print('Hello')\nREADME.md:3: Hello")],
    },
    {
      start: { kind: 'edit', title: file, locations: [{ path: file, line: 1 }] },
      result: [{ type: 'diff', path: file, oldText: "print('Hello')\n", newText: "print('Hello, world')\n" }],
    },
    {
      start: {
        kind: 'execute',
        title: 'nvim -l greeting.lua',
        rawInput: { command: 'nvim -l greeting.lua' },
      },
      result: [textContent('Hello, world')],
    },
    {
      start: { kind: 'fetch', title: 'https://agentclientprotocol.com' },
      result: [textContent('200 OK')],
    },
    {
      start: { kind: 'delete', title: path.join(cwd, 'locked.txt') },
      result: [textContent('Permission denied. A failed tool call does not end the turn.')],
      isFailure: true,
    },
  ];
}
