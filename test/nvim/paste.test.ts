import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { converse, promptText, startChat, transcript } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { NvimOptions, TestNvim } from '../support/nvim/nvim.ts';
import { repoRoot } from '../support/nvim/nvim-process.ts';
import { aPng } from '../support/pictures.ts';
import { ClipboardPrograms } from '../support/system/clipboard.ts';

type Start = (options?: NvimOptions) => Promise<TestNvim>;

const program = path.join(repoRoot, 'test/fixtures/agents/pictures.mjs');
const config = `{ agents = { pictures = { command = { 'node', ${JSON.stringify(program)}, 'image' } } } }`;
const png = aPng(64, 48);
const mention = /@picture:\d{4}-\d\d-\d\d-\d{6}(-\d+)?\.png/;

/** A chat on a system with Wayland, whose clipboard programs are stand-ins. The host runs in this process. */
async function startWithClipboard(
  start: Start,
  fill: (programs: ClipboardPrograms) => void,
): Promise<TestNvim> {
  const nvim = await startChat(start, { columns: 160, agent: 'pictures', config });
  const programs = new ClipboardPrograms(path.join(nvim.sandbox.root, 'bin'));
  fill(programs);
  setEnvironment({
    PATH: `${programs.searchPath}`,
    WAYLAND_DISPLAY: 'wayland-0',
    DISPLAY: '',
    WSL_DISTRO_NAME: '',
    WSL_INTEROP: '',
  });
  return nvim;
}

function setEnvironment(env: Readonly<Record<string, string>>): void {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  onTestFinished(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
}

const withPicture = (programs: ClipboardPrograms) => programs.addPicture(png);
const hasMention = async (nvim: TestNvim) => mention.test(await promptText(nvim));

describe('the picture in the clipboard', () => {
  it('becomes a mention at the cursor with the key in Insert mode, and u takes it away', async ({
    start,
  }) => {
    const nvim = await startWithClipboard(start, withPicture);
    await nvim.input('ilook at<M-v>');
    await nvim.waitFor(() => hasMention(nvim), 'the mention');
    await nvim.input('please<Esc>');
    const text = await promptText(nvim);
    expect(text.replace(mention, 'PICTURE')).toBe('look at PICTURE please');
    await nvim.input('u');
    expect(await promptText(nvim)).toBe('look at');
  });

  it('becomes a mention with the key in Normal mode', async ({ start }) => {
    const nvim = await startWithClipboard(start, withPicture);
    await nvim.input('ione two<Esc>0e<M-v>');
    await nvim.waitFor(() => hasMention(nvim), 'the mention');
    expect((await promptText(nvim)).replace(mention, 'PICTURE')).toBe('one PICTURE two');
  });

  it('becomes a mention with :AcpPaste from another window, and is sent', async ({ start }) => {
    const nvim = await startWithClipboard(start, withPicture);
    await nvim.command('topleft new');
    await nvim.command('AcpPaste');
    await nvim.waitFor(() => hasMention(nvim), 'the mention');
    const text = (await promptText(nvim)).trim();
    await converse(nvim, `look at ${text}`);
    const lines = await transcript(nvim);
    expect(lines.find((line) => line.includes('▣'))).toMatch(/^ {2}▣ \d{4}-\d\d-\d\d-\d{6}\.png 64×48$/);
    expect(lines.find((line) => line.includes('Received'))).toBe(
      `Received: image image/png ${png.length} bytes file:`,
    );
    expect(lines.filter((line) => line.includes('outside'))).toEqual([]);
  });

  it('is kept in a private file', async ({ start }) => {
    const nvim = await startWithClipboard(start, withPicture);
    await nvim.command('AcpPaste');
    await nvim.waitFor(() => hasMention(nvim), 'the mention');
    const folder = path.join(nvim.sandbox.env.XDG_STATE_HOME!, 'nvim/acp/pictures');
    const [name] = fs.readdirSync(folder);
    const file = path.join(folder, name!);
    expect(fs.readFileSync(file)).toEqual(png);
    expect([fs.statSync(file).mode & 0o777, fs.statSync(folder).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it('may be pasted twice within a second', async ({ start }) => {
    const nvim = await startWithClipboard(start, withPicture);
    await nvim.command('AcpPaste');
    await nvim.waitFor(() => hasMention(nvim), 'the mention');
    await nvim.command('AcpPaste');
    await nvim.waitFor(async () => (await promptText(nvim)).trim().split(' ').length === 2, 'two mentions');
    const [one, two] = (await promptText(nvim)).trim().split(' ');
    expect(one).not.toBe(two);
  });
});

describe('a clipboard without a picture', () => {
  it('is named in a message, and the prompt stays as it is', async ({ start }) => {
    const nvim = await startWithClipboard(start, (programs) => programs.add('wl-paste', 'echo text/plain'));
    await nvim.command('AcpPaste');
    await nvim.waitForScreen('the clipboard has a text, not a picture');
    expect(await promptText(nvim)).toBe('');
  });

  it('is named below the text in Insert mode', async ({ start }) => {
    const nvim = await startWithClipboard(start, (programs) => programs.add('wl-paste', 'echo text/plain'));
    await nvim.input('ilook<M-v>');
    await nvim.waitForScreen(/› look\s*\n.*the clipboard has a text, not a picture/);
    await nvim.input('<Esc>');
    await nvim.waitForScreen((screen) => !screen.includes('the clipboard has'));
    expect(await promptText(nvim)).toBe('look');
  });
});

describe('a mention of a picture', () => {
  it.for(['gone.png', '../../secret.png'])(
    'that does not exist (%s) stays as text, and the chat says so',
    async (name, { start }) => {
      const nvim = await startChat(start, { columns: 160, agent: 'pictures', config });
      await converse(nvim, `look at @picture:${name}`);
      const lines = await transcript(nvim);
      expect(lines.find((line) => line.includes('no such picture'))).toContain(`@picture:${name}`);
      expect(lines).toContain('Received: text');
    },
  );
});
