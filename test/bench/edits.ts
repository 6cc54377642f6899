import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openBenchChat } from './bench-chat.ts';
import { keepCode } from './kept-code.ts';
import { rounds } from './rounds.ts';
import { median } from './stats.ts';
import { cells, type Figure, type Implementation, implementations, ms } from './table.ts';

const prompt = 'edits 200';
const limit = 1.3;

/** The times of the first and the second turn with many edits, in ms. */
type Turns = readonly [first: number, second: number];
type Times = Readonly<Record<Implementation, readonly Turns[]>>;

/** Many edits, each with three updates, at full speed. */
export async function measureEdits(): Promise<readonly Figure[]> {
  const cold = await timeRounds({});
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-bench-'));
  try {
    const env = { XDG_CACHE_HOME: folder };
    await keepCode(env, (chat) => chat.say(prompt));
    const kept = await timeRounds(env);
    return [
      figureOf('200 edits, 3 updates each: first start after an update', cold, 0),
      figureOf('  later starts, with kept code', kept, 0),
      figureOf('  second turn', kept, 1),
    ];
  } finally {
    fs.rmSync(folder, { recursive: true, maxRetries: 5 });
  }
}

async function timeRounds(env: Record<string, string>): Promise<Times> {
  const times: Record<Implementation, Turns[]> = { plugin: [], 'bare-node': [], 'bare-lua': [] };
  for (let round = 0; round < rounds; round += 1)
    for (const implementation of implementations)
      times[implementation].push(await timeTurns(implementation, env));
  return times;
}

async function timeTurns(implementation: Implementation, env: Record<string, string>): Promise<Turns> {
  const chat = await openBenchChat(implementation, { env });
  try {
    return [(await chat.say(prompt)).ms, (await chat.say(prompt)).ms];
  } finally {
    await chat.end();
  }
}

function figureOf(name: string, times: Times, turn: 0 | 1): Figure {
  const middle = (implementation: Implementation) =>
    median(times[implementation].map((turns) => turns[turn]));
  const ratio = middle('plugin') / middle('bare-node');
  return {
    name,
    aim: `<= ${limit} × bare-node (${ratio.toFixed(2)})`,
    found: cells((implementation) => ms(middle(implementation))),
    isMet: ratio <= limit,
  };
}
