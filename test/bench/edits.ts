import { openBenchChat } from './bench-chat.ts';
import { median } from './stats.ts';
import { cells, type Figure, type Implementation, implementations, ms } from './table.ts';

const edits = 200;
const rounds = 5;

/** Many edits, each with three updates, at full speed. */
export async function measureEdits(): Promise<readonly Figure[]> {
  const times: Record<Implementation, number[]> = { plugin: [], 'bare-node': [], 'bare-lua': [] };
  for (let round = 0; round < rounds; round += 1)
    for (const implementation of implementations) times[implementation].push(await timeEdits(implementation));
  const ratio = median(times.plugin) / median(times['bare-node']);
  return [
    {
      name: `${edits} edits, 3 updates each`,
      aim: `<= 1.3 × bare-node (${ratio.toFixed(2)})`,
      found: cells((implementation) => ms(median(times[implementation]))),
      isMet: ratio <= 1.3,
    },
  ];
}

async function timeEdits(implementation: Implementation): Promise<number> {
  const chat = await openBenchChat(implementation);
  try {
    return (await chat.say(`edits ${edits}`)).ms;
  } finally {
    await chat.end();
  }
}
