import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { ProgrammableChat, startProgrammableChat } from '../support/agents/programmable-chat.ts';
import { converse, drawn, startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { repoRoot } from '../support/nvim/nvim-process.ts';
import { aJpeg, anSvg, aPng, aWav } from '../support/pictures.ts';

const program = path.join(repoRoot, 'test/fixtures/agents/pictures.mjs');
/** Records what would be opened with a program of the system. */
const recordOpened = `_G.opened = {} vim.ui.open = function(path) table.insert(_G.opened, path) end`;

type Start = (options?: NvimOptions) => Promise<TestNvim>;

function startPictures(start: Start, ...accepted: readonly string[]): Promise<TestNvim> {
  const command = ['node', program, ...accepted].map((word) => JSON.stringify(word)).join(', ');
  const config = `{ agents = { pictures = { command = { ${command} } } } }`;
  return startChat(start, { columns: 160, agent: 'pictures', config, init: recordOpened });
}

const lineWith = async (nvim: TestNvim, text: string) =>
  (await transcript(nvim)).find((line) => line.includes(text));

const opened = (nvim: TestNvim) => nvim.lua<string[]>('return _G.opened');

async function openLine(nvim: TestNvim, text: string): Promise<void> {
  await new ProgrammableChat(nvim).goTo(text);
  await nvim.input('<CR>');
}

describe('a picture that a prompt mentions', () => {
  it('is sent to an agent that accepts pictures, and stands below the prompt with its size', async ({
    start,
  }) => {
    const nvim = await startPictures(start, 'image');
    const png = aPng(64, 48);
    fs.writeFileSync(nvim.sandbox.path('shot.png'), png);
    await converse(nvim, 'look at @shot.png please');
    expect(await transcript(nvim)).toContain('  ▣ shot.png 64×48');
    expect(await lineWith(nvim, 'Received')).toBe(`Received: image image/png ${png.length} bytes file:`);
  });

  it('is linked for an agent that accepts none, and the chat says so', async ({ start }) => {
    const nvim = await startPictures(start, 'audio');
    fs.writeFileSync(nvim.sandbox.path('shot.png'), aPng());
    await converse(nvim, 'look at @shot.png');
    expect(await lineWith(nvim, 'Received')).toBe('Received: resource_link image/png shot.png file:');
    expect(await lineWith(nvim, 'accepts no pictures')).toContain('shot.png was linked');
  });

  it('is opened by <CR> with the program of the system', async ({ start }) => {
    const nvim = await startPictures(start, 'image');
    fs.writeFileSync(nvim.sandbox.path('shot.png'), aPng());
    await converse(nvim, 'look at @shot.png');
    await openLine(nvim, '▣ shot.png');
    await nvim.waitFor(async () => (await opened(nvim)).length > 0, 'the picture');
    expect(await opened(nvim)).toEqual([nvim.sandbox.path('shot.png')]);
  });

  it('has the type of its content, and a text with the name of a picture is a text', async ({ start }) => {
    const nvim = await startPictures(start, 'image', 'embeddedContext');
    fs.writeFileSync(nvim.sandbox.path('wrong.png'), aJpeg);
    fs.writeFileSync(nvim.sandbox.path('text.png'), anSvg);
    await converse(nvim, 'look at @wrong.png and @text.png');
    const received = await lineWith(nvim, 'Received');
    expect(received).toContain(
      `image image/jpeg ${aJpeg.length} bytes file: | resource text/plain ${anSvg.length}`,
    );
  });
});

describe('a sound that a prompt mentions', () => {
  it.for([
    ['is sent to an agent that accepts sounds', 'audio', `audio audio/wav ${aWav.length} bytes`],
    ['is linked for an agent that accepts none', 'image', 'resource_link audio/wav a.wav file:'],
  ] as const)('%s', async ([, accepted, received], { start }) => {
    const nvim = await startPictures(start, accepted);
    fs.writeFileSync(nvim.sandbox.path('a.wav'), aWav);
    await converse(nvim, 'hear @a.wav');
    expect(await lineWith(nvim, 'Received')).toBe(`Received: ${received}`);
    expect(await transcript(nvim)).toContain('  ▣ a.wav');
  });
});

const png = aPng(64, 48);
const image = { type: 'image', mimeType: 'image/png', data: png.toString('base64') };
const message = (content: object) => ({ update: { sessionUpdate: 'agent_message_chunk', content } });
const text = (words: string) => message({ type: 'text', text: words });

function attachmentFiles(nvim: TestNvim): readonly string[] {
  const state = nvim.sandbox.env.XDG_STATE_HOME!;
  return fs
    .readdirSync(state, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(state, name))
    .filter((file) => path.dirname(file).endsWith('.attachments'));
}

function journalText(nvim: TestNvim): string {
  const state = nvim.sandbox.env.XDG_STATE_HOME!;
  const names = fs.readdirSync(state, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => fs.readFileSync(path.join(state, name), 'utf8'))
    .join('\n');
}

async function receive(start: Start, ...steps: readonly object[]): Promise<ProgrammableChat> {
  const chat = await startProgrammableChat(start, { columns: 120, init: recordOpened });
  await chat.begin(...steps);
  await chat.nvim.waitForScreen('answers');
  await waitForPhase(chat.nvim, 'idle');
  await drawn(chat.nvim);
  return chat;
}

describe('a picture in the answer of an agent', () => {
  it('is saved, stands between the texts and is opened by <CR>', async ({ start }) => {
    const { nvim } = await receive(start, text('Before.'), message(image), text('After.\n\n'));
    const lines = (await transcript(nvim)).filter(
      (line) => /Before|▣|After/.test(line) && !line.includes('['),
    );
    expect(lines).toEqual(['Before.', '  ▣ picture 64×48', 'After.']);
    await openLine(nvim, '▣ picture');
    await nvim.waitFor(async () => (await opened(nvim)).length > 0, 'the picture');
    const [file] = await opened(nvim);
    expect(fs.readFileSync(file!)).toEqual(png);
    expect(attachmentFiles(nvim)).toEqual([file]);
  });

  it('is not in the journal', async ({ start }) => {
    const { nvim } = await receive(start, message({ ...image, data: aPng(500, 400).toString('base64') }));
    const answer = journalText(nvim)
      .split('\n')
      .filter((line) => line.includes('"attachment"'));
    expect(answer).toHaveLength(1);
    expect(answer[0]).toContain('"pixels":{"width":500,"height":400}');
    expect(answer[0]!.length).toBeLessThan(600);
  });

  it('that is a program is not saved and not opened', async ({ start }) => {
    const data = Buffer.from('#!/bin/sh\ntouch run\n').toString('base64');
    const { nvim } = await receive(start, message({ ...image, data, uri: 'file:///bin/sh' }));
    expect(await lineWith(nvim, '▣')).toContain('not saved');
    expect(attachmentFiles(nvim)).toEqual([]);
    await nvim.lua('vim.ui.select = function(_, options) vim.g.asked = options.prompt end');
    await openLine(nvim, '▣ sh');
    await nvim.waitFor(
      () => nvim.lua<boolean>("return (vim.g.asked or ''):find('/bin/sh', 1, true) ~= nil"),
      'the question about a file outside',
    );
    expect(await opened(nvim)).toEqual([]);
  });

  it('in the output of a tool call is saved and opened by <CR>', async ({ start }) => {
    const call = {
      update: {
        sessionUpdate: 'tool_call',
        toolCallId: 'c1',
        title: 'Screenshot',
        status: 'completed',
        content: [{ type: 'content', content: image }],
        rawOutput: { content: [image] },
      },
    };
    const { nvim } = await receive(start, call);
    expect(await transcript(nvim)).toContain('    ▣ picture 64×48');
    await openLine(nvim, '▣ picture');
    await nvim.waitFor(async () => (await opened(nvim)).length > 0, 'the picture');
    expect(fs.readFileSync((await opened(nvim))[0]!)).toEqual(png);
  });
});

describe('a session that is loaded', () => {
  it('shows the attachments that the agent sends back', async ({ start }) => {
    const memory = JSON.stringify([
      { type: 'text', text: 'look at ' },
      { ...image, uri: 'file:///elsewhere/shot.png' },
      {
        type: 'resource',
        resource: { uri: 'file:///elsewhere/a.ts#L2-3', text: 'x', mimeType: 'text/plain' },
      },
      { type: 'resource_link', uri: 'https://example.org/page', name: 'a page' },
    ]);
    const config = `{ agents = { pictures = { command = { 'node', ${JSON.stringify(program)}, 'image' }, env = { ACP_TEST_MEMORY = vim.env.HOME .. '/memory' } } } }`;
    const prepared: Start = async (options) => {
      const nvim = await start(options);
      fs.writeFileSync(path.join(nvim.sandbox.env.HOME!, 'memory'), memory);
      return nvim;
    };
    const nvim = await startChat(prepared, { columns: 120, agent: 'pictures', config, init: recordOpened });
    await nvim.lua(`
      local lifecycle = require('acp.lifecycle')
      lifecycle.show(lifecycle.create('pictures', { session = 's9', cwd = vim.fn.getcwd() }))`);
    await nvim.waitForScreen('a page');
    await nvim.input('<Esc>');
    const shown = (await transcript(nvim)).filter((line) => /^ {2}[▪▣]/.test(line));
    expect(shown).toEqual(['  ▣ shot.png 64×48', '  ▪ a.ts:2-3', '  ▪ a page']);
    await openLine(nvim, '▣ shot.png');
    await nvim.waitFor(async () => (await opened(nvim)).length > 0, 'the picture');
    expect(fs.readFileSync((await opened(nvim))[0]!)).toEqual(png);
  });
});
