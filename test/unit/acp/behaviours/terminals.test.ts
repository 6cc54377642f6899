import { describe, expect, it } from 'vitest';
import { keptOutput } from '../../../../src/session/reducer/terminal-state.ts';
import { call, more, showUpdates, text } from '../../../support/dialects/shown-updates.ts';

const terminal = { type: 'terminal', terminalId: 'c1' };
const output = (data: string, key = 'terminal_output') =>
  more({ _meta: { [key]: { terminal_id: 'c1', data } } });
const exit = (exit_code: number | null, signal: string | null = null) =>
  more({ status: 'completed', _meta: { terminal_exit: { terminal_id: 'c1', exit_code, signal } } });
const begin = call({
  title: 'bake --rye',
  kind: 'execute',
  content: [terminal],
  _meta: { terminal_info: { terminal_id: 'c1', cwd: '/home/me/shop' } },
});
const body = (...updates: readonly unknown[]) => showUpdates(begin, ...updates).opened.slice(1);

describe('terminals', () => {
  it.each(['terminal_output', 'terminal_output_delta'])(
    'behaviour 28: shows %s in place of the terminal',
    (key) => {
      expect(body(output('mixing\nba', key), output('king\n', key), exit(0))).toEqual([
        '    mixing',
        '    baking',
      ]);
    },
  );

  it.each<[number | null, string | null, readonly string[]]>([
    [0, null, []],
    [2, null, ['    exit code 2']],
    [null, 'SIGKILL', ['    killed by SIGKILL']],
    [null, null, []],
  ])('behaviour 28: shows how a command ended: %s %s', (code, signal, expected) => {
    expect(body(output('hot\n'), exit(code, signal))).toEqual(['    hot', ...expected]);
  });

  it('behaviour 28: keeps the output when the content no longer has the terminal', () => {
    expect(body(output('hot\n'), more({ content: [], status: 'completed' }))).toEqual(['    hot']);
  });

  it('behaviour 28: shows output once if the content repeats it as text', () => {
    expect(body(output('hot\n'), more({ content: [text('hot')] }))).toEqual(['    hot']);
  });

  it('behaviour 28: ignores a terminal that does not exist', () => {
    const { opened } = showUpdates(
      call({ title: 'bake it', content: [{ type: 'terminal', terminalId: 't9' }] }),
    );
    expect(opened).toEqual(['○ tool    bake it', '    terminal t9']);
  });

  it.each<[string, unknown]>([
    ['no object', 'hot'],
    ['no id', { data: 'hot' }],
    ['no string', { terminal_id: 'c1', data: 5 }],
  ])('behaviour 28: ignores output with %s', (_, terminal_output) => {
    const state = showUpdates(begin, more({ _meta: { terminal_output } }));
    expect(state.tool?.terminals).toEqual([{ terminalId: 'c1', text: '', exit: undefined }]);
  });

  it.each<[string, string, readonly string[]]>([
    ['colours', '\x1b[1;31mhot\x1b[0m', ['    hot']],
    ['a title', '\x1b]0;bakery\x07hot', ['    hot']],
    ['a link', '\x1b]8;;https://x.y\x1b\\hot\x1b]8;;\x1b\\', ['    hot']],
    ['an overwritten line', '10 %\r50 %\r100 %\ndone', ['    100 %', '    done']],
    ['CRLF line ends', 'one\r\ntwo\r\n', ['    one', '    two']],
    ['a backspace', 'hob\bt', ['    hot']],
    ['a control character', 'a\x07b', ['    a␇b']],
  ])('behaviour 28: shows output as plain text: %s', (_, data, expected) => {
    expect(body(output(data))).toEqual(expected);
  });

  it('behaviour 28: keeps the end of a long output and shows its last lines', () => {
    const line = `${'x'.repeat(99)}\n`;
    const flood = Array.from({ length: 50 }, () => output(line.repeat(200)));
    const { tool, opened } = showUpdates(begin, ...flood, output('the end\n'));
    expect(tool?.terminals[0]?.text.length).toBeLessThanOrEqual(2 * keptOutput);
    expect(opened.at(-1)).toBe('    the end');
    expect(opened[1]).toMatch(/^ {4}… \d+ earlier lines · <CR> shows all$/);
    expect(opened.length).toBeLessThan(210);
  });
});
