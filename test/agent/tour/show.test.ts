import { crc32, inflateSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { mediaTypeOf } from '../../../src/media/media-type.ts';
import { checkPicture } from '../../../src/media/picture.ts';
import { aPng, aWav } from '../../support/pictures.ts';
import { openWithEverything } from '../../support/tour/editor.ts';
import { it } from '../../support/tour/it.ts';
import { chunksOf, textOf, toolStates } from '../../support/tour/updates.ts';

describe('the tour', () => {
  it('sends the same messages every time', async ({ folder, start }) => {
    const first = await openWithEverything(start, folder);
    await first.client.prompt(first.sessionId, 'tour');
    const second = await openWithEverything(start, folder);
    await second.client.prompt(second.sessionId, 'tour');
    expect(second.client.received).toEqual(first.client.received);
  });

  it('sends fewer messages but all entries in brief mode', async ({ folder, start }) => {
    const { client, sessionId } = await openWithEverything(start, folder);
    await client.prompt(sessionId, 'tour');
    const guided = client.updates;
    await client.request('session/set_mode', { sessionId, modeId: 'brief' });
    await client.prompt(sessionId, 'tour');
    const brief = client.updates.slice(guided.length);
    expect(textOf(brief).length).toBeLessThan(textOf(guided).length * 0.8);
    expect(Object.keys(toolStates(brief))).toHaveLength(Object.keys(toolStates(guided)).length);
  });

  it('names the commands and keys that new users need', async ({ folder, start }) => {
    const { client, sessionId } = await openWithEverything(start, folder);
    await client.prompt(sessionId, 'tour');
    const text = textOf(client.updates);
    const needed = [
      ':AcpChat',
      ':AcpSend',
      ':AcpCancel',
      ':AcpRestart',
      ':checkhealth acp',
      ':help acp',
      '<CR>',
      '<C-c>',
      'resources @',
      'za',
      '▸',
    ];
    expect(needed.filter((words) => !text.includes(words))).toEqual([]);
  });

  it('updates its plan step by step', async ({ folder, start }) => {
    const client = start();
    await client.prompt(await client.open(folder), 'plan');
    const plans = client.updates.flatMap((update) =>
      update.sessionUpdate === 'plan' ? [update.entries] : [],
    );
    expect(plans.map((entries) => entries.map(({ status }) => status).join(' '))).toEqual([
      'in_progress pending pending',
      'completed in_progress pending',
      'completed completed in_progress',
      'completed completed completed',
    ]);
  });

  it('shows tool calls in every state, one of them failed', async ({ folder, start }) => {
    const client = start();
    await client.prompt(await client.open(folder), 'tools');
    const good = ['pending', 'in_progress', 'completed'];
    const bad = ['pending', 'in_progress', 'failed'];
    expect(Object.values(toolStates(client.updates))).toEqual([good, good, good, good, good, bad]);
  });

  it('sends exactly the requested number of chunks of 40 characters', async ({ folder, start }) => {
    const client = start();
    expect(await client.prompt(await client.open(folder), 'long 5000')).toBe('end_turn');
    const chunks = chunksOf(client.updates);
    expect(chunks).toHaveLength(5000);
    expect(new Set(chunks.map(({ length }) => length))).toEqual(new Set([40]));
    expect(
      new Set(
        chunks
          .join('')
          .split('\n')
          .map(({ length }) => length),
      ),
    ).toEqual(new Set([79, 0]));
    expect(new Set(chunks).size).toBe(5000);
  });

  it('uses only the first prompt as the title of the session', async ({ folder, start }) => {
    const client = start();
    const sessionId = await client.open(folder);
    await client.prompt(sessionId, 'fix the login\nand more');
    await client.prompt(sessionId, 'hello');
    const titles = client.updates.flatMap((update) =>
      update.sessionUpdate === 'session_info_update' ? [update.title] : [],
    );
    expect(titles).toEqual(['Fix the login']);
  });

  it('quotes a prompt that is not a command', async ({ folder, start }) => {
    const client = start();
    await client.prompt(await client.open(folder), 'fix the login');
    expect(textOf(client.updates)).toContain('`fix the login`');
    expect(textOf(client.updates)).toContain('`help`');
  });

  it('lists what a prompt attaches, with sizes', async ({ folder, start }) => {
    const client = start();
    const sessionId = await client.open(folder);
    const png = aPng(64, 48);
    const prompt = [
      { type: 'text', text: 'resources ' },
      {
        type: 'resource',
        resource: { uri: 'file:///a.lua', mimeType: 'text/x-lua', text: 'one `1`\ntwo\n' },
      },
      { type: 'resource', resource: { uri: 'file:///a.zip', blob: 'AAAA' } },
      { type: 'resource_link', uri: 'file:///b.lua', name: 'b.lua', size: 2048 },
      { type: 'image', mimeType: 'image/png', data: png.toString('base64'), uri: 'file:///shot.png' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'audio', mimeType: 'audio/wav', data: aWav.toString('base64') },
    ];
    await client.request('session/prompt', { sessionId, prompt });
    const listed = textOf(client.updates)
      .split('\n')
      .filter((line) => line.startsWith('- '));
    expect(listed).toEqual([
      "- text `file:///a.lua`, text/x-lua, 12 bytes, 2 lines, first line: `one '1'`",
      '- file `file:///a.zip`, 3 bytes',
      '- link `b.lua`, file:///b.lua, 2 KB',
      `- picture \`file:///shot.png\`, image/png, ${png.length} bytes, 64×48 pixels`,
      '- picture `picture`, image/png, 3 bytes',
      expect.stringMatching(/^- sound `sound`, audio\/wav, 44 bytes/),
    ]);
  });

  it('sends a link, a text and a picture that is a complete PNG file', async ({ folder, start }) => {
    const client = start();
    await client.prompt(await client.open(folder), 'resources');
    const sent = client.updates.flatMap((update) =>
      update.sessionUpdate === 'agent_message_chunk' && update.content.type !== 'text'
        ? [update.content]
        : [],
    );
    expect(sent.map(({ type }) => type)).toEqual(['resource_link', 'resource', 'image']);
    const { data } = sent[2] as { data: string };
    const bytes = Buffer.from(data, 'base64');
    expect(checkPicture(bytes, mediaTypeOf(bytes)!)).toEqual({ size: { width: 64, height: 48 } });
    expect(checksumsOf(bytes)).toEqual({ IHDR: true, IDAT: true, IEND: true });
    const length = bytes.readUInt32BE(33);
    expect(inflateSync(bytes.subarray(41, 41 + length))).toHaveLength(48 * (1 + 64 * 3));
  });

  it('sends control characters that a client has to escape', async ({ folder, start }) => {
    const client = start();
    await client.prompt(await client.open(folder), 'unicode');
    const text = textOf(client.updates);
    const sent = [
      '\u001b[2J',
      '\u0007',
      '\u0000',
      '\u009b',
      '\u202e',
      '\u2028',
      '\r',
      '\ud83d.',
      '漢字',
      'e\u0301',
      '\u{1f642}',
    ];
    expect(sent.filter((characters) => !text.includes(characters))).toEqual([]);
  });
});

/** Whether the checksum of each chunk of a PNG file is right. */
function checksumsOf(png: Buffer): Record<string, boolean> {
  const found: Record<string, boolean> = {};
  for (let at = 8; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    found[png.toString('latin1', at + 4, at + 8)] =
      crc32(png.subarray(at + 4, end)) === png.readUInt32BE(end);
    at = end + 4;
  }
  return found;
}
