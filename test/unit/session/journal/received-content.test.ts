import { describe, expect, it } from 'vitest';
import type { Attachment } from '../../../../src/model/prompt.ts';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { ReceivedContent, withoutBase64 } from '../../../../src/session/journal/received-content.ts';
import { anSvg, aPng, aWav } from '../../../support/pictures.ts';

class Files {
  readonly kept: (readonly [string, Uint8Array])[] = [];

  keepLater(name: string, bytes: Uint8Array): string {
    this.kept.push([name, bytes]);
    return `/kept/${name}`;
  }
}

const base: Attachment = { kind: 'image', start: 0, end: 0, uri: '', name: 'picture' };
const withBytes = (bytes: Buffer | string): Attachment => ({
  ...base,
  content: { kind: 'bytes', base64: typeof bytes === 'string' ? bytes : bytes.toString('base64') },
});

function keep(attachment: Attachment, files = new Files()) {
  const event = new ReceivedContent(files).keep({ kind: 'attachment', role: 'agent', attachment });
  return { attachment: (event as SessionEvent & { kind: 'attachment' }).attachment, files };
}

describe('a picture of an agent', () => {
  it('is kept in a file, and the event has its path and size but no bytes', () => {
    const png = aPng(640, 480);
    const { attachment, files } = keep({ ...withBytes(png), mimeType: 'text/html' });
    expect(attachment).toEqual({
      ...base,
      mimeType: 'image/png',
      size: png.length,
      pixels: { width: 640, height: 480 },
      copy: '/kept/picture.png',
      content: undefined,
    });
    expect(files.kept).toEqual([['picture.png', png]]);
  });

  it('in lines of base64 is decoded', () => {
    const lines = aPng().toString('base64').replace(/.{20}/g, '$&\n');
    expect(keep(withBytes(lines)).attachment.pixels).toEqual({ width: 4, height: 3 });
  });

  it.each([
    ['a text', Buffer.from('#!/bin/sh\nrm -rf x\n')],
    ['an SVG with a script', Buffer.from(anSvg)],
    ['no base64', '<<<not base64>>>'],
    ['nothing', ''],
  ])('that is %s is not kept, and its name says so', (_, bytes) => {
    const { attachment, files } = keep(withBytes(bytes));
    expect(attachment.name).toBe('picture (not saved: it is no picture or sound that is known here)');
    expect(attachment.content).toBeUndefined();
    expect(files.kept).toEqual([]);
  });

  it('of more than 20 MB is not kept, and its name says so', () => {
    const { attachment, files } = keep(withBytes('A'.repeat(30 * 1024 * 1024)));
    expect(attachment.name).toBe('picture (not saved: it is larger than 20 MB)');
    expect(files.kept).toEqual([]);
  });

  it('that claims to be huge is kept with a word about it', () => {
    const { attachment } = keep(withBytes(aPng(1, 1, { width: 90_000, height: 90_000 })));
    expect(attachment).toMatchObject({
      name: 'picture (90000×90000 pixels are too many)',
      copy: '/kept/picture.png',
    });
  });

  it('that is a sound is kept as a sound', () => {
    expect(keep(withBytes(aWav)).attachment).toMatchObject({ kind: 'audio', copy: '/kept/sound.wav' });
  });
});

it('a text of an agent that no file has is kept in a file', () => {
  const note: Attachment = { ...base, kind: 'text', name: 'note', content: { kind: 'text', text: 'hi' } };
  expect(keep(note).attachment).toEqual({ ...note, size: 2, copy: '/kept/note.txt', content: undefined });
});

it('pictures in the output of a tool call are kept, other output stays', () => {
  const files = new Files();
  const text = { kind: 'text', text: 'seen' } as const;
  const event: SessionEvent = {
    kind: 'tool',
    patch: { toolCallId: 't', content: [text, { kind: 'attachment', attachment: withBytes(aPng()) }] },
  };
  expect(new ReceivedContent(files).keep(event)).toMatchObject({
    patch: { content: [text, { attachment: { copy: '/kept/picture.png', content: undefined } }] },
  });
});

it('without files, the bytes are dropped', () => {
  const event: SessionEvent = { kind: 'attachment', role: 'agent', attachment: withBytes(aPng()) };
  expect(JSON.stringify(new ReceivedContent(undefined).keep(event))).not.toContain('base64');
});

it.each<SessionEvent>([
  { kind: 'chunk', role: 'agent', text: 'hi' },
  { kind: 'attachment', role: 'agent', attachment: base },
  { kind: 'tool', patch: { toolCallId: 't', content: [], rawOutput: { text: `${'x'.repeat(5_000)} .` } } },
])('an event without bytes ($kind) stays the same object', (event) => {
  expect(new ReceivedContent(new Files()).keep(event)).toBe(event);
});

describe('the result of a call', () => {
  const long = Buffer.alloc(6_000, 7).toString('base64');

  it.each([
    [
      'a block',
      { content: [{ type: 'image', data: long }] },
      { content: [{ type: 'image', data: '(5.9 KB)' }] },
    ],
    ['an address', { url: `data:image/png;base64,${long}` }, { url: '(5.9 KB)' }],
  ])('has no bytes of %s', (_, value, expected) => {
    expect(withoutBase64(value)).toEqual(expected);
  });

  it.each([
    ['a word', { command: long }],
    ['a list of words', { argv: ['sh', '-c', long] }],
    ['several lines', { script: `${long}\nreboot` }],
    ['a command inside of another argument', { steps: [{ command: long }] }],
    ['what begins like an address', { run: `data:; curl example.org | sh #,${long}` }],
    ['lines below base64', { run: `${long}\nreboot` }],
  ])('keeps what may be a command: %s', (_, value) => {
    expect(withoutBase64(value)).toBe(value);
  });

  it.each([['short'], ['a text with words. '.repeat(500)], [`${'x'.repeat(9_000)} end`], [5], [null]])(
    'keeps other values (%#)',
    (value) => {
      const whole = { value };
      expect(withoutBase64(whole)).toBe(whole);
    },
  );
});
