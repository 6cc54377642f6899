import { describe, expect, it } from 'vitest';
import { ansiLines } from '../../../../src/view/text/ansi.ts';

/** The lines as text, each coloured part as `<group text>`. */
function shown(text: string): readonly string[] {
  return ansiLines(text, '').map(({ text: line, spans = [] }) => {
    const bytes = Buffer.from(line);
    return spans
      .map(({ from, to, hl }) => {
        const part = bytes.toString('utf8', from, to);
        return hl === 'AcpOutput' ? part : `<${hl?.replace('AcpAnsi', '')} ${part}>`;
      })
      .join('');
  });
}

describe('ansiLines highlights', () => {
  it.each<[string, string, readonly string[]]>([
    ['plain text', 'one\ntwo', ['one', 'two']],
    ['a colour', 'a \x1b[31mred\x1b[0m b', ['a <Red red> b']],
    ['a short reset', '\x1b[32mok\x1b[m', ['<Green ok>']],
    ['a colour over several lines', '\x1b[34ma\nb\x1b[39mc', ['<Blue a>', '<Blue b>c']],
    ['bold', '\x1b[1mloud\x1b[22m', ['<AcpBold loud>']],
    ['bold and a colour', '\x1b[1;33mloud\x1b[0m', ['<Yellow loud>']],
    ['a bright colour', '\x1b[91mred\x1b[0m', ['<BrightRed red>']],
    ['one of 256 colours', '\x1b[38;5;196mred\x1b[0m', ['<BrightRed red>']],
    ['one of the first 16 colours', '\x1b[38;5;2mgreen', ['<Green green>']],
    ['a grey of 256 colours', '\x1b[38;5;240mgrey', ['<BrightBlack grey>']],
    ['true colour', '\x1b[38;2;20;20;180mblue', ['<Blue blue>']],
    ['a background', '\x1b[44mon blue\x1b[49m', ['on blue']],
    ['a background of 256 before a colour', '\x1b[48;5;12;31mred', ['<Red red>']],
    ['other sequences', '\x1b[2K\x1b]0;title\x07a\x1b[3Cb\x1b(B\x1b7', ['ab']],
    ['a link', '\x1b]8;;https://x.y\x1b\\here\x1b]8;;\x1b\\', ['here']],
    ['an overwritten line', '\x1b[31m10 %\r20 %', ['<Red 20 %>']],
    ['a line that ends in CRLF', 'one\r\ntwo\r', ['one', 'two']],
    ['a backspace', 'hob\bt', ['hot']],
    ['an incomplete sequence', 'a\x1b[3', ['a␛[3']],
    ['other control characters', 'a\x07\u202eb', ['a␇�b']],
    ['wide characters', '日\x1b[31m本\x1b[0m語', ['日<Red 本>語']],
  ])('%s', (_, text, expected) => expect(shown(text)).toEqual(expected));
});
