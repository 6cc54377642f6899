import { describe, expect } from 'vitest';
import { busyOptions } from '../support/faults/busy-options.ts';
import { HostRig } from '../support/faults/host-rig.ts';
import { Random } from '../support/faults/random.ts';
import { shortOrLong } from '../support/long.ts';
import { it } from '../support/nvim/it.ts';

const name = 'hunks.txt';
const changed = [5, 30, 55];
const lines = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
const original = `${lines.join('\n')}\n`;

/** The rows of the file that still have the agent's text. Every other line is the one of the user. */
function rowsOfAgent(text: string): readonly number[] {
  const now = text.split('\n');
  const rows = changed.filter((row) => now[row - 1] === `agent ${row}`);
  for (const row of rows) now[row - 1] = `line ${row}`;
  expect(now.join('\n')).toBe(original);
  return rows;
}

async function openReview({ nvim }: HostRig): Promise<void> {
  await nvim.lua("require('acp.review').close(require('acp.chats').current())");
  await nvim.waitForScreen((text) => !text.includes('◂'), 'no review');
  await nvim.command('AcpReview');
  await nvim.waitForScreen('◂ 1/');
}

describe('a host that is killed while a hunk is rejected', () => {
  it.for(['in a buffer', 'on disk only'])(
    'has rejected it or not, and the rest can be rejected: a file %s',
    { timeout: 120_000 },
    async (place, { start }) => {
      const options = busyOptions();
      options.sandbox.write({ [name]: original });
      const rig = new HostRig(await start(options));
      const { nvim } = rig;
      if (place === 'in a buffer') await nvim.command(`edit ${name}`);
      await rig.open();
      for (let seed = 1; seed <= shortOrLong(4, 40); seed += 1) {
        const edits = changed.map((row) => `-e ${row}s/line/agent/`).join(' ');
        await rig.converse([['terminal', `sed -i ${edits} ${name}`]]);
        let left = rowsOfAgent(rig.onDisk(name));
        expect(left).toEqual(changed);
        await openReview(rig);
        const exits = await rig.exits();
        const random = new Random(seed);
        await nvim.input('x');
        if (seed % 2 === 0) await nvim.lua('rig.kill_after(...)', random.below(40));
        else await nvim.lua('rig.kill_at(...)', 1 + random.below(4));
        await rig.recover(exits);
        const now = rowsOfAgent(rig.onDisk(name));
        expect(left).toEqual(expect.arrayContaining([...now]));
        left = now;
        await openReview(rig);
        await nvim.input('X');
        await nvim.waitFor(() => rig.onDisk(name) === original, 'the original text');
        await rig.waitUntilIdle();
      }
      await rig.expectNoTrouble();
      await nvim.quit('qa!');
    },
  );
});
