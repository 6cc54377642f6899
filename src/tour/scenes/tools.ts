import path from 'node:path';
import type { ToolCallContent } from '@agentclientprotocol/sdk';
import type { Stage } from '../stage.ts';
import { type ToolStart, textContent } from '../tool-call.ts';

interface Act {
  readonly start: ToolStart;
  readonly result: readonly ToolCallContent[];
  readonly isFailure?: boolean;
}

const waitingBeats = 20;
const workingBeats = 40;

/** Tool calls of all common kinds on their way from pending to their end. All of it is play. */
export async function useTools(stage: Stage): Promise<void> {
  await stage.explain('These tool calls are for show: nothing is read, changed or run.');
  for (const act of actsIn(stage.session.cwd)) await play(stage, act);
  await stage.say('Each call is one line. `za` or `<CR>` on a line with `▸` shows what came of it.');
}

async function play(stage: Stage, { start, result, isFailure }: Act): Promise<void> {
  const tool = await stage.startTool(start);
  await stage.pause(waitingBeats);
  await tool.begin();
  await stage.pause(workingBeats);
  if (isFailure) await tool.fail(...result);
  else await tool.finish(...result);
}

function actsIn(cwd: string): readonly Act[] {
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
