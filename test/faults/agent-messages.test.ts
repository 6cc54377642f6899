import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FaultyChat, hostPid, memoryOf, resetPeakMemory } from '../support/faults/faulty-chat.ts';
import { shareNvim } from '../support/faults/shared-nvim.ts';
import { isLong } from '../support/long.ts';
import { drawn, promptText, transcript } from '../support/nvim/chat.ts';
import { recordQuestions } from '../support/nvim/user.ts';

const nvimOf = shareNvim({
  init: recordQuestions,
  columns: 200,
  files: { 'large.txt': 'a line of text\n'.repeat(70_000) },
});

let memoryBefore = 0;

async function open(stage: string, fault: string): Promise<FaultyChat> {
  const chat = await FaultyChat.open(nvimOf(), { stage, fault });
  await chat.waitForPhase('idle');
  const host = await hostPid(chat.nvim);
  resetPeakMemory(host);
  memoryBefore = memoryOf(host);
  await chat.send('go on');
  chat.go();
  await chat.waitForFile('failed');
  return chat;
}

/** How much more memory the host had than before the fault, in MB. */
const grownMemory = async ({ nvim }: FaultyChat) => memoryOf(await hostPid(nvim), 'VmHWM') - memoryBefore;

/** The agent answers as if nothing had happened, and what was typed meanwhile is there. */
async function expectGoesOn(chat: FaultyChat): Promise<void> {
  await chat.waitForText('all is well', 60_000);
  await chat.waitForPhase('idle');
  await chat.waitForPrompt('a draft');
}

async function close(chat: FaultyChat): Promise<void> {
  await chat.close();
  await chat.expectNoProcessLeft();
}

async function stopTwice(chat: FaultyChat): Promise<void> {
  await chat.nvim.command('AcpCancel');
  await chat.waitForPhase('cancelling');
  await chat.cancelUntilKilled();
  await chat.nvim.waitForScreen(`! faulty did not stop and was killed.`);
}

describe('an agent that sends too much', () => {
  it('and reads nothing is held up, with at most 700 MB more for the host, and can be killed', async () => {
    const chat = await open('turn', 'deaf');
    await chat.type('a draft');
    await chat.waitForPrompt('a draft');
    const isHeldUp = async () => {
      const count = await chat.waitForFile('asked');
      await drawn(chat.nvim);
      return Number(count) > 100 && count === (await chat.waitForFile('asked'));
    };
    await chat.nvim.waitFor(isHeldUp, 'the agent to wait');
    expect(await grownMemory(chat)).toBeLessThan(700);
    await stopTwice(chat);
    expect(await promptText(chat.nvim)).toBe('a draft');
    await close(chat);
  });

  it('on stderr, 40 MB, goes on, with at most 400 MB more for the host', async () => {
    const chat = await open('turn', 'fill stderr');
    await chat.type('a draft');
    await expectGoesOn(chat);
    expect(await grownMemory(chat)).toBeLessThan(400);
    await close(chat);
  });

  it('in 1,500 updates of one output that grows to 140 kB goes on, with at most 300 MB more for the host and 1 MB on disk', async () => {
    const chat = await open('turn', 'growing output');
    await chat.type('a draft');
    await expectGoesOn(chat);
    await drawn(chat.nvim);
    expect(await grownMemory(chat)).toBeLessThan(300);
    const journal = await chat.nvim.lua<string>("return require('acp.chats').current().journal");
    expect(fs.statSync(journal).size).toBeLessThan(1024 * 1024);
    await close(chat);
  });

  const places = ['line', 'title', 'thought', 'input', 'output', 'plan', 'command', 'question', 'error'];

  it.each(isLong ? places : places.slice(0, 2))(
    'in one line of 64 MB goes on: %s, with at most 900 MB more for the host',
    { timeout: 90_000 },
    async (place) => {
      const chat = await open('turn', `long ${place}`);
      await chat.type('a draft');
      await expectGoesOn(chat);
      expect(await grownMemory(chat)).toBeLessThan(900);
      expect(memoryOf(chat.nvim.pid)).toBeLessThan(300);
      await close(chat);
    },
  );
});

describe('an agent that confuses ids', () => {
  it.each(['answer twice', 'unknown ids'])('goes on: %s', async (fault) => {
    const chat = await open('turn', fault);
    await chat.type('a draft');
    await expectGoesOn(chat);
    await drawn(chat.nvim);
    expect((await transcript(chat.nvim)).join('\n')).not.toMatch(/out of luck|refused/);
    await close(chat);
  });

  it('has two requests with one id answered once each', async () => {
    const chat = await open('turn', 'duplicate ids');
    await chat.waitForQuestions(2);
    await chat.nvim.command('AcpCancel');
    const answers = () => chat.received.filter(({ id, method }) => id === 'same' && !method).length;
    await chat.nvim.waitFor(() => answers() === 2, 'both answers');
    await chat.cancelUntilKilled();
    expect(answers()).toBe(2);
    await close(chat);
  });
});

describe('an agent that asks at the wrong time', () => {
  it('after its turn is answered once', async () => {
    const chat = await open('after', 'ask late');
    await chat.waitForPhase('idle');
    await chat.waitForQuestions(1);
    await chat.answer('Yes');
    await chat.waitForQuestions(0);
    const answers = () => chat.received.filter(({ id }) => id === 'open');
    await chat.nvim.waitFor(() => answers().length > 0, 'the answer');
    await chat.send('again');
    await chat.nvim.waitFor(
      () => chat.received.filter(({ method }) => method === 'session/prompt').length === 2,
      'the next prompt',
    );
    expect(answers()).toMatchObject([{ result: { outcome: { outcome: 'selected', optionId: 'yes' } } }]);
    await close(chat);
  });

  it('just before its exit has nothing done, and no question stays', async () => {
    const chat = await open('turn', 'last words');
    await chat.waitForPhase('down');
    await chat.nvim.waitForScreen('! faulty exited with code 3 while answering.');
    await drawn(chat.nvim);
    await chat.waitForQuestions(0);
    expect(fs.existsSync(chat.at('outside.txt'))).toBe(false);
    await close(chat);
  });
});

describe('an agent that is stopped by a signal', () => {
  const pidOf = async (chat: FaultyChat) => Number(await chat.waitForFile('failed'));
  const isStopped = (pid: number) => /^State:\s+T/m.test(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));

  it('goes on when it is continued', async () => {
    const chat = await open('turn', 'stop');
    const pid = await pidOf(chat);
    await chat.nvim.waitFor(() => isStopped(pid), 'the stop');
    await chat.type('a draft');
    await chat.waitForPrompt('a draft');
    process.kill(pid, 'SIGCONT');
    await expectGoesOn(chat);
    await close(chat);
  });

  it('can be killed', async () => {
    const chat = await open('turn', 'stop');
    const pid = await pidOf(chat);
    await chat.nvim.waitFor(() => isStopped(pid), 'the stop');
    await stopTwice(chat);
    await close(chat);
  });
});
