import { describe, expect, it } from 'vitest';
import { clipboardTools, decodeOutput } from '../../../src/clipboard/clipboard-tools.ts';
import { aPng } from '../../support/pictures.ts';

const wayland = { WAYLAND_DISPLAY: 'wayland-0' };
const x11 = { DISPLAY: ':0' };
const wsl = { WSL_DISTRO_NAME: 'Debian' };

describe('the programs that read the clipboard', () => {
  it.each([
    ['linux', wayland, ['wl-paste'], 'install wl-clipboard'],
    ['linux', x11, ['xclip'], 'install xclip'],
    ['linux', { ...wayland, ...x11 }, ['wl-paste', 'xclip'], 'install wl-clipboard or xclip'],
    ['linux', { ...wsl, ...wayland }, ['powershell.exe', 'wl-paste'], 'install wl-clipboard'],
    ['linux', { WSL_INTEROP: '/run/1' }, ['powershell.exe'], 'put powershell.exe on PATH'],
    ['linux', { WAYLAND_DISPLAY: '', DISPLAY: '' }, [], 'put powershell.exe on PATH'],
    ['freebsd', x11, ['xclip'], 'install xclip'],
    ['darwin', {}, ['pngpaste', 'osascript'], 'install pngpaste'],
    ['win32', {}, ['powershell.exe'], 'put powershell.exe on PATH'],
  ] as const)('on %s with %j are %j', (platform, env, programs, advice) => {
    const found = clipboardTools(platform, env);
    expect(found.tools.map(({ program }) => program)).toEqual(programs);
    expect(found.advice).toBe(advice);
  });

  it.each([
    ['linux', wayland, ['--no-newline', '--type', 'image/png']],
    ['linux', x11, ['-selection', 'clipboard', '-t', 'image/png', '-o']],
    ['darwin', {}, ['-']],
  ] as const)('on %s with %j get the type as an argument of its own', (platform, env, args) => {
    expect(clipboardTools(platform, env).tools[0]!.readPicture('image/png')).toEqual(args);
  });

  it('get no part of their script from outside', () => {
    const [tool] = clipboardTools('win32', {}).tools;
    expect(tool!.readPicture('"; evil')).toEqual(tool!.readPicture('image/png'));
  });
});

describe('the output of such a program', () => {
  const png = aPng();

  it.each([
    ['bytes', png],
    ['base64', Buffer.from(`${png.toString('base64')}\r\n`)],
    ['applescript', Buffer.from(`«data PNGf${png.toString('hex').toUpperCase()}»\n`)],
  ] as const)('as %s is decoded', (encoding, output) => {
    expect(decodeOutput(output, encoding)).toEqual(png);
  });

  it.each(['base64', 'applescript'] as const)('that is no %s is none', (encoding) => {
    expect(decodeOutput(Buffer.from('Error: nothing'), encoding)).toBeUndefined();
  });
});
