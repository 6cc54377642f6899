import { describe, expect, it } from 'vitest';
import { drawScreen } from '../../../scripts/screenshot/draw.ts';
import type { LineCell } from '../../support/nvim/grid.ts';
import { type RedrawEvent, Screen } from '../../support/nvim/screen.ts';
import { maskChanging, screenSnapshot } from '../../support/nvim/snapshot.ts';

const flush: RedrawEvent = ['flush', []];

function aScreen(width: number, height: number, ...events: RedrawEvent[]): Screen {
  const screen = new Screen();
  screen.redraw([['grid_resize', [1, width, height]], ...events, flush]);
  return screen;
}

function line(row: number, col: number, cells: LineCell[]): RedrawEvent {
  return ['grid_line', [1, row, col, cells, false]];
}

function rows(...texts: string[]): RedrawEvent[] {
  return texts.map((text, row) =>
    line(
      row,
      0,
      [...text].map((character): LineCell => [character, 0]),
    ),
  );
}

describe('the text of a line', () => {
  it.each<[string, LineCell[], string]>([
    ['one cell after the other', [['a', 0], ['b']], '.ab..'],
    ['a repeated cell', [['x', 0, 3]], '.xxx.'],
    ['a repeated cell before another', [['x', 0, 2], ['y']], '.xxy.'],
    ['a double-width character with its empty half', [['世', 0], [''], ['!']], '.世!.'],
    ['a character of several code points', [['e\u0301', 0]], '.e\u0301...'],
    ['blanks over old text', [[' ', 0, 4]], '.'],
  ])('%s', (_, cells, expected) => {
    const screen = aScreen(5, 1, ...rows('.....'), line(0, 1, cells));
    expect(screen.text()).toBe(expected);
  });
});

describe('the highlights of a line', () => {
  const colors: RedrawEvent[] = [
    ['default_colors_set', [0xeeeeee, 0x111111, 0xff0000, 0, 0]],
    [
      'hl_attr_define',
      [1, { foreground: 0x00ff00, bold: true }, {}, []],
      [2, { reverse: true, italic: true }, {}, []],
    ],
    [
      'hl_attr_define',
      [3, { undercurl: true, special: 0x0000ff }, {}, []],
      [4, { underdashed: true }, {}, []],
    ],
  ];
  const screen = aScreen(
    8,
    1,
    ...colors,
    line(0, 0, [['a', 1], ['b'], ['c', 2, 2], ['d', 0], ['e', 3], ['f', 4]]),
  );

  it.each<[string, number, object]>([
    ['its own id', 0, { text: 'a', fg: '#00ff00', bg: '#111111', bold: true }],
    ['the id of the cell before', 1, { text: 'b', fg: '#00ff00', bold: true }],
    ['reverse swaps the default colours', 2, { fg: '#111111', bg: '#eeeeee', reverse: true, italic: true }],
    ['a repeated cell', 3, { text: 'c', reverse: true }],
    ['id 0 is the default', 4, { text: 'd', fg: '#eeeeee', bg: '#111111', bold: false, reverse: false }],
    ['undercurl has a colour of its own', 5, { undercurl: true, underline: false, special: '#0000ff' }],
    [
      'every straight line below is an underline',
      6,
      { underline: true, undercurl: false, special: '#eeeeee' },
    ],
    ['what was never written', 7, { text: ' ', fg: '#eeeeee' }],
  ])('%s', (_, col, expected) => expect(screen.cell(0, col)).toMatchObject(expected));

  it('follow a change of the default colours', () => {
    const dark = aScreen(1, 1, ...colors, ...rows('x'));
    dark.redraw([['default_colors_set', [0x222222, -1, -1, 0, 0]], flush]);
    expect(dark.cell(0, 0)).toMatchObject({ fg: '#222222', bg: '#111111' });
  });
});

describe('the grid', () => {
  const whole = [0, 4, 0, 4];
  it.each<[string, RedrawEvent, string[]]>([
    ['scrolls up', ['grid_scroll', [1, ...whole, 1, 0]], ['bbbb', 'cccc', 'dddd', 'dddd']],
    ['scrolls down', ['grid_scroll', [1, ...whole, -2, 0]], ['aaaa', 'bbbb', 'aaaa', 'bbbb']],
    ['scrolls some rows', ['grid_scroll', [1, 1, 3, 0, 4, 1, 0]], ['aaaa', 'cccc', 'cccc', 'dddd']],
    ['scrolls some columns', ['grid_scroll', [1, 0, 4, 1, 3, 1, 0]], ['abba', 'bccb', 'cddc', 'dddd']],
    ['is cleared', ['grid_clear', [1]], ['', '', '', '']],
    ['shrinks', ['grid_resize', [1, 2, 3]], ['aa', 'bb', 'cc']],
    ['grows', ['grid_resize', [1, 5, 5]], ['aaaa', 'bbbb', 'cccc', 'dddd', '']],
    [
      'lets an event pass that it does not know',
      ['win_viewport', [1, 1000]],
      ['aaaa', 'bbbb', 'cccc', 'dddd'],
    ],
  ])('%s', (_, event, expected) => {
    const screen = aScreen(4, 4, ...rows('aaaa', 'bbbb', 'cccc', 'dddd'), event);
    expect(screen.lines()).toEqual(expected);
  });
});

describe('the cursor and the mode', () => {
  it('come from their events', () => {
    const modes = [{ cursor_shape: 'block' }, { cursor_shape: 'vertical' }];
    const screen = aScreen(4, 2, ['mode_info_set', [true, modes]], ['mode_change', ['insert', 1]]);
    screen.redraw([['grid_cursor_goto', [1, 1, 3]], ['busy_start', []], flush]);
    expect(screen.cursor).toEqual({ row: 1, col: 3, shape: 'vertical', isVisible: false });
    expect(screen.mode).toBe('insert');
  });
});

describe('a flush', () => {
  it('is counted and told, and makes the screen whole', () => {
    const screen = aScreen(4, 2);
    let told = 0;
    const listening = screen.onFlush(() => told++);
    screen.redraw(rows('half'));
    expect(screen.isUpToDate).toBe(false);
    screen.redraw([flush]);
    listening.dispose();
    screen.redraw([flush]);
    expect({ told, flushes: screen.flushes, isUpToDate: screen.isUpToDate }).toEqual({
      told: 1,
      flushes: 3,
      isUpToDate: true,
    });
  });
});

describe('a snapshot', () => {
  it('marks the line of the cursor', () => {
    const screen = aScreen(4, 2, ...rows('ab  ', 'cd  '), ['grid_cursor_goto', [1, 1, 2]]);
    expect(screenSnapshot(screen)).toBe(' │ab\n▸│cd\ncursor 1:2 normal');
  });

  it.each([
    ['at 9:41 today', 'at 23:59 today'],
    ['│ run ls      9 ms │', '│ run ls    1.25 s │'],
    ['ran ls · 0.3 s', 'ran ls · 12.4 s'],
    ['ran ls · 0.3 s   │', 'ran ls · 12.4 s  │'],
    ['took 59 s', 'took 1 min 2 s'],
  ])('is the same for "%s" and "%s"', (one, other) => expect(maskChanging(one)).toBe(maskChanging(other)));

  it('hides the name of the sandbox', () => {
    expect(maskChanging('read /tmp/acp-x1Y2z3/work/a.ts')).toBe('read /tmp/acp-XXXXXX/work/a.ts');
  });

  it('keeps numbers that are no times', () => {
    expect(maskChanging('3 files, 12 lines, a.ts:12:34, 10 sorts')).toBe(
      '3 files, 12 lines, a.ts:12:34, 10 sorts',
    );
  });
});

describe('a picture', () => {
  const picture = (...cells: LineCell[]) => drawScreen(aScreen(8, 1, line(0, 0, cells), ['busy_start', []]));

  it.each<[string, LineCell[], RegExp]>([
    [
      'sets ASCII of one look as one text',
      [['a', 0], ['b'], [' '], ['<']],
      /textLength="33.71"[^>]*>ab &lt;</,
    ],
    [
      'gives every other character its own cells',
      [['✓', 0], ['a']],
      /textLength="8.43"[^>]*>✓<.*x="22.43".*>a</,
    ],
    ['gives a wide character two cells', [['世', 0], ['']], /textLength="16.86"[^>]*>世</],
    ['draws box characters as lines', [['│', 0]], /<path d="M18.22,23.5L18.22,14M18.22,23.5L18.22,33"/],
  ])('%s', (_, cells, expected) => expect(picture(...cells)).toMatch(expected));
});
