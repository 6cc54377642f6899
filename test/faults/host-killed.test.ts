import { describe, expect } from 'vitest';
import { busyOptions } from '../support/faults/busy-options.ts';
import { type HostExit, HostRig, type ShownChat } from '../support/faults/host-rig.ts';
import { killScenes } from '../support/faults/kill-scenes.ts';
import { Random } from '../support/faults/random.ts';
import { shortOrLong } from '../support/long.ts';
import { it } from '../support/nvim/it.ts';

const word = /\bp\d+-[\w-]+/g;

/** Everything that was shown is there again, in the same order, and nothing of it twice. */
function expectShown(before: HostExit, now: HostExit['chats']): void {
  for (const { id, text } of before.chats) {
    const shown = new Set(text.match(word));
    const found = (now.find((chat) => chat.id === id)?.text.match(word) ?? []).filter((each) =>
      shown.has(each),
    );
    const streamed = (each: string) => /-w\d+$/.test(each);
    expect(found.filter(streamed), `chat ${id}`).toEqual([...shown].filter(streamed));
    expect(new Set(found), `chat ${id}`).toEqual(shown);
  }
}

/**
 * Each prompt is in the transcript, in the queue or in the prompt buffer, and in one of them only. One that the host had
 * begun to send when it was killed may be in the transcript without an answer and in the prompt buffer.
 */
function expectPromptsOnce(now: HostExit['chats'], tokens: readonly string[]): void {
  const [told, unsent] = [
    (chat: ShownChat) => chat.text,
    ({ draft, queue }: ShownChat) => `${draft}\n${queue}`,
  ];
  const count = (token: string, part: (chat: ShownChat) => string) =>
    now
      .map(part)
      .join('\n')
      .match(new RegExp(`^\\s*${token}(?= |$)`, 'gm'))?.length ?? 0;
  for (const token of tokens) {
    const found = { told: count(token, told), unsent: count(token, unsent) };
    const isAnswered = now.some(({ text }) => text.includes(`${token}-`));
    const isBoth = found.told === 1 && found.unsent === 1 && !isAnswered;
    if (!isBoth) expect(found.told + found.unsent, `prompt ${token}, ${JSON.stringify(found)}`).toBe(1);
  }
}

/** Waits until the transcripts are drawn again. Neovim draws long ones in several steps. */
async function waitUntilDrawn(rig: HostRig, before: HostExit): Promise<void> {
  const wordsOf = (chats: HostExit['chats']) => chats.flatMap(({ text }) => text.match(word) ?? []);
  const isDrawn = async () => {
    const drawn = new Set(wordsOf(await rig.shown()));
    return wordsOf(before.chats).every((each) => drawn.has(each));
  };
  await rig.nvim.waitFor(isDrawn, 'everything that was shown');
}

/** Kills the host at a moment of a scene that the seed chooses, and checks what is left. */
async function killOnce(rig: HostRig, seed: number): Promise<void> {
  const random = new Random(seed);
  const names = Object.keys(killScenes);
  const scene = killScenes[names[seed % names.length]!]!;
  const { nvim } = rig;
  const [exits, first] = [await rig.exits(), rig.tokenCount];
  const draft = random.below(2) === 0 && !scene.isDraftSent ? `draft ${seed}` : '';
  await setDraft(rig, draft);
  await scene.begin(rig, random);
  const isTimed = random.below(2) === 0;
  if (isTimed) await nvim.lua('rig.kill_after(...)', random.below(scene.within));
  else await nvim.lua('rig.kill_at(...)', 1 + random.below(30));
  const exit = await rig.recover(exits);
  await nvim.lua('rig.takes = 0');
  await waitUntilDrawn(rig, exit);
  const now = await rig.shown();
  expectShown(exit, now);
  expectPromptsOnce(now, rig.tokensSince(first));
  expect(now.map((chat) => chat.draft).join('\n'), 'the draft').toContain(draft);
  await rig.expectWholeFiles();
  await answerOldPickers(rig);
  await tidy(rig);
  await rig.converse();
  await rig.expectNoTrouble();
}

/** Answers to questions of a host that is gone must not count for anything. */
async function answerOldPickers({ nvim }: HostRig): Promise<void> {
  await nvim.lua('for _, old in ipairs(rig.pickers) do old.answer(old.items[1], 1) end rig.pickers = {}');
}

async function setDraft({ nvim }: HostRig, text: string): Promise<void> {
  await nvim.lua(
    "vim.api.nvim_buf_set_lines(require('acp.chats').current().prompt, 0, -1, false, { ... })",
    text,
  );
}

// A prompt in it may be one that never ends.
const dropQueue = `
local chat = require('acp.chats').current()
local text = require('acp.chat.prompt.state').queue_text(chat)
if text ~= '' then
  require('acp.host').notify('queue.write', { chat = chat.id, base = text, text = '' })
end`;

/** Leaves one chat, without a draft and a queue. */
async function tidy(rig: HostRig): Promise<void> {
  const { nvim } = rig;
  await nvim.lua("require('acp.review').close(require('acp.chats').current())");
  while ((await rig.shown()).length > 1) {
    await nvim.command('AcpClose');
    await rig.waitUntilIdle();
  }
  await setDraft(rig, '');
  await nvim.lua(dropQueue);
  await nvim.waitFor(() => nvim.lua("return #require('acp').queue() == 0"), 'an empty queue');
  await rig.waitUntilIdle();
  await nvim.command('AcpChat');
  await nvim.input('<Esc>');
}

const count = shortOrLong(30, 200);
const perNvim = 10;
const only = process.env.ACP_FAULT_SEED;
const groups = only
  ? [[Number(only)]]
  : Array.from({ length: count / perNvim }, (_, group) =>
      Array.from({ length: perNvim }, (_, index) => 1 + group * perNvim + index),
    );

describe('a host that is killed at any moment', () => {
  it.for(groups)(
    'is restarted with nothing lost, seeds from %i',
    { timeout: 120_000 },
    async (seeds, { start }) => {
      const rig = new HostRig(await start(busyOptions()));
      await rig.open();
      for (const seed of seeds) {
        await killOnce(rig, seed).catch((error: unknown) => {
          throw new Error(`seed ${seed} of ${seeds}: ${error}`, { cause: error });
        });
      }
      await rig.expectOnlyOneHost();
      await rig.nvim.quit('qa!');
    },
  );
});
