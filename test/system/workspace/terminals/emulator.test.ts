import { describe, expect, it, vi } from 'vitest';
import { Emulator } from '../../../../src/workspace/terminals/emulator.ts';
import { cpuTime } from '../../../support/cpu-time.ts';

const most = 2_147_483_647;
const finals = Array.from({ length: 0x7f - 0x40 }, (_, index) => String.fromCharCode(0x40 + index));
const between = ['', ' ', '!', '"', '#', '$', "'", '*'];

async function anEmulator(): Promise<Emulator> {
  return Emulator.open({ columns: 20, rows: 5 }, () => undefined);
}

async function shownAfter(...texts: readonly string[]): Promise<string> {
  const emulator = await anEmulator();
  for (const text of texts) await emulator.write(text);
  return emulator.last(10_000);
}

async function timeFor(...texts: readonly string[]): Promise<number> {
  const emulator = await anEmulator();
  const start = cpuTime();
  for (const text of texts) await emulator.write(text);
  return cpuTime() - start;
}

describe('the largest count in an escape sequence', () => {
  it.each(finals)('does not hang the emulator in a sequence that ends in %s', async (final) => {
    const sequences = between.flatMap((middle) =>
      ['', '?', '>', '='].map((start) => `\x1b[${start}${most};${most}${middle}${final}`),
    );
    expect(await timeFor('a', ...sequences)).toBeLessThan(2_000);
  });

  it.each([
    ['its bytes come one by one', [...`a\x1b[${most}S`]],
    ['a newline stands in the middle of it', [`a\x1b[21474\n83647S`]],
    ['the sequence begins with one character', [`a\x9b${most}S`]],
    ['another sequence was broken off before it', [`a\x1b]0;title\x1b[${most}S`]],
  ])('does not hang the emulator when %s', async (_, texts) => {
    expect(await timeFor(...texts)).toBeLessThan(2_000);
  });

  it('does not multiply a cell with many accents', async () => {
    const cell = `a${'\u0301'.repeat(4_000)}`;
    expect(await timeFor(cell, `\x1b[${most}b`.repeat(1_000))).toBeLessThan(2_000);
  });
});

describe('a count in an escape sequence', () => {
  it.each([
    ['repeats a character', 'a\x1b[3b', 'aaaa'],
    ['repeats a character with its accent', 'e\u0301\x1b[2b', 'e\u0301e\u0301e\u0301'],
    ['deletes lines', 'one\r\ntwo\r\nthree\x1b[H\x1b[2M', 'three'],
    ['beyond the screen deletes all lines of it', 'one\r\ntwo\x1b[H\x1b[999M', ''],
    ['beyond the screen moves the cursor to its edge', '\x1b[999Cx', '\t\t   x'],
  ])('%s', async (_, text, expected) => {
    expect(await shownAfter(text)).toBe(expected);
  });
});

describe('output with expensive sequences', () => {
  it('lets other work run while it is parsed', async () => {
    const emulator = await anEmulator();
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    await emulator.write('\x1bc'.repeat(8 * 1024));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  });

  it('keeps characters whole that are split between two slices', async () => {
    const text = '😀'.repeat(600);
    expect((await shownAfter(`x${text}`)).replaceAll('\n', '')).toBe(`x${text}`);
  });
});

describe('a hyperlink in terminal output', () => {
  it('is shown as its text', async () => {
    expect(await shownAfter('\x1b]8;;https://example.org\x1b\\a link\x1b]8;;\x1b\\.')).toBe('a link.');
  });
});

it('Emulator prints nothing about sequences that can not be parsed', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  await shownAfter('\x1b[1\u{1f469}'.repeat(3));
  expect(printed).not.toHaveBeenCalled();
  printed.mockRestore();
});

it('a repaint has no sequence with more parameters than Neovim has room for', async () => {
  const emulator = await anEmulator();
  await emulator.write('\x1b[1;2;3;4;5;7;8;9;53m\x1b[38;2;1;2;3m\x1b[48;2;4;5;6mall\x1b[0m');
  const painted = emulator.repaint(true);
  const counts = [...painted.matchAll(/\x1b\[([\d;]*)m/g)].map(
    ([, parameters]) => parameters!.split(';').length,
  );
  expect(Math.max(...counts)).toBeLessThanOrEqual(16);
  const again = await anEmulator();
  await again.write(painted);
  expect(again.repaint(true)).toBe(painted);
});
