import { describe, expect, it } from 'vitest';
import { encodePrompt } from '../../../src/acp/encode/prompt.ts';
import { limits } from '../../../src/prompt/limits.ts';
import { findMentions } from '../../../src/prompt/mentions.ts';
import { resolvePrompt } from '../../../src/prompt/resolve.ts';
import { PromptSourcesDouble } from '../../support/doubles/prompt-sources.ts';
import { shortOrLong } from '../../support/long.ts';
import { fc } from '../../support/property.ts';

const runs = { numRuns: shortOrLong(300, 20_000) };

const pieces = fc.constantFrom(
  ...[
    '@',
    '@a.ts',
    '@a.ts:1-2',
    '@a.ts#L2',
    '@"my file":3',
    '@"',
    '"',
    '@missing.ts',
    '@large.txt',
    '@a.wav',
  ],
  ...['@selection', '@diagnostics:all', '@buffer', '@url:https://x.y/z', '@chat:"a b"', '@help:', '@folder'],
  ...[
    '`',
    '```',
    '~~~',
    '\n',
    ' ',
    '\t',
    '(',
    ')',
    '[',
    '.',
    ':',
    'me@b.c',
    '@Component(',
    '\u{1f600}',
    '\ud800',
    'é',
  ],
);
const text = fc
  .array(fc.oneof(pieces, fc.string({ maxLength: 6, unit: 'binary' })), { maxLength: 40 })
  .map((parts) => parts.join(''));

/** A sound; nothing looks at more than its beginning. */
function aSound(size: number): Uint8Array {
  const bytes = Buffer.alloc(size);
  bytes.write('RIFF', 0, 'latin1');
  bytes.write('WAVEfmt ', 8, 'latin1');
  return bytes;
}

const [small, large] = [aSound(64), aSound(limits.allMedia / 3)];

function someSources(sound = small): PromptSourcesDouble {
  const sources = new PromptSourcesDouble();
  sources.addText('/work/a.ts', 'one\ntwo\nthree\n');
  sources.addText('/work/my file', 'a\nb\nc\n');
  sources.addText('/work/large.txt', 'x'.repeat(limits.text - 7));
  sources.files['/work/a.wav'] = { kind: 'bytes', bytes: sound };
  sources.files['/work/folder'] = { kind: 'folder' };
  sources.editor.selection = { items: [{ path: '/work/a.ts', range: { first: 1, last: 2 } }] };
  sources.editor['diagnostics:all'] = {
    items: [{ name: 'diagnostics', text: 'd\n'.repeat(limits.text / 3) }],
  };
  sources.editor.buffer = { items: [{ path: '/work/a.ts', text: 'unsaved' }, { path: '/work/large.txt' }] };
  return sources;
}

const capabilities = fc.record({ image: fc.boolean(), audio: fc.boolean(), embeddedContext: fc.boolean() });
const withoutBlanks = (written: string) => written.replace(/\s+/g, '');

describe('any text', () => {
  it('has mentions that are in order, within the text, and begin with @', () => {
    fc.assert(
      fc.property(text, (written) => {
        let end = 0;
        for (const mention of findMentions(written)) {
          expect(mention.start).toBeGreaterThanOrEqual(end);
          expect(mention.end).toBeGreaterThan(mention.start + 1);
          expect(mention.end).toBeLessThanOrEqual(written.length);
          expect(written[mention.start]).toBe('@');
          end = mention.end;
        }
      }),
      runs,
    );
  });

  it('reaches the agent with every character but the @ of its attachments, in order', async () => {
    await fc.assert(
      fc.asyncProperty(text, capabilities, async (written, accepted) => {
        const { prompt } = await resolvePrompt(written, someSources());
        // Texts without a file may be sent as text too; they are told apart here.
        const attachments = prompt.attachments.map(
          (each) => ({ ...each, kind: 'link', content: undefined }) as const,
        );
        const { blocks } = encodePrompt({ ...prompt, attachments }, accepted);
        const sent = blocks.flatMap((block) => ('text' in block ? [String(block.text)] : [])).join('');
        let expected = '';
        let at = 0;
        for (const { start } of prompt.attachments) {
          if (start < at) continue;
          expected += written.slice(at, start);
          at = start + 1;
        }
        expect(withoutBlanks(sent)).toBe(withoutBlanks(expected + written.slice(at)));
      }),
      runs,
    );
  });

  it('attaches no more than the limits allow, and sends no block that was not accepted', async () => {
    await fc.assert(
      fc.asyncProperty(text, capabilities, async (written, accepted) => {
        const { prompt } = await resolvePrompt(written, someSources(large));
        const contents = prompt.attachments.flatMap(({ content }) => (content ? [content] : []));
        const texts = contents.flatMap((each) =>
          each.kind === 'text' ? [Buffer.byteLength(each.text)] : [],
        );
        const media = contents.flatMap((each) => (each.kind === 'bytes' ? [each.base64.length * 0.75] : []));
        const sum = (sizes: readonly number[]) => sizes.reduce((all, size) => all + size, 0);
        // The remark about what was cut has a few more characters.
        expect(sum(texts)).toBeLessThanOrEqual(limits.allText + 100 * texts.length);
        expect(sum(media)).toBeLessThanOrEqual(limits.allMedia + 3 * media.length);
        const types = encodePrompt(prompt, accepted).blocks.map((block) => (block as { type: string }).type);
        if (!accepted.audio) expect(types).not.toContain('audio');
        if (!accepted.embeddedContext) expect(types).not.toContain('resource');
      }),
      { numRuns: shortOrLong(60, 2_000) },
    );
  });
});
