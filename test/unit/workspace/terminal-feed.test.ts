import { describe, expect, it, onTestFinished } from 'vitest';
import type { ExitStatus } from '../../../src/ports/terminals.ts';
import { Emulator } from '../../../src/workspace/emulator.ts';
import { Terminal } from '../../../src/workspace/terminal.ts';
import { TerminalFeed } from '../../../src/workspace/terminal-feed.ts';
import { EditorDouble, LogDouble, ManualClock, settle } from '../../support/doubles.ts';
import { waitFor } from '../../support/wait.ts';

const facts = { id: 't1', line: 'x', cwd: '/', startedAt: 0, byteLimit: undefined };

/** A terminal that is fed to an editor which answers when the test says so. */
async function aFeed() {
  const editor = new EditorDouble();
  const clock = new ManualClock();
  const log = new LogDouble();
  const emulator = await Emulator.open({ columns: 80, rows: 10 }, () => undefined);
  const terminal = new Terminal(facts, emulator, clock);
  const write = async (text: string) => {
    terminal.receive(Buffer.from(text));
    await waitFor(() => !terminal.isBusy);
  };
  const begin = () => {
    const feed = new TerminalFeed(terminal, { editor, clock, log });
    onTestFinished(() => feed.dispose());
    return feed;
  };
  const sent = () => editor.asked.map(({ payload }) => String(payload.data));
  /** Neovim has taken the last batch. */
  const take = async (answer = 'written') => {
    editor.asked.at(-1)?.answer.resolve(answer);
    await settle();
  };
  return { editor, clock, log, terminal, write, begin, sent, take };
}

describe('the feed of a terminal buffer', () => {
  it('begins with what there is, and goes on with what comes', async () => {
    const { write, begin, sent, take } = await aFeed();
    await write('one\r\n');
    begin();
    await settle();
    expect(sent()).toEqual([expect.stringContaining('one')]);
    await take();
    await write('\x1b[31mtwo\x1b[0m\r\n');
    expect(sent().slice(1)).toEqual(['\x1b[31mtwo\x1b[0m\r\n']);
  });

  it('that begins in the middle of a piece tells nothing twice', async () => {
    const { terminal, begin, sent, take } = await aFeed();
    const slow = '\x1b[?1049h\x1b[?1049l'.repeat(900);
    terminal.receive(Buffer.from(`one\r\n${slow}two\r\n`));
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

  it('has one batch under way at a time, and puts together what waits', async () => {
    const { write, begin, sent, take } = await aFeed();
    begin();
    await write('one');
    await write('two');
    await write('three');
    expect(sent()).toHaveLength(1);
    await take();
    expect(sent()).toEqual(['one', 'twothree']);
  });

  it('sends no batch that Neovim would be busy with for long', async () => {
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

  it('shows the screen only while it can’t keep up, and all of it once there is rest', async () => {
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
    expect(editor.asked[2]?.payload).toMatchObject({ fresh: true });
    for (let count = 0; count < 60; count += 1) await take();
    const repaint = sent().slice(2).join('');
    expect(repaint.match(/line \d+/g)).toHaveLength(8_000);
    expect(editor.asked.slice(3).every(({ payload }) => payload.fresh === false)).toBe(true);
  });

  it('ends when its buffer is gone, and when drawing fails', async () => {
    const { write, begin, sent, take } = await aFeed();
    begin();
    await write('one');
    await take('gone');
    await write('two');
    expect(sent()).toEqual(['one']);

    const other = await aFeed();
    other.begin();
    await other.write('one');
    other.editor.asked[0]!.answer.reject(new Error('no'));
    await settle();
    await other.write('two');
    expect(other.sent()).toEqual(['one']);
    expect(other.log.lines).toEqual([expect.stringContaining('a terminal was not drawn')]);
  });

  it('tells how the command ended', async () => {
    const { begin, terminal, editor } = await aFeed();
    begin();
    const exit: ExitStatus = { code: 3, signal: undefined };
    await terminal.follow({
      exited: Promise.resolve(exit),
      over: new Promise<void>(() => undefined),
      write: () => undefined,
      resize: () => undefined,
      end: () => Promise.resolve(),
    });
    await settle();
    expect(editor.told).toEqual([
      { op: 'terminal.ended', payload: { terminal: 't1', code: 3, signal: undefined } },
    ]);
  });
});

describe('a question of a program to its terminal', () => {
  it('is answered here while no buffer shows it, and by the buffer when one does', async () => {
    const answers: string[] = [];
    const clock = new ManualClock();
    const emulator = await Emulator.open({ columns: 80, rows: 10 }, (text) => terminal.answer(text));
    const terminal: Terminal = new Terminal(facts, emulator, clock);
    void terminal.follow({
      exited: new Promise(() => undefined),
      over: new Promise<void>(() => undefined),
      write: (text) => void answers.push(text),
      resize: () => undefined,
      end: () => Promise.resolve(),
    });
    const ask = async () => {
      terminal.receive(Buffer.from('\x1b[6n'));
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
