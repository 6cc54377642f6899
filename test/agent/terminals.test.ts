import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { realClock } from '../../src/system/clock.ts';
import { OrphanGuard } from '../../src/system/orphan-guard.ts';
import { NodePtyLauncher } from '../../src/system/pty.ts';
import { EditorWorkspace } from '../../src/workspace/workspace.ts';
import { EditorDouble } from '../support/doubles/editor.ts';
import { LogDouble } from '../support/doubles/log.ts';
import { expectNoneLeft, isAlive } from '../support/system/processes.ts';
import { waitFor } from '../support/wait.ts';
import { aRun, aScript, someTerminals } from '../support/workspace/terminals.ts';
import { someOptions } from '../support/workspace/workspace.ts';

const never = new AbortController().signal;
const exit = (code: number) => ({ code, signal: undefined });
const killed = (signal: string) => ({ code: undefined, signal });
/** The exit status of a command that we killed. On a busy machine SIGKILL may be needed. */
const ended = { code: undefined, signal: expect.stringMatching(/^SIG(TERM|KILL)$/) };

/** A unique environment variable that marks the processes of this test. */
const aMark = () => ({ name: `ACP_TEST_${process.hrtime.bigint()}`, value: 'here' });

describe('a command', () => {
  it('runs in the folder of the session and reports output and exit', async () => {
    const { run, cwd } = someTerminals();
    expect(await run(aRun('pwd'))).toMatchObject({ text: `${cwd}\n`, isTruncated: false, exit: exit(0) });
  });

  it('has a terminal id before it exits', async () => {
    const { terminals } = someTerminals();
    const id = await terminals.create(aScript('echo begun; sleep 1000'));
    await waitFor(() => terminals.output(id).text === 'begun\n');
    expect(terminals.output(id).exit).toBeUndefined();
  });

  it('receives its arguments unchanged', async () => {
    const { run } = someTerminals();
    expect((await run(aRun('printf', '%s|', 'a b', '$HOME', '*', "it's"))).text).toBe("a b|$HOME|*|it's|");
  });

  it.each([
    ['a pipe', 'echo one two | tr a-z A-Z', 'ONE TWO\n'],
    ['a list', 'cd / && pwd', '/\n'],
    ['a variable', 'x=5; echo $((x + 1))', '6\n'],
  ])('line runs in the shell: %s', async (_, line, text) => {
    const { run } = someTerminals();
    expect(await run(aRun(line))).toMatchObject({ text, exit: exit(0) });
  });

  it('line runs in the shell of the user', async () => {
    const { run } = someTerminals({ shell: 'bash --norc' });
    expect((await run(aRun('echo $BASH | grep -o bash$'))).text).toBe('bash\n');
  });

  it.each([
    ['bash --norc', 'echo a', []],
    ['bash -O extglob', 'echo a', [expect.stringContaining("'shell'")]],
    ['bash -O extglob', 'pwd', []],
  ])(
    'is unclear for the rules if %s runs it, whose lines they can not read: %s',
    async (shell, line, unclear) => {
      const { run, wishes } = someTerminals({ shell });
      expect((await run(aRun(line))).exit).toEqual(exit(0));
      expect(wishes).toMatchObject([{ action: { unclear } }]);
    },
  );

  it('with a space is a shell line, also if a program has this name', async () => {
    const { run, cwd } = someTerminals();
    fs.writeFileSync(path.join(cwd, 'my tool'), '#!/bin/sh\necho mine\n', { mode: 0o755 });
    expect((await run(aRun('./my tool'))).exit).toEqual(exit(127));
    expect((await run(aRun("'./my tool'"))).text).toBe('mine\n');
    expect((await run(aRun('./my tool', 'x'))).text).toBe('mine\n');
  });

  it.each([
    ['no such program', aRun('acp-no-such-program'), 'acp-no-such-program: command not found\n', 127],
    ['with words', aRun('acp-no-such-program', 'x'), 'acp-no-such-program: command not found\n', 127],
    ['no such path', aRun('./nothing'), './nothing: command not found\n', 127],
    ['no name', aRun(''), ': command not found\n', 127],
  ])('that cannot be started has a terminal with the error: %s', async (_, command, text, code) => {
    const { run } = someTerminals();
    expect(await run(command)).toMatchObject({ text, exit: exit(code) });
  });

  it('that is not executable has a terminal with the error', async () => {
    const { run, cwd } = someTerminals();
    fs.writeFileSync(path.join(cwd, 'text'), 'text\n', { mode: 0o644 });
    expect(await run(aRun('./text', 'x'))).toMatchObject({
      text: './text: permission denied\n',
      exit: exit(126),
    });
  });

  it('in a missing folder fails in its terminal', async () => {
    const { run, cwd } = someTerminals();
    const nowhere = path.join(cwd, 'nowhere');
    expect(await run({ ...aRun('pwd'), cwd: nowhere })).toMatchObject({
      text: `${nowhere}: no such folder\n`,
      exit: exit(127),
    });
  });

  it('needs consent, which shows the whole line, the variables and another folder than that of the session', async () => {
    const { run, wishes, cwd } = someTerminals();
    const other = path.join(cwd, 'other');
    fs.mkdirSync(other);
    const script = 'echo one && pwd';
    const env = { A: 'b c' };
    expect(await run(aScript(script, { env, cwd: other }))).toMatchObject({ exit: exit(0) });
    expect(await run(aScript(script, { env, cwd }))).toMatchObject({ exit: exit(0) });
    const wish = {
      kind: 'execute',
      subject: `sh -c '${script}'`,
      always: { name: 'Allow all commands for this session' },
    };
    expect(wishes).toMatchObject([
      { ...wish, details: [`in ${other}`, "with A='b c'"] },
      { ...wish, details: ["with A='b c'"] },
    ]);
  });

  it('is not run without consent, and the agent receives an error', async () => {
    const { run, opened } = someTerminals({ isConsented: false });
    await expect(run(aRun('pwd'))).rejects.toMatchObject({
      code: 'denied',
      message: 'the user denied running pwd',
    });
    expect(opened).toEqual([]);
  });

  it('that the user has allowed already needs no second consent', async () => {
    const { run, wishes } = someTerminals({ allowed: ['pwd'] });
    await run(aRun('pwd'));
    expect(wishes).toEqual([]);
  });

  it.each([
    ['in a folder outside the session', { cwd: os.tmpdir() }, 'outside the folders'],
    ['with variables of the agent', { env: { PATH: '/tmp/bin:/usr/bin:/bin' } }, 'environment variables'],
  ])('that the user has allowed still needs consent %s', async (_, fields, reason) => {
    const { run, wishes } = someTerminals({ allowed: ['pwd'] });
    await run({ ...aRun('pwd'), ...fields });
    expect(wishes).toMatchObject([{ reason: expect.stringContaining(reason) }]);
  });

  it('with a variable that has this value already needs no second consent', async () => {
    const { run, wishes } = someTerminals({ allowed: ['pwd'] });
    await run({ ...aRun('pwd'), env: { PATH: process.env.PATH ?? '' } });
    expect(wishes).toEqual([]);
  });

  it('of a remote agent still needs consent', async () => {
    const { run, wishes } = someTerminals({ allowed: ['pwd'], isRemote: true });
    await run(aRun('pwd'));
    expect(wishes).toMatchObject([{ reason: expect.stringContaining('on another machine') }]);
  });

  it('needs no consent after all commands of the session were allowed', async () => {
    const { run, wishes } = someTerminals();
    await run(aRun('pwd'));
    wishes[0]?.always?.remember();
    await run({ ...aRun('pwd'), cwd: '/' });
    expect(wishes).toHaveLength(1);
  });

  it('in a folder behind a link to the outside is outside', async () => {
    const { run, cwd, wishes } = someTerminals({ allowed: ['pwd'] });
    fs.symlinkSync('/', path.join(cwd, 'link'));
    await run({ ...aRun('pwd'), cwd: path.join(cwd, 'link') });
    expect(wishes).toMatchObject([{ reason: expect.stringContaining('outside the folders') }]);
  });

  it('opens no pager and no editor, and does not inherit our Neovim variables', async () => {
    process.env.NVIM = '/tmp/some-socket';
    const { run } = someTerminals();
    const { text } = await run(aScript('echo $PAGER $GIT_PAGER $MANPAGER $GIT_EDITOR $EDITOR $TERM [$NVIM]'));
    delete process.env.NVIM;
    expect(text).toBe('cat cat cat true true xterm-256color []\n');
  });

  it('receives the variables of the agent instead of ours', async () => {
    const { run } = someTerminals();
    const env = { PAGER: 'less', MINE: 'a=b' };
    expect((await run(aScript('echo $PAGER $MINE', { env }))).text).toBe('less a=b\n');
  });

  it('runs in a terminal', async () => {
    const { run } = someTerminals();
    expect((await run(aScript('test -t 0 && test -t 1 && tty | cut -c1-5; stty size'))).text).toBe(
      '/dev/\n30 120\n',
    );
  });
});

describe('terminal output', () => {
  it.each([
    ['colours', "printf '\\033[1;31mred\\033[0m and \\033[38;5;200mpink\\033[0m\\n'", 'red and pink\n'],
    ['a progress bar', "for i in 1 2 3; do printf '\\r%s0 %%' $i; done; echo; echo done", '30 %\ndone\n'],
    ['a longer line overwritten by a shorter one', "printf 'abcdef\\rxy\\n'", 'xycdef\n'],
    ['erased lines', "printf 'one\\ntwo\\n\\033[2A\\033[Jthree\\n'", 'three\n'],
    ['a title', "printf '\\033]0;title\\007text\\n'", 'text\n'],
    ['tabs', "printf 'a\\tb\\n\\tc\\n\\t\\td  e\\n'", 'a\tb\n\tc\n\t\td  e\n'],
    ['trailing blanks', "printf 'a  \\nb'", 'a  \nb'],
    ['wide and joined characters', "printf '日本 e\\314\\201 👍🏽\\n'", '日本 e\u0301 👍🏽\n'],
    ['a line longer than the terminal', "printf 'x%.0s' $(seq 300); echo", `${'x'.repeat(300)}\n`],
    ['no newline at the end', 'printf abc', 'abc'],
    ['nothing', 'true', ''],
    [
      'a full screen that was left',
      "printf 'before\\n\\033[?1049h\\033[Hinside\\033[?1049lafter\\n'",
      'before\nafter\n',
    ],
    ['a full screen that is still open', "printf 'before\\n\\033[?1049h\\033[Hinside'", 'before\ninside'],
  ])('is plain text: %s', async (_, script, text) => {
    const { run } = someTerminals();
    expect(await run(aScript(script))).toMatchObject({ text, isTruncated: false });
  });

  it.each([
    [10, 'öö\nüü', 'öö\nüü', false],
    [9, 'öö\nüü', 'öö\nüü', false],
    [8, 'öö\nüü', 'ö\nüü', true],
    [7, 'öö\nüü', 'ö\nüü', true],
    [6, 'öö\nüü', '\nüü', true],
    [1, 'öö\nüü', '', true],
    [0, 'öö\nüü', '', true],
    [0, '', '', false],
    [3, 'a👍', '', true],
    [4, 'a👍', '👍', true],
  ])('is cut to %i bytes between two characters: %j', async (byteLimit, written, text, isTruncated) => {
    const { run } = someTerminals();
    expect(await run({ ...aRun('printf', '%s', written), byteLimit })).toMatchObject({ text, isTruncated });
  });

  it('is complete without a limit, even if it is long', async () => {
    const { run } = someTerminals();
    const lines = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join('');
    expect(await run(aRun('seq', '20000'))).toMatchObject({ text: lines, isTruncated: false });
  });

  it('of a flood keeps its end within limited memory', async () => {
    const { run } = someTerminals();
    await run(aRun('true'));
    global.gc?.();
    const before = process.memoryUsage().rss;
    const { text, isTruncated } = await run(
      aScript('yes "some words of a flood" | head -c 100000000; echo; echo the end'),
    );
    expect(text.endsWith('\nthe end\n')).toBe(true);
    expect(isTruncated).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    expect(text.length).toBeGreaterThan(200_000);
    expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(100);
  }, 180_000);

  it('of one endless line keeps its end', async () => {
    const { run } = someTerminals();
    const { text, isTruncated } = await run(aScript("head -c 20000000 /dev/zero | tr '\\0' x; echo END"));
    expect(text.slice(-20)).toBe(`${'x'.repeat(16)}END\n`);
    expect(isTruncated).toBe(true);
  }, 60_000);
});

describe('terminal exit', () => {
  it.each([
    ['a code', 'exit 3', exit(3)],
    ['a signal', 'kill -9 $$', killed('SIGKILL')],
    ['another signal', 'kill -TERM $$', killed('SIGTERM')],
    ['an abort', 'kill -ABRT $$', killed('SIGABRT')],
  ])('is reported with %s', async (_, script, expected) => {
    const { run } = someTerminals();
    expect((await run(aScript(script))).exit).toEqual(expected);
  });

  it('is reported to all who wait and all who ask later', async () => {
    const { terminals } = someTerminals();
    const id = await terminals.create(aScript('read x; exit 4'));
    const waiting = [1, 2, 3].map(() => terminals.waitForExit(id, never));
    await terminals.kill(id);
    const exits = await Promise.all([...waiting, terminals.waitForExit(id, never)]);
    expect(exits).toEqual(Array.from({ length: 4 }, () => ended));
    expect(terminals.output(id)).toMatchObject({ exit: ended });
  });

  it('is forgotten for the oldest of very many unreleased terminals', async () => {
    const { terminals, run, reports } = someTerminals();
    const missing = aRun('acp-no-such-command');
    const { id: first } = await run(aScript('echo first'));
    const background = await terminals.create(aScript('sleep 600 & exit 0'));
    await terminals.waitForExit(background, new AbortController().signal);
    for (let count = 0; count < 60; count += 1) await run(missing);
    expect(() => terminals.output(first)).toThrow('unknown terminal');
    expect(terminals.output(background).exit, 'what still runs is kept').toMatchObject({ code: 0 });
    const told = reports.findLast(({ terminalId, exit }) => terminalId === first && exit);
    expect(told?.text, 'the chat still shows it').toContain('first');
  });

  it('is reported to those who wait when the terminal is released', async () => {
    const { terminals } = someTerminals();
    const id = await terminals.create(aScript('sleep 1000'));
    const waiting = terminals.waitForExit(id, never);
    await terminals.release(id);
    expect(await waiting).toEqual(ended);
    expect(() => terminals.output(id)).toThrow(`unknown terminal ${id}`);
    await expect(terminals.kill(id)).rejects.toThrow('unknown terminal');
    await expect(terminals.release(id)).rejects.toThrow('unknown terminal');
    await expect(terminals.waitForExit(id, never)).rejects.toThrow('unknown terminal');
  });

  it('wait can be cancelled while the command continues', async () => {
    const { terminals } = someTerminals();
    const id = await terminals.create(aScript('sleep 1000'));
    const patience = new AbortController();
    const waiting = terminals.waitForExit(id, patience.signal);
    patience.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    expect(terminals.output(id).exit).toBeUndefined();
  });

  it.each([
    ['a child that keeps the terminal open', 'nohup sleep 1000 & echo out'],
    ['a child in its own process session', 'setsid sleep 1000 & echo out'],
  ])('is not delayed by %s, which ends with the terminal', async (_, script) => {
    const { terminals } = someTerminals();
    const mark = aMark();
    const id = await terminals.create(aScript(script, { env: { [mark.name]: mark.value } }));
    expect(await terminals.waitForExit(id, never)).toEqual(exit(0));
    expect(terminals.output(id).text).toContain('out\n');
    await terminals.release(id);
    await expectNoneLeft(mark.name);
  });
});

describe('killing a terminal', () => {
  it.each([
    ['its children', 'sleep 1000 & sleep 1000 & wait'],
    ['a command that ignores SIGTERM', 'trap "" TERM; while :; do sleep 0.1; done'],
    ['a child that ignores SIGTERM and SIGHUP', '(trap "" TERM HUP; while :; do sleep 0.1; done) & wait'],
    ['processes of nohup', 'nohup sleep 1000 & nohup sleep 1001 & wait'],
    ['processes of setsid', 'setsid sh -c "trap \\"\\" TERM; while :; do sleep 0.1; done" & sleep 1000'],
    ['a double fork', '(sleep 1000 & sleep 1001 &) ; sleep 1000'],
    ['a shell with its own jobs', 'bash -ic "sleep 1000 & sleep 1001"'],
  ])('also kills %s', async (_, script) => {
    const { terminals } = someTerminals();
    const mark = aMark();
    const id = await terminals.create(aScript(`${script} # go`, { env: { [mark.name]: mark.value } }));
    await waitFor(() => descendantsOf(mark.name) >= 2);
    await terminals.kill(id);
    expect(terminals.output(id).exit).toBeDefined();
    await expectNoneLeft(mark.name, 2_000);
  });

  it('happens for every running terminal when the session ends', async () => {
    const { terminals } = someTerminals();
    const mark = aMark();
    for (const script of ['sleep 1000', 'trap "" TERM; while :; do sleep 0.1; done', 'setsid sleep 1000 &']) {
      await terminals.create(aScript(script, { env: { [mark.name]: mark.value } }));
    }
    await terminals.end();
    await expectNoneLeft(mark.name, 2_000);
  });

  it('has reported every exit when the session has ended, and no terminal starts afterwards', async () => {
    const { terminals, reports } = someTerminals();
    const id = await terminals.create(aScript('sleep 1000'));
    const isCancelled = (run: Promise<unknown>) => expect(run).rejects.toMatchObject({ code: 'cancelled' });
    const late = isCancelled(terminals.create(aScript('sleep 1000')));
    await Promise.all([terminals.end(), terminals.end(), late]);
    const count = reports.length;
    expect(reports.filter(({ exit }) => exit)).toMatchObject([{ terminalId: id, exit: ended }]);
    await isCancelled(terminals.runLine('sleep 1000'));
    expect(reports).toHaveLength(count);
  });

  it('happens for the commands of an agent that exited, but not for those of the user', async () => {
    const { terminals } = someTerminals();
    const own = await terminals.runLine('sleep 1000');
    const id = await terminals.create(aScript('sleep 1000'));
    const waiting = terminals.waitForExit(id, never);
    terminals.abandon();
    expect(await waiting).toEqual(ended);
    expect(own.exit).toBeUndefined();
  });
});

describe('without the native pty module', () => {
  it('terminals are unavailable', () => {
    expect(new NodePtyLauncher(new OrphanGuard(), '/nowhere/at/all.js').isAvailable).toBe(false);
    expect(new NodePtyLauncher(new OrphanGuard()).isAvailable).toBe(true);
  });

  it('terminals are not offered, but everything else is', () => {
    const ptys = new NodePtyLauncher(new OrphanGuard(), '/nowhere/at/all.js');
    const workspace = new EditorWorkspace({
      ptys,
      editor: new EditorDouble(),
      clock: realClock,
      log: new LogDouble(),
      options: () => someOptions,
    });
    const place = {
      chat: 1,
      cwd: '/',
      directories: [],
      consent: () => Promise.resolve(false),
      report: () => undefined,
    };
    expect(workspace.offers).toEqual({ files: true, terminals: false });
    expect(Object.keys(workspace.open(place)).toSorted()).toEqual(['abandon', 'end', 'files']);
  });
});

function descendantsOf(name: string): number {
  return fs
    .readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && isAlive(pid) && environment(pid).includes(name)).length;
}

function environment(pid: number): string {
  try {
    return fs.readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}
