import { describe, expect, it } from 'vitest';
import { keptOutput } from '../../../../src/session/terminal-output.ts';
import { call, more, text, told } from './told.ts';

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
const body = (...updates: readonly unknown[]) => told(begin, ...updates).opened.slice(1);

describe('terminals', () => {
  it.each(['terminal_output', 'terminal_output_delta'])(
    'manner 28: shows what comes as %s in the place of the terminal',
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
    [null, 'SIGKILL', ['    ended by SIGKILL']],
    [null, null, []],
  ])('manner 28: says how a command ended: %s %s', (code, signal, expected) => {
    expect(body(output('hot\n'), exit(code, signal))).toEqual(['    hot', ...expected]);
  });

  it('manner 28: keeps the output when the content names no terminal any more', () => {
    expect(body(output('hot\n'), more({ content: [], status: 'completed' }))).toEqual(['    hot']);
  });

  it('manner 28: does not show it twice when the content is the same as text', () => {
    expect(body(output('hot\n'), more({ content: [text('hot')] }))).toEqual(['    hot']);
  });

  it('manner 28: takes no harm from a terminal that nobody made', () => {
    const { opened } = told(call({ title: 'bake it', content: [{ type: 'terminal', terminalId: 't9' }] }));
    expect(opened).toEqual(['○ tool    bake it', '    terminal t9']);
  });

  it.each<[string, unknown]>([
    ['no object', 'hot'],
    ['no id', { data: 'hot' }],
    ['no text', { terminal_id: 'c1', data: 5 }],
  ])('manner 28: passes over an output that has %s', (_, terminal_output) => {
    const state = told(begin, more({ _meta: { terminal_output } }));
    expect(state.tool?.terminals).toEqual([{ terminalId: 'c1', text: '', exit: undefined }]);
  });

  it.each<[string, string, readonly string[]]>([
    ['colours', '\x1b[1;31mhot\x1b[0m', ['    hot']],
    ['a title', '\x1b]0;bakery\x07hot', ['    hot']],
    ['a link', '\x1b]8;;https://x.y\x1b\\hot\x1b]8;;\x1b\\', ['    hot']],
    ['a line written over', '10 %\r50 %\r100 %\ndone', ['    100 %', '    done']],
    ['lines that end as in DOS', 'one\r\ntwo\r\n', ['    one', '    two']],
    ['a backspace', 'hob\bt', ['    hot']],
    ['what is no sequence', 'a\x07b', ['    a␇b']],
  ])('manner 28: shows output as plain text: %s', (_, data, expected) => {
    expect(body(output(data))).toEqual(expected);
  });

  it('manner 28: keeps the end of a long output, and shows the last of it', () => {
    const line = `${'x'.repeat(99)}\n`;
    const flood = Array.from({ length: 50 }, () => output(line.repeat(200)));
    const { tool, opened } = told(begin, ...flood, output('the end\n'));
    expect(tool?.terminals[0]?.text.length).toBeLessThanOrEqual(2 * keptOutput);
    expect(opened.at(-1)).toBe('    the end');
    expect(opened[1]).toMatch(/^ {4}… \d+ lines before · <CR> shows all$/);
    expect(opened.length).toBeLessThan(210);
  });
});
