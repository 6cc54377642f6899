import { describe, expect, it } from 'vitest';
import { limits } from '../../../src/prompt/limits.ts';
import { resolvePrompt } from '../../../src/prompt/resolve.ts';
import { PromptSourcesDouble } from '../../support/doubles/prompt-sources.ts';
import { aJpeg, aPng, aWav } from '../../support/pictures.ts';

function sourcesWith(files: Readonly<Record<string, string>> = {}) {
  const sources = new PromptSourcesDouble();
  for (const [path, text] of Object.entries(files)) sources.addText(path, text);
  return sources;
}

const names = (prompt: { readonly attachments: readonly { readonly name: string }[] }) =>
  prompt.attachments.map(({ name }) => name);

describe('a mention of a file', () => {
  it('attaches its text, with an absolute address that is percent-encoded', async () => {
    const sources = sourcesWith({ '/work/my file#1.ts': 'const a\n' });
    const { prompt, problems } = await resolvePrompt('see @"my file#1.ts"', sources);
    expect(prompt.attachments).toEqual([
      {
        kind: 'file',
        start: 4,
        end: 19,
        uri: 'file:///work/my%20file%231.ts',
        name: 'my file#1.ts',
        mimeType: 'text/plain',
        size: 8,
        range: undefined,
        content: { kind: 'text', text: 'const a\n' },
      },
    ]);
    expect(problems).toEqual([]);
  });

  it('attaches only the lines that it names', async () => {
    const sources = sourcesWith({ '/work/a.ts': 'one\ntwo\nthree\nfour\n' });
    const { prompt } = await resolvePrompt('@a.ts:2-3 and @a.ts:4', sources);
    expect(prompt.attachments).toMatchObject([
      { uri: 'file:///work/a.ts#L2-3', name: 'a.ts:2-3', content: { text: 'two\nthree\n' } },
      { uri: 'file:///work/a.ts#L4', name: 'a.ts:4', content: { text: 'four\n' } },
    ]);
  });

  it('says so if the file has fewer lines than it names', async () => {
    const { problems } = await resolvePrompt('@a.ts:7-9', sourcesWith({ '/work/a.ts': 'one\n' }));
    expect(problems).toEqual(['a.ts:7-9: the file has no such lines']);
  });

  it('stays as text if there is no such file, and says so', async () => {
    const { prompt, problems } = await resolvePrompt('see @src/none.ts', sourcesWith());
    expect(prompt.attachments).toEqual([]);
    expect(problems).toEqual(['@src/none.ts: there is no such file; sent as text']);
  });

  it('says nothing about a word that is no file', async () => {
    const { prompt, problems } = await resolvePrompt('ask @alice', sourcesWith());
    expect([prompt.attachments, problems]).toEqual([[], []]);
  });

  it('attaches a word that is a file', async () => {
    const { prompt } = await resolvePrompt('@Makefile', sourcesWith({ '/work/Makefile': 'all:\n' }));
    expect(names(prompt)).toEqual(['Makefile']);
  });

  it('outside of the folders of the session is attached and marked', async () => {
    const { prompt, problems } = await resolvePrompt('@/etc/hosts', sourcesWith({ '/etc/hosts': 'x' }));
    expect(prompt.attachments).toMatchObject([{ uri: 'file:///etc/hosts', content: { text: 'x' } }]);
    expect(problems).toEqual(['/etc/hosts is outside of the folders of this session']);
  });

  it('that is a link out of the folders of the session is attached and marked', async () => {
    const sources = sourcesWith();
    sources.files['/work/link'] = { kind: 'text', text: 'x', size: 1, leadsTo: '/etc/hosts' };
    const { prompt, problems } = await resolvePrompt('@link', sources);
    expect(prompt.attachments).toMatchObject([{ uri: 'file:///work/link', content: { text: 'x' } }]);
    expect(problems).toEqual(['link leads to /etc/hosts, outside of the folders of this session']);
  });

  it.each([true, undefined])('knows whether the text of a file is unsaved: %s', async (isUnsaved) => {
    const sources = new PromptSourcesDouble();
    sources.files['/work/a.ts'] = { kind: 'text', text: 'x', size: 1, ...(isUnsaved && { isUnsaved }) };
    const { prompt } = await resolvePrompt('fix @a.ts', sources);
    expect(prompt.attachments[0]?.isUnsaved).toBe(isUnsaved);
  });

  it('links a folder', async () => {
    const sources = sourcesWith();
    sources.files['/work/src'] = { kind: 'folder' };
    const { prompt } = await resolvePrompt('@src', sources);
    expect(prompt.attachments).toMatchObject([
      { kind: 'folder', uri: 'file:///work/src/', mimeType: 'inode/directory' },
    ]);
    expect(prompt.attachments[0]?.content).toBeUndefined();
  });

  it('links the root folder', async () => {
    const sources = sourcesWith();
    sources.files['/'] = { kind: 'folder' };
    const { prompt } = await resolvePrompt('@/', sources);
    expect(prompt.attachments).toMatchObject([{ kind: 'folder', uri: 'file:///' }]);
  });

  it.each([
    ['too large', { kind: 'large', size: 500 * 1024 * 1024 }, '500 MB is too much'],
    ['binary', { kind: 'binary', size: 9 }, 'it is not a text'],
  ] as const)('links a file that is %s, and says so', async (_, file, reason) => {
    const sources = sourcesWith();
    sources.files['/work/a.bin'] = file;
    const { prompt, problems } = await resolvePrompt('@a.bin', sources);
    expect(prompt.attachments).toMatchObject([{ kind: 'file', uri: 'file:///work/a.bin', size: file.size }]);
    expect(prompt.attachments[0]?.content).toBeUndefined();
    expect(problems).toEqual([`the content of a.bin was not sent: ${reason}`]);
  });

  it('without permission is not attached, and says why', async () => {
    const sources = sourcesWith();
    sources.files['/work/a.ts'] = { kind: 'unreadable', reason: "can't be opened: permission denied" };
    const { prompt, problems } = await resolvePrompt('@a.ts', sources);
    expect(prompt.attachments).toEqual([]);
    expect(problems).toEqual(["a.ts: can't be opened: permission denied"]);
  });

  it('attaches a picture as bytes, with its size', async () => {
    const sources = sourcesWith();
    const bytes = aPng(4, 3);
    sources.files['/work/shot.png'] = { kind: 'bytes', bytes };
    const { prompt, problems } = await resolvePrompt('@shot.png', sources);
    expect(prompt.attachments).toMatchObject([
      {
        kind: 'image',
        mimeType: 'image/png',
        size: bytes.length,
        pixels: { width: 4, height: 3 },
        content: { kind: 'bytes', base64: bytes.toString('base64') },
      },
    ]);
    expect(problems).toEqual([]);
  });

  it.each([
    ['a JPEG', aJpeg, { kind: 'image', mimeType: 'image/jpeg', pixels: { width: 5, height: 7 } }],
    ['a sound', aWav, { kind: 'audio', mimeType: 'audio/wav' }],
  ])(
    'that is %s with a name that says something else has the type of its content',
    async (_, bytes, facts) => {
      const sources = sourcesWith();
      sources.files['/work/shot.png'] = { kind: 'bytes', bytes };
      const { prompt } = await resolvePrompt('@shot.png', sources);
      expect(prompt.attachments).toMatchObject([{ ...facts, content: { kind: 'bytes' } }]);
    },
  );

  it.each([
    ['is damaged', aPng().subarray(0, 30), 'the picture is damaged or incomplete'],
    ['claims to be huge', aPng(1, 1, { width: 90_000, height: 90_000 }), '90000×90000 pixels are too many'],
  ])('of a picture that %s is linked', async (_, bytes, reason) => {
    const sources = sourcesWith();
    sources.files['/work/shot.png'] = { kind: 'bytes', bytes };
    const { prompt, problems } = await resolvePrompt('@shot.png', sources);
    expect(prompt.attachments).toHaveLength(1);
    expect(prompt.attachments[0]).not.toHaveProperty('content');
    expect(problems).toEqual([`the content of shot.png was not sent: ${reason}`]);
  });
});

describe('a mention by name', () => {
  it('asks Neovim once for all of them', async () => {
    const sources = sourcesWith({ '/work/a.ts': 'one\ntwo\n' });
    sources.editor.this = { items: [{ path: '/work/a.ts', range: { first: 2, last: 2 } }] };
    sources.editor['diagnostics:error'] = { items: [{ name: 'diagnostics of a.ts', text: 'a.ts:1: bad\n' }] };
    const { prompt } = await resolvePrompt('fix @diagnostics:error in @this', sources);
    expect(sources.asked).toHaveLength(1);
    expect(prompt.attachments).toMatchObject([
      { kind: 'text', name: 'diagnostics of a.ts', content: { text: 'a.ts:1: bad\n' } },
      { kind: 'file', name: 'a.ts:2', content: { text: 'two\n' } },
    ]);
  });

  it('keeps a copy of a text that no file has', async () => {
    const sources = sourcesWith();
    sources.editor.quickfix = { items: [{ name: 'quickfix list', text: 'a\n' }] };
    const { prompt } = await resolvePrompt('@quickfix', sources);
    expect(sources.copies).toEqual([['quickfix list', 'a\n']]);
    expect(prompt.attachments[0]?.copy).toBe('/copies/quickfix list');
  });

  it('may refer to several files', async () => {
    const sources = sourcesWith({ '/work/a.ts': 'a', '/work/b.ts': 'b' });
    sources.editor.buffers = { items: [{ path: '/work/a.ts' }, { path: '/work/b.ts' }] };
    const { prompt } = await resolvePrompt('@buffers', sources);
    expect(prompt.attachments.map(({ name, start, end }) => [name, start, end])).toEqual([
      ['a.ts', 0, 8],
      ['b.ts', 0, 8],
    ]);
  });

  it('says why there is nothing', async () => {
    const sources = sourcesWith();
    sources.editor.diagnostics = { items: [], problem: 'there are none' };
    const { prompt, problems } = await resolvePrompt('@diagnostics', sources);
    expect([prompt.attachments, problems]).toEqual([[], ['@diagnostics: there are none']]);
  });

  it('links an address and reads nothing', async () => {
    const sources = sourcesWith();
    sources.host['url:https://example.org'] = { items: [{ url: 'https://example.org' }] };
    const { prompt } = await resolvePrompt('@url:https://example.org', sources);
    expect(prompt.attachments).toMatchObject([{ kind: 'link', uri: 'https://example.org' }]);
    expect(sources.ranges).toEqual([]);
  });
});

describe('the limits', () => {
  it('of one text: a larger one is linked', async () => {
    const sources = sourcesWith({
      '/work/a.log': 'x'.repeat(limits.text + 1),
      '/work/b.log': 'x'.repeat(limits.text),
    });
    const { prompt, problems } = await resolvePrompt('@a.log @b.log', sources);
    expect(prompt.attachments.map(({ content }) => content !== undefined)).toEqual([false, true]);
    expect(problems).toEqual(['the content of a.log was not sent: it has more than 256 KB']);
  });

  it('of a prompt: what does not fit any more is linked', async () => {
    const files = Object.fromEntries(
      [1, 2, 3, 4, 5].map((id) => [`/work/${id}.md`, 'x'.repeat(limits.text)]),
    );
    const { prompt, problems } = await resolvePrompt('@1.md @2.md @3.md @4.md @5.md', sourcesWith(files));
    expect(prompt.attachments.map(({ content }) => content !== undefined)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(problems).toEqual(['the content of 5.md was not sent: the prompt would have more than 1 MB']);
  });

  it('of a text without a file: it is cut at a line, and its rest is counted', async () => {
    const sources = sourcesWith();
    sources.host.diff = { items: [{ name: 'diff', text: 'line\n'.repeat(100_000) }] };
    const { prompt, problems } = await resolvePrompt('@diff', sources);
    expect(prompt.attachments).toMatchObject([
      { content: { text: expect.stringMatching(/line\n… \(232 KB more\)\n$/) } },
    ]);
    expect(problems).toEqual(['diff was cut: 232 KB of it are not sent']);
  });

  it('of memory: only a few files are read in advance', async () => {
    const paths = Array.from({ length: 100 }, (_, id) => `${id}.md`);
    const sources = sourcesWith(Object.fromEntries(paths.map((name) => [`/work/${name}`, name])));
    let [reading, most] = [0, 0];
    const read = sources.readFile.bind(sources);
    sources.readFile = async (...args) => {
      reading += 1;
      most = Math.max(most, reading);
      await Promise.resolve();
      const source = await read(...args);
      reading -= 1;
      return source;
    };
    const { prompt } = await resolvePrompt(paths.map((name) => `@${name}`).join(' '), sources);
    expect(prompt.attachments.map(({ name }) => name)).toEqual(paths);
    expect(most).toBe(8);
  });

  it('of mentions: the rest stays as text', async () => {
    const { prompt, problems } = await resolvePrompt(
      '@a.ts '.repeat(10_000),
      sourcesWith({ '/work/a.ts': 'a' }),
    );
    expect(prompt.attachments).toHaveLength(1_000);
    expect(problems).toEqual(['only the first 1,000 of 10,000 mentions were attached']);
  });
});

describe('a text from Neovim or the host', () => {
  it('has no control characters and no carriage returns', async () => {
    const sources = sourcesWith();
    sources.editor['register:a'] = {
      items: [{ name: 'a\u001b', text: 'red \u001b[31m\r\n\u202eback\ttab\n' }],
    };
    const { prompt } = await resolvePrompt('@register:a', sources);
    expect(prompt.attachments).toMatchObject([
      { name: 'a\u241b', content: { text: 'red \u241b[31m\n\ufffdback\ttab\n' } },
    ]);
  });
});
