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

/** A prompt in which each `@` is the mention of the next attachment. */
function aPrompt(written: string, ...given: readonly Omit<Attachment, 'start' | 'end'>[]): Prompt {
  const positions = [...written.matchAll(/@/g)].map(({ index }) => index);
  const attachments = given.map((each, index) => ({
    ...each,
    start: positions[index]!,
    end: positions[index]! + 1,
  }));
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

  it('have the order in which the prompt was written', () => {
    const prompt = aPrompt('fix @ with @ now', { ...file, content: text }, { ...picture, content: bytes });
    expect(blocksOf(prompt)).toEqual([
      { type: 'text', text: 'fix ' },
      { type: 'resource', resource: { uri, text: 'lines', mimeType: 'text/plain' } },
      { type: 'text', text: ' with ' },
      { type: 'image', data: 'AAAA', mimeType: 'image/png', uri: 'file:///shot.png' },
      { type: 'text', text: ' now' },
    ]);
  });

  it('contain no text of blanks, which some models refuse', () => {
    const prompt = aPrompt('@ @\n', { ...file, content: text }, { ...picture, content: bytes });
    expect(blocksOf(prompt).map((block) => (block as { type: string }).type)).toEqual(['resource', 'image']);
  });

  it('have all attachments of one mention after each other', () => {
    const other = { ...file, uri: 'file:///b.ts', start: 0, end: 8, content: text };
    const prompt = { text: '@buffers!', attachments: [{ ...file, start: 0, end: 8, content: text }, other] };
    expect(blocksOf(prompt)).toMatchObject([{ type: 'resource' }, { type: 'resource' }, { text: '!' }]);
  });

  it('contain a text once, also if it is mentioned twice', () => {
    const prompt = aPrompt('@ and @', { ...file, content: text }, { ...file, content: text });
    expect(blocksOf(prompt)).toMatchObject([
      { type: 'resource' },
      { text: ' and ' },
      { type: 'resource_link', uri },
    ]);
  });
});

describe('an agent that accepts only text', () => {
  const nothing = { image: false, audio: false, embeddedContext: false };

  it.each([
    ['a file', { ...file, content: text }],
    ['a picture', { ...picture, content: bytes }],
    ['a sound', { ...sound, content: bytes }],
    ['a folder', { ...file, kind: 'folder' as const }],
  ])('gets a link to %s', (_, attachment) => {
    const { uri: address, name, mimeType, size } = attachment;
    expect(blocksOf(aPrompt('@', attachment), nothing)).toEqual([
      { type: 'resource_link', uri: address, name, mimeType, size },
    ]);
  });

  it('gets a text without a file as text, in a fence that it does not contain', () => {
    const content = { kind: 'text', text: '```\ncode\n```\n' } as const;
    expect(blocksOf(aPrompt('@', { ...diagnostics, content }), nothing)).toEqual([
      { type: 'text', text: 'diagnostics:\n````\n```\ncode\n```\n````\n' },
    ]);
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
