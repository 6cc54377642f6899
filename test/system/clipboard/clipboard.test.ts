import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readClipboardPicture } from '../../../src/clipboard/clipboard.ts';
import { OrphanGuard } from '../../../src/system/orphan-guard.ts';
import { aPng } from '../../support/pictures.ts';
import { ClipboardPrograms, hasXclip, startXvfb } from '../../support/system/clipboard.ts';
import { isAlive } from '../../support/system/processes.ts';
import { isMet } from '../../support/system/requirements.ts';
import { aFolder } from '../../support/system/temp.ts';
import { waitFor } from '../../support/wait.ts';

const png = aPng(12, 8);

interface Setup {
  readonly platform?: NodeJS.Platform;
  readonly env?: NodeJS.ProcessEnv;
  readonly deadlineMs?: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

function aClipboard({
  platform = 'linux',
  env = { WAYLAND_DISPLAY: 'wayland-0' },
  signal,
  ...limits
}: Setup = {}) {
  const programs = new ClipboardPrograms(path.join(aFolder(), 'bin'));
  const orphanGuard = new OrphanGuard();
  onTestFinished(() => orphanGuard.dispose());
  const read = () =>
    readClipboardPicture(
      {
        ...{ orphanGuard, platform, deadlineMs: 5_000, maxBytes: 1024 * 1024, ...limits },
        env: { PATH: programs.searchPath, ...env },
      },
      signal ?? new AbortController().signal,
    );
  return { programs, read };
}

describe('a picture in the clipboard', () => {
  it('is read with wl-paste, byte by byte', async () => {
    const { programs, read } = aClipboard();
    programs.addPicture(png);
    expect(await read()).toMatchObject({ bytes: png, type: { mimeType: 'image/png' } });
    expect(programs.calls('wl-paste')).toEqual(['--list-types', '--no-newline --type image/png']);
  });

  it('is read with xclip under X11, and if wl-paste is not installed', async () => {
    const { programs, read } = aClipboard({ env: { WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0' } });
    const base64 = png.toString('base64');
    programs.add(
      'xclip',
      `case "$*" in *TARGETS*) echo TARGETS; echo image/png;; *) echo ${base64} | base64 -d;; esac`,
    );
    expect(await read()).toMatchObject({ bytes: png });
    expect(programs.calls('xclip')[1]).toBe('-selection clipboard -t image/png -o');
  });

  it('is read with pngpaste on macOS', async () => {
    const { programs, read } = aClipboard({ platform: 'darwin', env: {} });
    programs.add('pngpaste', `echo ${png.toString('base64')} | base64 -d`);
    expect(await read()).toMatchObject({ bytes: png });
    expect(programs.calls('pngpaste')).toEqual(['-']);
  });

  it('is read with osascript on macOS without pngpaste', async () => {
    const { programs, read } = aClipboard({ platform: 'darwin', env: {} });
    programs.add('osascript', `printf '«data PNGf${png.toString('hex')}»\\n'`);
    expect(await read()).toMatchObject({ bytes: png });
  });

  it('is read with PowerShell in WSL', async () => {
    const { programs, read } = aClipboard({
      env: { WSL_DISTRO_NAME: 'Debian', WAYLAND_DISPLAY: 'wayland-0' },
    });
    programs.add('powershell.exe', `echo ${png.toString('base64')}`);
    expect(await read()).toMatchObject({ bytes: png });
    expect(programs.calls('powershell.exe')[0]).toContain('-NonInteractive');
  });
});

describe('a clipboard without a picture that can be used', () => {
  it.each([
    [
      'has a text',
      `echo text/plain`,
      'the clipboard has a text, not a picture; copy a picture, or mention a file: @shot.png',
    ],
    [
      'has nothing',
      `echo 'Nothing is copied' >&2; exit 1`,
      'the clipboard has no picture; copy one, or mention a file: @shot.png',
    ],
    [
      'has a picture of another kind',
      `echo image/tiff`,
      'the picture in the clipboard is image/tiff, which is not supported; copy it as PNG',
    ],
    [
      'cannot be reached',
      `echo 'Failed to connect' >&2; exit 1`,
      'wl-paste failed (Failed to connect); copy the picture again, or mention a file: @shot.png',
    ],
    [
      'has a text that is called a picture',
      `echo image/png`,
      'wl-paste printed something that is no picture; copy the picture again, or mention a file: @shot.png',
    ],
  ])('that %s is a problem with a name', async (_, script, problem) => {
    const { programs, read } = aClipboard();
    programs.add('wl-paste', script);
    expect(await read()).toEqual({ problem });
  });

  it('because no program is installed says what to install', async () => {
    const { read } = aClipboard();
    expect(await read()).toEqual({
      problem:
        'the clipboard could not be read: wl-paste not found; install wl-clipboard, or mention a file: @shot.png',
    });
  });

  it('because there is no display says so', async () => {
    const { read } = aClipboard({ env: {} });
    expect(await read()).toMatchObject({
      problem: expect.stringContaining('neither WAYLAND_DISPLAY nor DISPLAY'),
    });
  });

  it.each([
    ['PowerShell', 'linux', { WSL_INTEROP: '1' }, 'powershell.exe', 'exit 3'],
    [
      'osascript',
      'darwin',
      {},
      'osascript',
      `echo "execution error: Can't make some data into the expected type. (-1700)" >&2; exit 1`,
    ],
  ] as const)('is told by the exit of %s', async (_, platform, env, program, script) => {
    const { programs, read } = aClipboard({ platform, env });
    programs.add(program, script);
    expect(await read()).toMatchObject({ problem: expect.stringContaining('the clipboard has no picture') });
  });

  it.each([
    [
      'PowerShell with a reason',
      'linux',
      { WSL_INTEROP: '1' },
      'powershell.exe',
      'echo no access >&2; exit 3',
      'no access',
    ],
    [
      'osascript with a reason',
      'darwin',
      {},
      'osascript',
      'echo "not allowed (-1743)" >&2; exit 1',
      'not allowed (-1743)',
    ],
    ['wl-paste without one', 'linux', { WAYLAND_DISPLAY: 'wayland-0' }, 'wl-paste', 'exit 3', 'exit code 3'],
    ['xclip without one', 'linux', { DISPLAY: ':0' }, 'xclip', 'exit 4', 'exit code 4'],
  ] as const)('is named after a failure of %s', async (_, platform, env, program, script, reason) => {
    const { programs, read } = aClipboard({ platform, env });
    programs.add(program, script);
    expect(await read()).toEqual({
      problem: `${program} failed (${reason}); copy the picture again, or mention a file: @shot.png`,
    });
  });

  it('because the picture is too large says how large it may be', async () => {
    const { programs, read } = aClipboard({ maxBytes: 2048 });
    programs.add('wl-paste', `if [ "$1" = --list-types ]; then echo image/png; else cat /dev/zero; fi`);
    expect(await read()).toMatchObject({ problem: expect.stringContaining('larger than 2 KB') });
  });

  it('because the picture is cut says that it is damaged', async () => {
    const { programs, read } = aClipboard();
    programs.addPicture(png.subarray(0, 40));
    expect(await read()).toEqual({
      problem: "the picture in the clipboard can't be used: the picture is damaged or incomplete",
    });
  });
});

describe('a program that hangs', () => {
  const hang = `sleep 1000 & echo $! > "$0.pid"; mv "$0.pid" "$0.child"; wait`;

  it('is ended with its children after the deadline', async () => {
    const { programs, read } = aClipboard({ deadlineMs: 300 });
    programs.add('wl-paste', hang);
    expect(await read()).toMatchObject({
      problem: expect.stringContaining('wl-paste did not answer within 0.3 s'),
    });
    expect(isRunning(programs)).toBe(false);
  });

  it('is ended when the host ends, without a message', async () => {
    const ending = new AbortController();
    const { programs, read } = aClipboard({ signal: ending.signal });
    programs.add('wl-paste', hang);
    const reading = read();
    await waitFor(() => fs.existsSync(path.join(programs.folder, 'wl-paste.child')), {
      describe: () => 'the program to run',
    });
    ending.abort();
    expect(await reading).toEqual({ problem: undefined });
    expect(isRunning(programs)).toBe(false);
  });
});

/** Whether the child of the program is still there. */
function isRunning({ folder }: ClipboardPrograms): boolean {
  const pid = Number(fs.readFileSync(path.join(folder, 'wl-paste.child'), 'utf8'));
  expect(pid).toBeGreaterThan(0);
  return isAlive(pid);
}

/** Copies something as another program does: xclip stays until it is ended. */
async function copy(display: string, bytes: Buffer, type: string): Promise<{ end(): Promise<void> }> {
  const env = { ...process.env, DISPLAY: display };
  const owner = spawn('xclip', ['-quiet', '-selection', 'clipboard', '-t', type, '-i'], { env });
  owner.stdin.end(bytes);
  const types = () =>
    spawnSync('xclip', ['-selection', 'clipboard', '-t', 'TARGETS', '-o'], { env }).stdout.toString();
  await waitFor(() => types().includes(type), { describe: () => `the clipboard to have ${type}` });
  const ended = new Promise<void>((resolve) => owner.once('exit', () => resolve()));
  return {
    end: () => {
      owner.kill();
      return ended;
    },
  };
}

const isXclipHere = isMet(hasXclip, 'Xvfb and xclip, for the clipboard of X11');

describe.skipIf(!isXclipHere)('the clipboard of a real X server', () => {
  it('gives the picture that a program has copied, and says if it has a text', async () => {
    const server = await startXvfb();
    onTestFinished(() => server.end());
    const { read } = aClipboard({ env: { DISPLAY: server.display, PATH: process.env.PATH } });
    expect(await read()).toMatchObject({ problem: expect.stringContaining('no picture') });
    const owner = await copy(server.display, png, 'image/png');
    expect(await read()).toMatchObject({ bytes: png });
    await owner.end();
    const other = await copy(server.display, Buffer.from('words'), 'UTF8_STRING');
    expect(await read()).toMatchObject({ problem: expect.stringContaining('has a text') });
    await other.end();
  });
});
