import { type ChatOptions, drawn, transcript, waitForPhase } from '../nvim/chat.ts';
import type { NvimOptions, TestNvim } from '../nvim/nvim.ts';
import { recordNotifications } from '../nvim/user.ts';
import { type ProgrammableChat, startProgrammableChat } from './programmable-chat.ts';

type Start = (options?: NvimOptions) => Promise<TestNvim>;

const options = [
  { optionId: 'y', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'a', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'n', name: 'Reject', kind: 'reject_once' },
];

/** A step that asks for a permission. */
export function ask(title: string, fields: object = {}, offered: readonly object[] = options) {
  const toolCall = { toolCallId: title, title, kind: 'execute', ...fields };
  return { ask: 'session/request_permission', params: { toolCall, options: offered } };
}

/** A chat whose questions the test answers with keys. */
export async function startAsking(start: Start, given: ChatOptions = {}) {
  const chat = await startProgrammableChat(start, {
    ...given,
    init: `${recordNotifications}\n${given.init ?? ''}`,
  });
  const { nvim } = chat;
  const saysSo = (text: string) =>
    nvim.waitFor(async () => (await nvim.lua<string[]>('return _G.said')).join('\n').includes(text), text);
  const isWaiting = async (count: number) => {
    await nvim.waitFor(
      () => nvim.lua<boolean>(`return require('acp.chats').current().waiting == ${count}`),
      `${count} questions`,
    );
    await drawn(nvim);
  };
  return { chat, nvim, saysSo, isWaiting };
}

/** What the agent was answered, in the order of its requests. */
export async function outcomes({ nvim }: ProgrammableChat): Promise<readonly string[]> {
  await waitForPhase(nvim, 'idle');
  await drawn(nvim);
  const line = (await transcript(nvim)).find((text) => text.includes('answers ['));
  const answers = JSON.parse(line!.slice(line!.indexOf('['))) as readonly unknown[];
  return answers
    .flat()
    .filter(Boolean)
    .map((answer) => {
      const { outcome } = answer as { outcome: { outcome: string; optionId?: string } };
      return outcome.optionId ?? outcome.outcome;
    });
}

/** Waits for so much time in which Neovim was not busy. */
export const passes = async (nvim: TestNvim, ms: number) => {
  const now = () => nvim.lua<number>("return require('acp.dialogs.idle').now()");
  const until = (await now()) + ms;
  await nvim.waitFor(async () => (await now()) > until, 'the guard time');
};
