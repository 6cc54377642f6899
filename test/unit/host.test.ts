import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { notifications, requests } from '../../src/commands.ts';
import { AcpError } from '../../src/errors.ts';
import { Host } from '../../src/host.ts';
import { FileLog } from '../../src/log.ts';
import { EditorDouble, ManualClock } from '../support/doubles.ts';
import { aFolder } from '../support/temp.ts';
import { waitFor } from '../support/wait.ts';

function aHost() {
  const editor = new EditorDouble();
  const file = new FileLog();
  const log = path.join(aFolder(), 'acp.log');
  file.open(log);
  const host = new Host({ editor, clock: new ManualClock(), log: file });
  onTestFinished(async () => {
    await host.shutdown();
    file.close();
  });
  const told = (op: string) => editor.told.filter((call) => call.op === op).map(({ payload }) => payload);
  return {
    host,
    editor,
    log,
    told,
    complaints: () => told('user.notify').map(({ message }) => String(message)),
  };
}

/** A chat on an agent that can't be started. */
function anOpenChat() {
  // The folder goes last: what is written when the host ends goes into it.
  const folder = aFolder();
  const parts = aHost();
  const agent = { name: 'tester', command: ['acp-no-such-program'], env: {}, install: 'npm i -g tester' };
  const payload = { chat: 1, cwd: folder, agent, transcript: path.join(folder, 'chats', '1.jsonl') };
  parts.host.notify('chat.open', payload);
  return { ...parts, payload };
}

describe('what Neovim tells', () => {
  it.each(['chat.fly', '', 'constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'and is not known is told to the user: %j',
    (op) => {
      const { host, complaints } = aHost();
      host.notify(op, {});
      expect(complaints()).toEqual([expect.stringContaining(`the host knows no "${op}"`)]);
    },
  );

  it.each<[string, unknown, string]>([
    ['chat.open', {}, 'chat must be a number, not undefined'],
    ['chat.open', { chat: 1 }, 'agent.command must be a list of words, not undefined'],
    ['chat.open', { chat: 1, agent: { command: [] } }, 'agent.command must be a list of words, not []'],
    ['chat.open', { chat: 1, agent: { command: 'x' } }, 'agent.command must be a list of words, not "x"'],
    ['chat.open', { chat: 1, agent: { command: ['x'] } }, 'name must be a string, not undefined'],
    ['chat.open', { chat: 1, agent: { command: ['x'], name: 'x' } }, 'cwd must be a string, not undefined'],
    [
      'chat.open',
      { chat: 1, cwd: '/', agent: { command: ['x'], name: 'x' } },
      'transcript must be a string, not undefined',
    ],
    ['chat.open', { chat: 1, agent: { transport: 'smoke' } }, 'agent.transport must be one of stdio,'],
    ['chat.open', { chat: 1, agent: { transport: 'http' } }, 'agent.url must be a string'],
    ['prompt.send', { chat: '1', text: 'x' }, 'chat must be a number, not "1"'],
    ['prompt.send', { chat: 1, text: 'x' }, 'there is no chat 1'],
    ['host.hello', { log: 5, level: 'info' }, 'log must be a string, not 5'],
    ['turn.cancel', [], 'chat must be a number, not undefined'],
    ['turn.cancel', null, 'chat must be a number, not undefined'],
    ['entry.toggle', { chat: 9 }, 'there is no chat 9'],
    ['question.answer', { chat: 9, id: 1 }, 'there is no chat 9'],
  ])('with a bad payload is told to the user: %s %j', (op, payload, message) => {
    const { host, complaints } = aHost();
    host.notify(op, payload);
    expect(complaints()).toEqual([expect.stringContaining(message)]);
  });

  it('and fails later is told to the user in words, and logged with its cause', async () => {
    const { host, editor, complaints, payload, log } = anOpenChat();
    const done = host.notify('review.open', { chat: payload.chat, scope: 'session' });
    const isAsked = () => editor.asked.find(({ op }) => op === 'review.open');
    await waitFor(() => isAsked() !== undefined);
    isAsked()?.answer.reject(new AcpError('bug', 'no room', { cause: new Error('E36: Not enough room') }));
    await done;
    expect(complaints()).toEqual(['could not open the review: no room']);
    expect(fs.readFileSync(log, 'utf8')).toMatch(
      /review\.open failed: .*no room[\s\S]*caused by .*E36: Not enough room/,
    );
  });

  it('and was taken back by the user is no failure', async () => {
    const { host, editor, complaints, payload } = anOpenChat();
    const done = host.notify('review.open', { chat: payload.chat, scope: 'session' });
    const isAsked = () => editor.asked.find(({ op }) => op === 'review.open');
    await waitFor(() => isAsked() !== undefined);
    isAsked()?.answer.reject(new AcpError('cancelled', 'taken back'));
    await done;
    expect(complaints()).toEqual([]);
  });

  it('about a chat that is not known makes Neovim open it again the next time', () => {
    const { host, told } = aHost();
    void host.notify('prompt.send', { chat: 4, text: 'x' });
    expect(told('chat.unknown')).toEqual([{ chat: 4 }]);
  });

  it('about a chat that is closed already is no matter', () => {
    const { host, complaints } = aHost();
    host.notify('chat.close', { chat: 7 });
    expect(complaints()).toEqual([]);
  });

  it('has a name of two words, noun and verb', () => {
    for (const op of [...Object.keys(notifications), ...Object.keys(requests)])
      expect(op).toMatch(/^[a-z]+\.[a-z]+$/);
  });
});

describe('what Neovim asks', () => {
  it.each(['chat.fly', 'constructor', '__proto__'])(
    'and is not known is answered with an error: %s',
    (op) => {
      expect(aHost().host.request(op, {})).toEqual({ ok: false, error: `the host knows no "${op}"` });
    },
  );

  it.each<[string, unknown, string]>([
    ['traffic.message', {}, 'chat must be a number, not undefined'],
    ['traffic.message', { chat: 3 }, 'there is no chat 3'],
  ])('with a bad payload is answered with an error: %s %j', (op, payload, error) => {
    expect(aHost().host.request(op, payload)).toEqual({ ok: false, error: expect.stringContaining(error) });
  });

  it('is answered from memory, always in a table', () => {
    const { host } = anOpenChat();
    expect(host.request('traffic.message', { chat: 1, number: 0 })).toEqual({ ok: true, value: [] });
    expect(host.request('host.status', [])).toMatchObject({
      ok: true,
      value: { pid: process.pid, chats: [{ id: 1, agent: 'tester', phase: 'starting' }] },
    });
  });
});

describe('a chat', () => {
  it('is opened once for an id', () => {
    const { host, payload } = anOpenChat();
    host.notify('chat.open', payload);
    expect(host.request('host.status', {})).toMatchObject({ value: { chats: [{ id: 1 }] } });
  });

  it('on a program that is not installed goes down and gives the prompt back', async () => {
    const { host, told, complaints } = anOpenChat();
    host.notify('prompt.send', { chat: 1, text: 'hi' });
    expect(told('prompt.accepted')).toEqual([{ chat: 1, text: 'hi' }]);
    await waitFor(() => told('prompt.restore').length > 0);
    expect(told('prompt.restore')).toEqual([{ chat: 1, text: 'hi' }]);
    expect(host.request('host.status', {})).toMatchObject({
      value: { chats: [{ phase: 'down', entries: 1 }] },
    });
    expect(complaints()).toEqual([]);
  });

  it('that is closed is forgotten', () => {
    const { host, complaints } = anOpenChat();
    host.notify('chat.close', { chat: 1 });
    host.notify('turn.cancel', { chat: 1 });
    expect(complaints()).toHaveLength(1);
  });
});

it('opens no chat once it shuts down', async () => {
  const { host, payload } = anOpenChat();
  const ended = host.shutdown();
  const transcript = payload.transcript.replace('1.jsonl', '2.jsonl');
  await host.notify('chat.open', { ...payload, chat: 2, transcript });
  await host.notify('prompt.send', { chat: 2, text: 'fix it' });
  await ended;
  expect(host.findChat(2)).toBeUndefined();
  expect(fs.existsSync(transcript)).toBe(false);
});

it('shuts down once, however often it is told', async () => {
  const { host } = anOpenChat();
  host.notify('host.shutdown', {});
  expect(host.shutdown()).toBe(host.shutdown());
  await host.shutdown();
  expect(host.request('host.status', {})).toMatchObject({ value: { chats: [] } });
});
