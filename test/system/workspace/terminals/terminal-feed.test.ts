import { describe, expect, it, onTestFinished } from 'vitest';
import type { ExitStatus } from '../../../../src/ports/terminals.ts';
import { Emulator } from '../../../../src/workspace/terminals/emulator.ts';
import { Terminal } from '../../../../src/workspace/terminals/terminal.ts';
import { TerminalFeed } from '../../../../src/workspace/terminals/terminal-feed.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { settle } from '../../../support/doubles/deferred.ts';
import { EditorDouble } from '../../../support/doubles/editor.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { waitFor } from '../../../support/wait.ts';

const facts = { id: 't1', line: 'x', cwd: '/', startedAt: 0, byteLimit: undefined };

/** A terminal that is fed to an editor which answers when the test says so. */
async function aFeed() {
  const editor = new EditorDouble();
  const clock = new ManualClock();
  const log = new LogDouble();
  const emulator = await Emulator.open({ columns: 80, rows: 10 }, () => undefined);
  const terminal = new Terminal(facts, emulator, clock);
  const write = async (text: string) => {
    terminal.receiveOutput(Buffer.from(text));
    await waitFor(() => !terminal.isBusy);
  };
  const begin = () => {
    const feed = new TerminalFeed(terminal, { editor, clock, log });
    onTestFinished(() => feed.dispose());
    return feed;
  };
  const sent = () => editor.calls.map(({ payload }) => String(payload.data));
  /** Neovim has taken the last batch. */
  const take = async (answer = 'written') => {
    editor.calls.at(-1)?.answer.resolve(answer);
    await settle();
  };
  return { editor, clock, log, terminal, write, begin, sent, take };
}

describe('TerminalFeed', () => {
  it('writes the existing output, then new output', async () => {
    const { write, begin, sent, take } = await aFeed();
    await write('one\r\n');
    begin();
    await settle();
    expect(sent()).toEqual([expect.stringContaining('one')]);
    await take();
    await write('\x1b[31mtwo\x1b[0m\r\n');
    expect(sent().slice(1)).toEqual(['\x1b[31mtwo\x1b[0m\r\n']);
  });

  it('writes nothing twice if it starts while a piece is parsed', async () => {
    const { terminal, begin, sent, take } = await aFeed();
    const slow = '\x1b[?1049h\x1b[?1049l'.repeat(900);
    terminal.receiveOutput(Buffer.from(`one\r\n${slow}two\r\n`));
    await waitFor(() => terminal.tail().includes('one'));
    expect(terminal.tail(), 'the piece is only begun').not.toContain('two');
    begin();
    await waitFor(() => !terminal.isBusy);
    for (let count = 0; count < 5; count += 1) {
      await settle();
      await take();
    }
    expect(
      sent()
        .join('')
        .match(/one|two/g),
    ).toEqual(['one', 'two']);
  });

  it('sends one batch at a time and joins what waits', async () => {
    const { write, begin, sent, take } = await aFeed();
    begin();
    await write('one');
    await write('two');
    await write('three');
    expect(sent()).toHaveLength(1);
    await take();
    expect(sent()).toEqual(['one', 'twothree']);
  });

  it('limits the size of a batch', async () => {
    const { write, begin, sent, take } = await aFeed();
    await write('x\r\n'.repeat(2_000));
    begin();
    for (let count = 0; count < 40; count += 1) {
      await settle();
      await take();
    }
    const lines = sent().map((batch) => batch.split('\n').length - 1);
    expect(Math.max(...lines)).toBeLessThanOrEqual(200);
    expect(sent().join('').match(/x/g)).toHaveLength(2_000);
  });

  it('shows only the screen while it is behind, and the whole output when the terminal is quiet', async () => {
    const { write, begin, editor, clock, take, sent } = await aFeed();
    begin();
    await write('first\r\n');
    expect(sent()).toHaveLength(1);
    for (let count = 0; count < 20; count += 1) await write(`line ${count}\r\n`.repeat(400));
    await take();
    expect(sent()[1]).toMatch(/^\x1b\[H\x1b\[2J/);
    expect(sent()[1]).toContain('line 19');
    expect(sent()[1]!.length).toBeLessThan(1_000);
    clock.advance(200);
    await take();
    expect(editor.calls[2]?.payload).toMatchObject({ fresh: true });
    for (let count = 0; count < 60; count += 1) await take();
    const repaint = sent().slice(2).join('');
    expect(repaint.match(/line \d+/g)).toHaveLength(8_000);
    expect(editor.calls.slice(3).every(({ payload }) => payload.fresh === false)).toBe(true);
  });

  it('shows the whole output of a quiet terminal after the clock was set back', async () => {
    const { write, begin, clock, take, sent } = await aFeed();
    begin();
    await write('first\r\n');
    for (let count = 0; count < 20; count += 1) await write(`line ${count}\r\n`.repeat(400));
    await take();
    expect(sent()[1], 'only the screen').toMatch(/^\x1b\[H\x1b\[2J/);
    clock.setBack(3_600_000);
    clock.advance(200);
    for (let count = 0; count < 60; count += 1) await take();
    expect(
      sent()
        .slice(2)
        .join('')
        .match(/line \d+/g),
    ).toHaveLength(8_000);
  });

  it('stops when its buffer is gone or drawing fails', async () => {
    const { write, begin, sent, take } = await aFeed();
    begin();
    await write('one');
    await take('gone');
    await write('two');
    expect(sent()).toEqual(['one']);

    const other = await aFeed();
    other.begin();
    await other.write('one');
    other.editor.calls[0]!.answer.reject(new Error('no'));
    await settle();
    await other.write('two');
    expect(other.sent()).toEqual(['one']);
    expect(other.log.lines).toEqual([expect.stringContaining('drawing a terminal failed')]);
  });

  it('writes nothing after dispose(), also when it is waiting for the next screen', async () => {
    const { clock, write, begin, sent, take } = await aFeed();
    await write('one');
    const feed = begin();
    await settle();
    await take();
    feed.onSkip();
    feed.onOutput(Buffer.from('two'));
    await settle();
    await take();
    expect(clock.pending, 'it waits for the next frame').toBe(1);
    const count = sent().length;
    feed.dispose();
    clock.advance(1_000);
    await settle();
    expect(sent()).toHaveLength(count);
  });

  it('sends the exit status of the command', async () => {
    const { begin, terminal, editor } = await aFeed();
    begin();
    const exit: ExitStatus = { code: 3, signal: undefined };
    await terminal.attach({
      exited: Promise.resolve(exit),
      allExited: new Promise<void>(() => undefined),
      write: () => undefined,
      resize: () => undefined,
      end: () => Promise.resolve(),
    });
    await settle();
    expect(editor.sent).toEqual([
      { op: 'terminal.ended', payload: { terminal: 't1', code: 3, signal: undefined } },
    ]);
  });
});

describe('a flood of output', () => {
  it('is over when nothing more has come, also after the clock was set back', async () => {
    const { clock, terminal } = await aFeed();
    terminal.receiveOutput(Buffer.alloc(8 * 1024 * 1024, 'flood\r\n'));
    await waitFor(() => clock.pending === 1);
    clock.setBack(3_600_000);
    clock.advance(1_000);
    await waitFor(() => !terminal.isBusy);
    expect(terminal.tail()).toContain('flood');
  });
});

describe('a terminal query of a program', () => {
  it('is answered by the host unless a buffer shows the terminal', async () => {
    const answers: string[] = [];
    const clock = new ManualClock();
    const emulator = await Emulator.open({ columns: 80, rows: 10 }, (text) => terminal.writeReply(text));
    const terminal: Terminal = new Terminal(facts, emulator, clock);
    void terminal.attach({
      exited: new Promise(() => undefined),
      allExited: new Promise<void>(() => undefined),
      write: (text) => void answers.push(text),
      resize: () => undefined,
      end: () => Promise.resolve(),
    });
    const ask = async () => {
      terminal.receiveOutput(Buffer.from('\x1b[6n'));
      await waitFor(() => !terminal.isBusy);
    };
    await ask();
    expect(answers).toEqual(['\x1b[1;1R']);
    const feed = new TerminalFeed(terminal, { editor: new EditorDouble(), clock, log: new LogDouble() });
    await ask();
    expect(answers).toHaveLength(1);
    feed.dispose();
    await ask();
    expect(answers).toHaveLength(2);
  });
});
