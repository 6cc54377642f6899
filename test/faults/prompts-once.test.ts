import { describe, expect } from 'vitest';
import type { HostRig } from '../support/faults/host-rig.ts';
import { PromptsOnce } from '../support/faults/prompts-once.ts';
import { Random } from '../support/faults/random.ts';
import { shortOrLong } from '../support/long.ts';
import { it } from '../support/nvim/it.ts';
import { expectNoneLeft } from '../support/system/processes.ts';

async function killNvim({ nvim }: HostRig): Promise<void> {
  process.kill(nvim.pid, 'SIGKILL');
  await nvim.exited;
  await expectNoneLeft(nvim.sandbox.marker);
}

async function killHost(rig: HostRig, isIdle = true): Promise<void> {
  const exits = await rig.exits();
  process.kill((await rig.pid())!, 'SIGKILL');
  await rig.recover(exits, isIdle);
}

const queue = (rig: HostRig) => rig.nvim.lua<readonly string[]>("return require('acp').queue()");

describe('a prompt whose snapshot is being taken', () => {
  it('waits in the paused queue when the host is killed, and is sent once', async ({ start }) => {
    const scene = new PromptsOnce(start);
    const rig = await scene.open();
    scene.slowDown();
    const [first, second] = [await rig.send(), await rig.send()];
    await rig.nvim.waitFor(() => scene.hasBegun(first), 'the turn to begin');
    await rig.nvim.waitFor(async () => (await queue(rig)).includes(second), 'the queue');
    await killHost(rig);
    expect(await queue(rig)).toEqual([first, second]);
    await rig.waitForText('The host process of acp.nvim was restarted before this prompt was sent.');
    scene.slowDown(false);
    await rig.nvim.command('AcpRetry');
    await rig.nvim.waitFor(() => scene.received(first) === 1, 'the agent to get it');
    await scene.expectOnce(rig, [first, second]);
  });

  it.for(['host', 'prompt'])(
    'waits in the paused queue of the next Neovim when Neovim is killed (%s first)',
    async (first, { start }) => {
      const scene = new PromptsOnce(start);
      const rig = await scene.open();
      scene.slowDown();
      const tokens = [await rig.send(), await rig.send()];
      await rig.nvim.waitFor(() => scene.hasBegun(tokens[0]!), 'the turn to begin');
      if (first === 'host') process.kill((await rig.pid())!, 'SIGKILL');
      await killNvim(rig);
      scene.slowDown(false);
      const next = await scene.open();
      expect(await queue(next)).toEqual(tokens);
      expect(tokens.map((token) => scene.received(token))).toEqual([0, 0]);
      await scene.expectOnce(next, tokens);
    },
  );
});

const count = shortOrLong(36, 400);
const only = process.env.ACP_FAULT_SEED;
const seeds = only ? [Number(only)] : Array.from({ length: count }, (_, index) => 1 + index);

describe('prompts that are sent and queued', () => {
  it.for(seeds)(
    'reach the agent once when Neovim is killed at any moment, seed %i',
    { timeout: 120_000 },
    async (seed, { start }) => {
      const random = new Random(seed);
      const scene = new PromptsOnce(start);
      const rig = await scene.open();
      if (random.below(3) === 0) scene.slowDown();
      const tokens = [await rig.send([['stream', 5, 2]]), await rig.send(), await rig.send()];
      const awaited = tokens[random.below(tokens.length)]!;
      await rig.nvim.waitFor(() => scene.received(awaited) + random.below(2) > 0, 'a moment');
      await new Promise((resolve) => setTimeout(resolve, random.below(60)));
      await killNvim(rig);
      scene.slowDown(false);
      const next = await scene.open();
      await scene.expectOnce(next, tokens);
    },
  );
});
