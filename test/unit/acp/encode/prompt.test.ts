import { describe, expect, it } from 'vitest';
import { encodePrompt } from '../../../../src/acp/encode/prompt.ts';
import { type Attachment, type Prompt, textPrompt } from '../../../../src/model/prompt.ts';
import { violationsOfClient } from '../../../support/schema.ts';

const everything = { image: true, audio: true, embeddedContext: true };
const uri = 'file:///project/a.ts#L3-9';
const file = { kind: 'file', uri, name: 'a.ts:3-9', mimeType: 'text/plain', size: 5 } as const;
const text = { kind: 'text', text: 'lines' } as const;
const diagnostics = { kind: 'text', uri: 'acp-nvim:///diagnostics', name: 'diagnostics' } as const;
const picture = {
  kind: 'image',
  uri: 'file:///shot.png',
  name: 'shot.png',
  mimeType: 'image/png',
  size: 3,
} as const;
const sound = { kind: 'audio', uri: 'file:///a.wav', name: 'a.wav', mimeType: 'audio/wav', size: 3 } as const;
const bytes = { kind: 'bytes', base64: 'AAAA' } as const;

/** A prompt in which each word with an `@` is the mention of the next attachment. */
function aPrompt(written: string, ...given: readonly Omit<Attachment, 'start' | 'end'>[]): Prompt {
  const mentions = [...written.matchAll(/@[\w.:-]*/g)];
  const attachments = given.map((each, index) => {
    const { 0: mention, index: start } = mentions[index]!;
    return { ...each, start, end: start + mention.length };
  });
  return { text: written, attachments };
}

function blocksOf(prompt: Prompt, capabilities = everything) {
  const { blocks } = encodePrompt(prompt, capabilities);
  const params = { sessionId: 's', prompt: blocks };
  const request = { jsonrpc: '2.0', id: 1, method: 'session/prompt', params } as const;
  expect(violationsOfClient([request], [])).toEqual([]);
  return blocks;
}

describe('the content blocks of a prompt', () => {
  it('are one text without attachments', () => {
    expect(blocksOf(textPrompt('fix it'))).toEqual([{ type: 'text', text: 'fix it' }]);
  });

  it('have the order in which the prompt was written, each after its name', () => {
    const prompt = aPrompt(
      'fix @a.ts:3-9 with @shot.png now',
      { ...file, content: text },
      { ...picture, content: bytes },
    );
    expect(blocksOf(prompt)).toEqual([
      { type: 'text', text: 'fix a.ts:3-9' },
      { type: 'resource', resource: { uri, text: 'lines', mimeType: 'text/plain' } },
      { type: 'text', text: ' with shot.png' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png', uri: 'file:///shot.png' },
      { type: 'text', text: ' now' },
    ]);
  });

  it('contain no text of blanks, which some models refuse', () => {
    const prompt = aPrompt('@a @b\n', { ...file, content: text }, { ...picture, content: bytes });
    expect(blocksOf(prompt)).toMatchObject([
      { text: 'a' },
      { type: 'resource' },
      { text: ' b' },
      { type: 'image' },
    ]);
  });

  it('have all attachments of one mention after each other', () => {
    const other = { ...file, uri: 'file:///b.ts', start: 0, end: 8, content: text };
    const prompt = { text: '@buffers!', attachments: [{ ...file, start: 0, end: 8, content: text }, other] };
    expect(blocksOf(prompt)).toMatchObject([
      { text: 'buffers' },
      { type: 'resource' },
      { type: 'resource' },
      { text: '!' },
    ]);
  });

  it('contain a text once, and its name as often as it is mentioned', () => {
    const prompt = aPrompt('@a and @a.', { ...file, content: text }, { ...file, content: text });
    expect(blocksOf(prompt)).toMatchObject([{ text: 'a' }, { type: 'resource' }, { text: ' and a.' }]);
  });
});

const whole = { ...file, uri: 'file:///project/a.ts', name: 'a.ts' };
const range = { ...file, range: { first: 3, last: 9 } };
const fenced = (name: string) => `\n\`\`\`${name}\nlines\n\`\`\`\n`;

describe('an agent that accepts only text and links', () => {
  const nothing = { image: false, audio: false, embeddedContext: false };

  it.each([
    ['a file as it is on disk', { ...whole, content: text }],
    ['a file that is too large', whole],
    ['a picture', { ...picture, content: bytes }],
    ['a sound', { ...sound, content: bytes }],
    ['a folder', { ...whole, kind: 'folder' as const }],
  ])('gets a link to %s', (_, attachment) => {
    const { uri: address, name, mimeType, size } = attachment;
    expect(blocksOf(aPrompt('@it', attachment), nothing)).toEqual([
      { type: 'text', text: 'it' },
      { type: 'resource_link', uri: address, name, mimeType, size },
    ]);
  });

  it.each([
    ['some lines of a file', { ...range, content: text }],
    ['a file with unsaved text', { ...whole, isUnsaved: true, content: text }],
    ['a text without a file', { ...diagnostics, content: text }],
  ])('gets %s as text', (_, attachment) => {
    expect(blocksOf(aPrompt('@it', attachment), nothing)).toEqual([
      { type: 'text', text: 'it' },
      { type: 'text', text: fenced(attachment.name) },
    ]);
  });

  it('gets a text in a fence that it does not contain', () => {
    const content = { kind: 'text', text: '```\ncode\n```\n' } as const;
    expect(blocksOf(aPrompt('@it', { ...diagnostics, content }), nothing).at(-1)).toEqual({
      type: 'text',
      text: '\n````diagnostics\n```\ncode\n```\n````\n',
    });
  });

  it.each([
    ['pictures', picture],
    ['sounds', sound],
  ])('is said not to accept %s', (what, attachment) => {
    const { omissions } = encodePrompt(aPrompt('@', { ...attachment, content: bytes }), nothing);
    expect(omissions).toEqual([`${attachment.name} was linked: the agent accepts no ${what}`]);
    const accepted = encodePrompt(aPrompt('@', { ...attachment, content: bytes }), everything);
    expect(accepted.omissions).toEqual([]);
  });
});

describe('an agent whose model gets nothing but text', () => {
  const textOnly = { image: true, audio: false, embeddedContext: false, textOnly: true };

  it.each([
    ['a file', { ...whole, content: text }],
    ['some lines', { ...range, content: text }],
    ['a text without a file', { ...diagnostics, content: text }],
  ])('gets %s as text', (_, attachment) => {
    expect(blocksOf(aPrompt('@it', attachment), textOnly)).toEqual([
      { type: 'text', text: 'it' },
      { type: 'text', text: fenced(attachment.name) },
    ]);
  });

  it.each([
    ['a folder', '@src now', { ...whole, kind: 'folder' as const, name: 'src' }, 'src now'],
    ['a file that is too large', '@a.ts now', whole, 'a.ts now'],
    ['one that is mentioned otherwise', '@buffer:7 now', whole, 'buffer:7 (a.ts) now'],
    ['an address', '@url:x', { ...diagnostics, kind: 'link' as const, name: 'x' }, 'url:x'],
  ])('gets the name of %s', (_, written, attachment, sent) => {
    expect(blocksOf(aPrompt(written, attachment), textOnly)).toEqual([{ type: 'text', text: sent }]);
  });

  it('is said not to accept sounds', () => {
    const { blocks, omissions } = encodePrompt(aPrompt('@a.wav', { ...sound, content: bytes }), textOnly);
    expect(blocks).toEqual([{ type: 'text', text: 'a.wav' }]);
    expect(omissions).toEqual(['only the name of a.wav was sent: the agent accepts no sounds']);
  });

  it('gets pictures that it accepts', () => {
    const blocks = blocksOf(aPrompt('@it', { ...picture, content: bytes }), textOnly);
    expect(blocks.at(-1)).toMatchObject({ type: 'image' });
  });
});
