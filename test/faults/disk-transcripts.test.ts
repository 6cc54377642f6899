import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { busyOptions } from '../support/faults/busy-options.ts';
import { HostRig } from '../support/faults/host-rig.ts';
import { Random } from '../support/faults/random.ts';
import { shortOrLong } from '../support/long.ts';
import { it } from '../support/nvim/it.ts';

/** Bytes of the last records of a journal that are damaged. */
const tail = 600;

type Damage = (bytes: Buffer, random: Random) => Buffer;

const flip: Damage = (bytes, random) => {
  const damaged = Buffer.from(bytes);
  const place = bytes.length - 1 - random.below(Math.min(tail, bytes.length));
  damaged[place]! ^= 1 << random.below(8);
  return damaged;
};

const damages: Readonly<Record<string, Damage>> = {
  cut: (bytes, random) => bytes.subarray(0, bytes.length - 1 - random.below(tail)),
  flipped: flip,
  zeroed: (bytes, random) => {
    const damaged = Buffer.from(bytes);
    return damaged.fill(0, bytes.length - 1 - random.below(tail));
  },
  'written over': (bytes, random) => {
    const damaged = Buffer.from(bytes);
    const from = bytes.length - 1 - random.below(tail);
    for (let at = from; at < bytes.length; at += 1) damaged[at] = random.below(256);
    return damaged;
  },
  'followed by half a record': (bytes) =>
    Buffer.concat([bytes, Buffer.from('\n{"at":1,"event":{"kind":"chunk","role":"agent","text":"ha')]),
};

/** Damages the journal when the host is gone and the next one has not begun to read. */
const damageOnExit = `
require('acp.host').on('exit', function()
  local chat = require('acp.chats').current()
  if rig.damaged then vim.uv.fs_copyfile(rig.damaged, chat.journal) end
end)`;

describe('a transcript', () => {
  it('with damage anywhere in its last records comes back up to there, and the chat continues', {
    timeout: 300_000,
  }, async ({ start }) => {
    const rig = new HostRig(await start(busyOptions({ init: damageOnExit })));
    await rig.open();
    const first = await rig.converse([['stream', 30], ['plan'], ['calls', 3]]);
    // What is damaged comes after it.
    await rig.converse([['stream', 200]]);
    for (let seed = 0; seed < shortOrLong(6, 100); seed += 1) await damageAndRestart(rig, first, seed);
    await rig.nvim.quit('qa!');
  });
});

async function damageAndRestart(rig: HostRig, first: string, seed: number): Promise<void> {
  const { nvim } = rig;
  const random = new Random(seed);
  const kinds = Object.keys(damages);
  const kind = kinds[seed % kinds.length]!;
  const journal = await nvim.lua<string>("return require('acp.chats').current().journal");
  const copy = path.join(nvim.sandbox.root, 'damaged');
  fs.writeFileSync(copy, damages[kind]!(fs.readFileSync(journal), random));
  const exits = await rig.exits();
  await nvim.lua('rig.damaged = ... rig.kill_after(0)', copy);
  await rig.recover(exits);
  await nvim.lua('rig.damaged = nil');
  const text = await rig.text();
  const words = Array.from({ length: 30 }, (_, word) => `${first}-w${word}`);
  expect(
    words.filter((word) => !text.includes(`${word} `)),
    `${kind}, seed ${seed}`,
  ).toEqual([]);
  await rig.converse([
    ['stream', 30],
    ['calls', 2],
  ]);
  await rig.expectNoTrouble();
}
