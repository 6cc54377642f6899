import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FaultyChat, hostPid, memoryOf } from '../support/faults/faulty-chat.ts';
import { shareNvim } from '../support/faults/shared-nvim.ts';
import { isLong } from '../support/long.ts';
import { drawn, promptText, transcript } from '../support/nvim/chat.ts';
import { recordQuestions } from '../support/nvim/user.ts';

/** Where the agent is when it fails: before a session is open, in a turn, or while a request of its own is open. */
const early = ['start', 'handshake', 'opened'] as const;
const busy = ['turn', 'line'] as const;
const asking = ['permission', 'form', 'terminal', 'write'] as const;
const stages = [...early, ...busy, ...asking];
type Stage = (typeof stages)[number];

const endings: Readonly<Record<string, string>> = {
  exit: 'exited with code 3',
  kill: 'was killed by SIGKILL',
  children: 'exited with code 3',
  'close stdout': 'closed its output and was ended',
};
const hangs = ['hang', 'flood', 'stubborn'] as const;

/** All stages with all faults are long; each stage and each fault is in the default run. */
function rows(faults: readonly string[], inShort: (stage: Stage, fault: string) => boolean) {
  const all = stages.flatMap((stage) => faults.map((fault) => [stage, fault] as const));
  return isLong ? all : all.filter(([stage, fault]) => inShort(stage, fault));
}

const nvimOf = shareNvim({ init: recordQuestions, columns: 200 });
const opened: FaultyChat[] = [];

/** A chat whose agent is about to fail, with a draft in its prompt. */
async function reach(stage: Stage, fault: string): Promise<FaultyChat> {
  const nvim = nvimOf();
  const chat = await FaultyChat.open(nvim, { stage, fault });
  opened.push(chat);
  if (!isOneOf(early, stage)) {
    await chat.waitForPhase('idle');
    await chat.send('go on');
  }
  if (stage === 'terminal') await allowCommand(chat);
  else if (isOneOf(asking, stage)) await chat.waitForQuestions(1);
  await chat.type('a draft');
  await chat.waitForPrompt('a draft');
  return chat;
}

async function allowCommand(chat: FaultyChat): Promise<void> {
  await chat.waitForQuestions(1);
  await chat.answer('Allow once');
  await chat.nvim.waitFor(() => chat.processes.some(isCommand), 'the command');
}

const isCommand = ({ command }: { readonly command: string }) => command.includes('sleep 600');

function isOneOf<T extends string>(list: readonly T[], value: string): value is T {
  return (list as readonly string[]).includes(value);
}

/** The chat tells in one line what happened, the next one what to do, and nothing that was typed is lost. */
async function expectEnd(chat: FaultyChat, what: string): Promise<void> {
  const { nvim } = chat;
  // Until the agent reports its name, it has the configured one.
  const name = `(?:${chat.name}|faulty)`;
  await chat.waitForPhase('down');
  await nvim.waitForScreen(new RegExp(`! ${name} ${what}`));
  await nvim.waitForScreen(':AcpRestart starts it again.');
  await nvim.waitForScreen('✗ no agent');
  await chat.waitForQuestions(0);
  await drawn(nvim);
  const [text, prompt] = [(await transcript(nvim)).join('\n'), await promptText(nvim)];
  expect(prompt).toMatch(/^(go on\n+)?a draft$/);
  if (text.includes('You')) expect(text).toContain('go on');
  expect(text.split(new RegExp(`! ${name} `)), 'the reason is told once').toHaveLength(2);
  expect(fs.existsSync(chat.at('outside.txt')), 'nothing was written without consent').toBe(false);
  expect(fs.readFileSync(await journalOf(chat), 'utf8')).toContain(what);
}

const journalOf = ({ nvim }: FaultyChat) => nvim.lua<string>("return require('acp.chats').current().journal");

const answersTo = (chat: FaultyChat, id: string) =>
  chat.received.filter((message) => message.id === id && message.method === undefined).length;

describe('an agent that ends', () => {
  const inShort = (stage: Stage, fault: string) =>
    fault === 'exit' || stage === { kill: 'line', children: 'write', 'close stdout': 'turn' }[fault];

  it.each(rows(Object.keys(endings), inShort))('at the stage "%s": %s', async (stage, fault) => {
    const chat = await reach(stage, fault);
    chat.go();
    await expectEnd(chat, endings[fault]!);
    await chat.nvim.waitFor(() => !chat.processes.some(isCommand), 'the end of its command');
    await chat.startAgain();
    await chat.close();
  });
});

describe('an agent that no longer reacts', () => {
  const inShort = (stage: Stage, fault: string) =>
    fault === 'stubborn' ? stage === 'turn' : fault !== 'flood' || stage !== 'handshake';

  it.each(rows(hangs, inShort))('at the stage "%s": %s', async (stage, fault) => {
    const chat = await reach(stage, fault);
    chat.go();
    await chat.waitForFile('failed');
    if (stage === 'start' || stage === 'handshake') await chat.nvim.waitForScreen('○ starting');
    else await stopTwice(chat, stage);
    await chat.startAgain();
    expect(await promptText(chat.nvim)).toMatch(/^(go on\n+)?a draft$/);
    await chat.close();
  });

  async function stopTwice(chat: FaultyChat, stage: Stage): Promise<void> {
    if (stage === 'opened') await chat.send('go on');
    await chat.nvim.waitFor(
      () => chat.received.some(({ method }) => method === 'session/prompt'),
      'the prompt',
    );
    await chat.waitForPhase('running');
    await chat.nvim.command('AcpCancel');
    await chat.waitForPhase('cancelling');
    if (isOneOf(asking, stage) && stage !== 'terminal') {
      await chat.nvim.waitFor(() => answersTo(chat, 'open') > 0, 'the answer');
      expect(answersTo(chat, 'open')).toBe(1);
    }
    await chat.cancelUntilKilled();
    await expectEnd(chat, 'did not stop and was killed');
  }
});

describe('an agent that closes its input', () => {
  it.each(isLong ? (['opened', 'permission', 'form'] as const) : (['permission'] as const))(
    'is ended with the next message to it, at the stage "%s"',
    async (stage) => {
      const chat = await reach(stage, 'close stdin');
      chat.go();
      await chat.waitForFile('failed');
      if (stage === 'opened') await chat.send('go on');
      else await chat.nvim.command('AcpCancel');
      await expectEnd(chat, 'closed its input and was ended');
      await chat.startAgain();
      await chat.close();
    },
  );
});

describe('afterwards', () => {
  it('no process of any agent is left, and the host is the first one, of bounded size', async () => {
    const nvim = nvimOf();
    for (const chat of opened) await chat.expectNoProcessLeft();
    expect(memoryOf(await hostPid(nvim))).toBeLessThan(400);
    expect(await nvim.messages()).not.toMatch(/Error|the host/);
  });
});
