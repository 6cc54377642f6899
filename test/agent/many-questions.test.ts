import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { Chat } from '../../src/app/chat/chat.ts';
import { QuestionLists } from '../../src/app/question-lists.ts';
import { RenderLoop } from '../../src/nvim/render-loop.ts';
import type { Editor } from '../../src/ports/editor.ts';
import { Journal } from '../../src/session/journal/journal.ts';
import { realClock } from '../../src/system/clock.ts';
import { type AgentHarness, it } from '../support/agents/agent-harness.ts';
import { cpuTime } from '../support/cpu-time.ts';
import { withoutFiles } from '../support/doubles/prompt-sources.ts';
import { shortOrLong } from '../support/long.ts';
import { fc } from '../support/property.ts';
import { waitFor } from '../support/wait.ts';
import { someOptions } from '../support/workspace/workspace.ts';

const [chatCount, perChat] = [5, 10];
const kinds = ['execute', 'edit', 'read'];

interface SentPayload {
  readonly mustRead?: true;
  readonly items?: readonly { readonly payload: { readonly list: number } }[];
  readonly questions?: readonly unknown[];
  readonly gone?: readonly number[];
}

/** An editor that has drawn everything immediately, and remembers the last list of questions. */
function anEditor() {
  const seen = { list: 0, messages: [] as string[], waiting: 0 };
  const editor = {
    send: (op: string, payload: SentPayload) => {
      if (op === 'question.waiting') seen.waiting += payload.questions!.length + payload.gone!.length;
      if (op === 'picker.open' && payload.mustRead) seen.list = payload.items![0]!.payload.list;
    },
    call: async () => 'drawn',
    notify: (_: string, message: string) => void seen.messages.push(message),
  } as unknown as Editor;
  return { editor, seen };
}

function startChats(harness: AgentHarness, run: number, count = chatCount) {
  const { editor, seen } = anEditor();
  const { log } = harness;
  const renderLoop = new RenderLoop(editor, realClock, log);
  harness.disposables.push(renderLoop);
  const questionLists = new QuestionLists(editor);
  const ports = {
    ...{ editor, log, renderLoop, questionLists, clock: realClock },
    launcher: { launch: (spec: Parameters<AgentHarness['launch']>[0]) => harness.launch(spec) },
    promptSources: withoutFiles(editor, realClock),
    options: { get: () => ({ ...someOptions, hasHistory: false }) },
  };
  const chats = Array.from({ length: count }, (_, at) => {
    const file = path.join(harness.folder, `${run}-${at}.jsonl`);
    return new Chat(at + 1, harness.spec('programmable.mjs'), new Journal(file, realClock, log), ports);
  });
  for (const chat of chats) chat.start();
  return { chats, questionLists, seen };
}

/** Ten requests at the same time. The ids of their options are theirs alone. */
function manyRequests(chat: number): string {
  const all = Array.from({ length: perChat }, (_, at) => {
    const name = `${chat}-${at}`;
    const toolCall = { toolCallId: name, title: `make ${name}`, kind: kinds[at % kinds.length] };
    const options = [
      { optionId: `allow ${name}`, name: 'Allow once', kind: 'allow_once' },
      { optionId: `reject ${name}`, name: 'Reject', kind: 'reject_once' },
    ];
    return { ask: 'session/request_permission', params: { toolCall, options } };
  });
  return JSON.stringify([{ all }]);
}

/** What the agent was answered, by request; undefined if its turn was cancelled. */
function answersOf({ session }: Chat): readonly string[] | undefined {
  const said = session.state.entries.map((entry) => (entry.kind === 'message' ? entry.text.toString() : ''));
  const text = said.findLast((one) => one.startsWith('answers '));
  if (text === undefined) return undefined;
  const [answers] = JSON.parse(text.slice('answers '.length)) as [
    readonly { outcome: { optionId?: string } }[],
  ];
  return answers.map(({ outcome }) => outcome.optionId ?? 'cancelled');
}

/** Requests of one kind, and the end of the agent when that file appears. */
function requestsUntilKilled(count: number, killedBy: string): string {
  const all = Array.from({ length: count }, (_, at) => {
    const toolCall = { toolCallId: `c${at}`, title: `make ${at}`, kind: 'execute' };
    const options = [
      { optionId: 'y', name: 'Allow once', kind: 'allow_once' },
      { optionId: 'n', name: 'Reject', kind: 'reject_once' },
    ];
    return { ask: 'session/request_permission', params: { toolCall, options } };
  });
  return JSON.stringify([{ all: [{ killedBy }, ...all] }]);
}

type Action = {
  readonly act: 'press' | 'twice' | 'list' | 'cancel';
  readonly at: number;
  readonly digit: 1 | 2;
};

const action: fc.Arbitrary<Action> = fc.record({
  act: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom('press' as const, 'twice' as const) },
    { weight: 2, arbitrary: fc.constant('list' as const) },
    { weight: 1, arbitrary: fc.constant('cancel' as const) },
  ),
  at: fc.nat(),
  digit: fc.constantFrom(1, 2),
});

it('50 questions of 5 sessions, answered in any order with cancels in between, are each answered once', async ({
  harness,
}) => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 60, maxLength: 90 }), async (actions) => {
      run += 1;
      const { chats, questionLists, seen } = startChats(harness, run);
      await waitFor(() => chats.every(({ session }) => session.state.phase === 'idle'));
      await Promise.all(chats.map((chat) => chat.send(manyRequests(chat.id))));
      const waiting = () =>
        chats.flatMap((chat) =>
          chat.questions.waiting.map((entry) => ({ chat, id: entry.question.id, entry })),
        );
      await waitFor(() => waiting().length === chatCount * perChat);
      const cancelled = new Set<Chat>();
      const expected = new Map<string, string>();
      const note = (entry: ReturnType<typeof waiting>[number]['entry'], digit: 1 | 2) => {
        const name = entry.question.toolCallId!;
        expect(expected.has(name)).toBe(false);
        expected.set(name, `${digit === 1 ? 'allow' : 'reject'} ${name}`);
      };
      const take = ({ act, at, digit }: Action) => {
        const open = waiting();
        const one = open[at % Math.max(1, open.length)];
        if (!one) return;
        const { chat, id, entry } = one;
        const { revision } = chat.questions.shownNow(entry);
        if (act === 'cancel') {
          cancelled.add(chat);
          chat.session.cancel();
        } else if (act === 'list') {
          const before = new Set(open.map((other) => other.entry));
          chat.questions.list(id);
          questionLists.answer(seen.list, digit - 1);
          for (const other of before) if (other.answer !== undefined) note(other, digit);
        } else {
          // Only a choice that shows a change takes time.
          const press = (number: number) => void chat.questions.press({ id, revision }, number, true);
          press(digit);
          note(entry, digit);
          if (act === 'twice') press(digit === 1 ? 2 : 1);
        }
      };
      for (const one of actions) {
        take(one);
        await new Promise((resolve) => setImmediate(resolve));
      }
      while (waiting().length > 0) take({ act: 'press', at: 0, digit: 1 });
      await waitFor(() => chats.every(({ session }) => session.state.phase === 'idle'));
      for (const chat of chats) {
        const answers = answersOf(chat);
        if (cancelled.has(chat)) expect(answers).toBeUndefined();
        else
          expect(answers).toEqual(
            Array.from({ length: perChat }, (_, at) => expected.get(`${chat.id}-${at}`)),
          );
      }
      await Promise.all(chats.map((chat) => chat.end()));
    }),
    { seed: 13, numRuns: shortOrLong(2, 20), endOnFailure: true },
  );
}, 120_000);

it('500 questions of one turn are shown soon, and end with their agent', async ({ harness }) => {
  const { chats } = startChats(harness, 0, 1);
  const [{ session, questions }] = chats as [Chat];
  await waitFor(() => session.state.phase === 'idle');
  const killedBy = path.join(harness.folder, 'kill');
  const began = cpuTime();
  await chats[0]!.send(requestsUntilKilled(500, killedBy));
  await waitFor(() => questions.waiting.length === 500);
  expect(cpuTime() - began).toBeLessThan(4_000);
  fs.writeFileSync(killedBy, '');
  await waitFor(() => session.state.phase === 'down');
  expect(questions.waiting).toEqual([]);
});

it('4,000 questions take no more time each than 500, to be shown and to be cancelled', async ({
  harness,
}) => {
  const perQuestion = async (count: number) => {
    const { chats, seen } = startChats(harness, count, 1);
    const [chat] = chats as [Chat];
    const { session, questions } = chat;
    await waitFor(() => session.state.phase === 'idle');
    const began = cpuTime();
    await chat.send(requestsUntilKilled(count, path.join(harness.folder, `kill-${count}`)));
    await waitFor(() => questions.waiting.length === count, { timeout: 100_000 });
    const asked = cpuTime() - began;
    session.cancel();
    await waitFor(() => session.state.phase === 'idle', { timeout: 100_000 });
    expect(questions.waiting).toEqual([]);
    const ended = cpuTime() - began - asked;
    await chat.end();
    // When it was asked, when it was drawn, when another number was drawn, when it was gone.
    expect(seen.waiting).toBeLessThan(4 * count);
    return { asked: asked / count, ended: ended / count };
  };
  const few = await perQuestion(500);
  const many = await perQuestion(4_000);
  expect(many.asked / few.asked).toBeLessThan(1.5);
  expect(many.ended / few.ended).toBeLessThan(1.5);
}, 240_000);

it('requests that were not read when the agent died are not asked', async ({ harness }) => {
  const { chats } = startChats(harness, 0, 1);
  const [{ session }] = chats as [Chat];
  await waitFor(() => session.state.phase === 'idle');
  const killedBy = path.join(harness.folder, 'kill');
  fs.writeFileSync(killedBy, '');
  // More than the pipe holds, so the agent is dead before all of it was handled.
  await chats[0]!.send(requestsUntilKilled(1_500, killedBy));
  await waitFor(() => session.state.phase === 'down');
  const asked = session.state.entries.filter(({ kind }) => kind === 'question').length;
  expect(asked).toBeLessThan(1_500);
  expect(session.state.questions).toEqual([]);
});
