import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AcpError } from '../../../src/base/errors.ts';
import { assembleHost } from '../../../src/main.ts';
import { FileLog } from '../../../src/system/file-log.ts';
import { ManualClock } from '../../support/doubles/clock.ts';
import { Deferred } from '../../support/doubles/deferred.ts';
import { EditorDouble } from '../../support/doubles/editor.ts';
import { aFolder } from '../../support/system/temp.ts';
import { waitFor } from '../../support/wait.ts';
import { someOptions } from '../../support/workspace/workspace.ts';

function aHost() {
  const editor = new EditorDouble();
  const file = new FileLog();
  const log = path.join(aFolder(), 'acp.log');
  file.open(log);
  const host = assembleHost({ editor, clock: new ManualClock(), log: file });
  host.configure(someOptions);
  onTestFinished(async () => {
    await host.end();
    file.close();
  });
  const told = (op: string) => editor.sent.filter((call) => call.op === op).map(({ payload }) => payload);
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
  const payload = { chat: 1, cwd: folder, agent, journal: path.join(folder, 'chats', '1.jsonl') };
  void parts.host.notify('chat.open', payload);
  return { ...parts, payload };
}

describe('an operation of Neovim', () => {
  it.each(['chat.fly', '', 'constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'with an unknown name is reported to the user: %j',
    (op) => {
      const { host, complaints } = aHost();
      void host.notify(op, {});
      expect(complaints()).toEqual([expect.stringContaining(`unknown host operation "${op}"`)]);
    },
  );

  it.each<[string, unknown, string]>([
    ['chat.open', {}, 'chat must be a number, but is missing'],
    ['chat.open', { chat: 1 }, 'chat.open: agent.name must be a string, but is missing'],
    [
      'chat.open',
      { chat: 1, agent: { name: 'x', command: [] } },
      'agent.command must be a list of words, not []',
    ],
    [
      'chat.open',
      { chat: 1, agent: { name: 'x', command: 'x' } },
      'agent.command must be a list of words, not "x"',
    ],
    ['chat.open', { chat: 1, agent: { name: 5 } }, 'chat.open: agent.name must be a string, not 5'],
    ['chat.open', { chat: 1, agent: { command: ['x'], name: 'x' } }, 'cwd must be a string, but is missing'],
    [
      'chat.open',
      { chat: 1, cwd: '/', agent: { command: ['x'], name: 'x' } },
      'journal must be a string, but is missing',
    ],
    [
      'chat.open',
      { chat: 1, agent: { name: 'x', transport: 'smoke' } },
      'agent.transport must be one of stdio,',
    ],
    ['chat.open', { chat: 1, agent: { name: 'x', transport: 'http' } }, 'agent.url must be a string'],
    ['prompt.send', { chat: '1', text: 'x' }, 'prompt.send: chat must be a number, not "1"'],
    ['prompt.send', { chat: 1, text: 'x' }, 'the host has lost chat 1'],
    ['prompt.send', { chat: 1 }, 'prompt.send: text must be a string, but is missing'],
    ['host.hello', { log: 5 }, 'host.hello: log must be a string, not 5'],
    [
      'host.hello',
      { log: '/log', options: { log_level: 'loud' } },
      'options.log_level must be one of error,',
    ],
    ['host.configure', {}, 'host.configure: options.log_level must be one of error, warn, info, debug'],
    ['turn.cancel', [], 'chat must be a number, but is missing'],
    ['turn.cancel', null, 'chat must be a number, but is missing'],
    ['entry.toggle', { chat: 9, block: 1 }, 'the host has lost chat 9'],
    ['question.answer', { chat: 9, id: 1, revision: 1, option: 0 }, 'the host has lost chat 9'],
  ])('with an invalid payload is reported to the user: %s %j', (op, payload, message) => {
    const { host, complaints } = aHost();
    void host.notify(op, payload);
    expect(complaints()).toEqual([expect.stringContaining(message)]);
  });

  it('that fails later is reported to the user and logged with its cause', async () => {
    const { host, complaints, log } = anOpenChat();
    const cause = new Error('E36: Not enough room');
    host.inbox.show = () => Promise.reject(new AcpError('bug', 'no room', { cause }));
    await host.notify('inbox.show', {});
    expect(complaints()).toEqual([expect.stringMatching(/^could not .*: no room$/)]);
    expect(fs.readFileSync(log, 'utf8')).toMatch(
      /inbox\.show failed: .*no room[\s\S]*caused by .*E36: Not enough room/,
    );
  });

  it.each([
    ['that can’t be done', new AcpError('unsupported', 'no worktree'), 'inbox.show failed: no worktree'],
    [
      'that fails for a reason outside of the plugin',
      new AcpError('file_error', 'not written', { cause: new Error('EACCES') }),
      'inbox.show failed: not written: EACCES',
    ],
  ])('%s is logged in one line that is no error', async (_, error, logged) => {
    const { host, complaints, log } = anOpenChat();
    host.inbox.show = () => Promise.reject(error);
    await host.notify('inbox.show', {});
    expect(complaints()).toHaveLength(1);
    const text = fs.readFileSync(log, 'utf8');
    expect(text).toMatch(new RegExp(` info +${logged}\n$`));
    expect(text).not.toMatch(/ error |\n +at /);
  });

  it('that the user has cancelled is not reported as a failure', async () => {
    const { host, complaints } = anOpenChat();
    host.inbox.show = () => Promise.reject(new AcpError('cancelled', 'withdrawn'));
    await host.notify('inbox.show', {});
    expect(complaints()).toEqual([]);
  });

  it('on an unknown chat makes Neovim open the chat again', () => {
    const { host, told } = aHost();
    void host.notify('prompt.send', { chat: 4, text: 'x' });
    expect(told('chat.unknown')).toEqual([{ chat: 4 }]);
  });

  it('may close a chat that is closed already', () => {
    const { host, complaints } = aHost();
    void host.notify('chat.close', { chat: 7 });
    expect(complaints()).toEqual([]);
  });
});

describe('a request of Neovim', () => {
  it.each(['chat.fly', 'constructor', '__proto__'])(
    'with an unknown name is answered with an error: %s',
    (op) => {
      expect(aHost().host.request(op, {})).toEqual({ ok: false, error: `unknown host operation "${op}"` });
    },
  );

  it.each<[string, unknown, string]>([
    ['traffic.message', {}, 'chat must be a number, but is missing'],
    ['traffic.message', { chat: 3, number: 0 }, 'the host has lost chat 3'],
  ])('with an invalid payload is answered with an error: %s %j', (op, payload, error) => {
    expect(aHost().host.request(op, payload)).toEqual({ ok: false, error: expect.stringContaining(error) });
  });

  it('is answered from memory', () => {
    const { host } = anOpenChat();
    expect(host.request('traffic.message', { chat: 1, number: 0 })).toEqual({ ok: true, value: [] });
    expect(host.request('host.status', [])).toMatchObject({
      ok: true,
      value: { pid: process.pid, chats: [{ id: 1, agent: 'tester', phase: 'starting' }] },
    });
  });
});

it('the host logs at the level of the latest options', async () => {
  const { host, log, complaints } = aHost();
  const options = {
    log_level: 'error',
    shell: 'sh',
    strict: false,
    proposals: false,
    on_conflict: 'ask',
    history: true,
    keep: { days: 30, sessions: 100 },
    permissions: [],
    idle_minutes: 0,
    remember: [],
    modes: [],
    models: [],
    markdown: 'own',
    plain: false,
    keys: { cancel: '', next_question: '', diff: '' },
    settings_file: '',
    permission_files: { user: '', trust: '', audit: '' },
    editor_folders: [],
  };
  await host.notify('host.hello', { log, options });
  expect(fs.readFileSync(log, 'utf8')).toBe('');
  await host.notify('host.configure', { options: { ...options, log_level: 'info' } });
  expect(complaints()).toEqual([]);
  const agent = { name: 'tester', command: ['acp-no-such-program'] };
  const journal = path.join(path.dirname(log), '1.jsonl');
  await host.notify('chat.open', { chat: 1, cwd: '/', agent, journal });
  expect(fs.readFileSync(log, 'utf8')).toContain('chat 1: acp-no-such-program in /');
});

describe('a chat', () => {
  it('is opened once for an id', () => {
    const { host, payload } = anOpenChat();
    void host.notify('chat.open', payload);
    expect(host.request('host.status', {})).toMatchObject({ value: { chats: [{ id: 1 }] } });
  });

  it('with an agent that is not installed returns each prompt, and says so once', async () => {
    const { host, told, complaints } = anOpenChat();
    for (const id of ['a', 'b']) {
      const before = told('prompt.return').length;
      void host.notify('prompt.send', { chat: 1, id, text: 'hi' });
      expect(told('prompt.accepted').at(-1)).toEqual({ chat: 1, id, text: 'hi' });
      await waitFor(() => told('prompt.return').length > before);
    }
    const returned = { chat: 1, text: 'hi' };
    expect(told('prompt.return')).toEqual([
      { ...returned, ids: ['a'] },
      { ...returned, ids: ['b'] },
    ]);
    expect(host.request('host.status', {})).toMatchObject({
      value: { chats: [{ phase: 'down', entries: 1 }] },
    });
    expect(complaints()).toEqual([]);
  });

  it('that was closed is unknown', () => {
    const { host, complaints } = anOpenChat();
    void host.notify('chat.close', { chat: 1 });
    void host.notify('turn.cancel', { chat: 1 });
    expect(complaints()).toHaveLength(1);
  });
});

describe('the end of the host', () => {
  it('opens no chat afterwards', async () => {
    const { host, payload } = anOpenChat();
    const ended = host.end();
    const journal = payload.journal.replace('1.jsonl', '2.jsonl');
    await host.notify('chat.open', { ...payload, chat: 2, journal });
    await host.notify('prompt.send', { chat: 2, text: 'fix it' });
    await ended;
    expect(host.findChat(2)).toBeUndefined();
    expect(fs.existsSync(journal)).toBe(false);
  });

  it('happens once, however often it is asked for', async () => {
    const { host } = anOpenChat();
    void host.notify('host.shutdown', {});
    expect(host.end()).toBe(host.end());
    await host.end();
    expect(host.request('host.status', {})).toMatchObject({ value: { chats: [] } });
  });

  it('waits for a chat that is closing', async () => {
    const { host } = anOpenChat();
    const { session } = host.chat(1);
    const endSession = session.end.bind(session);
    const closing = new Deferred<void>();
    const order: string[] = [];
    session.end = async () => {
      await closing.promise;
      await endSession();
      order.push('chat ended');
    };
    void host.notify('chat.close', { chat: 1 });
    const ended = host.end().then(() => order.push('host ended'));
    setImmediate(() => closing.resolve());
    await ended;
    expect(order).toEqual(['chat ended', 'host ended']);
  });

  it('first writes the journals, then ends the agents, and leaves nothing to draw or write', async () => {
    const { host, editor, payload } = anOpenChat();
    const { session } = host.chat(1);
    const order: string[] = [];
    const endSession = session.end.bind(session);
    session.end = async () => {
      order.push(fs.readFileSync(payload.journal, 'utf8').includes('"prompt_queued"') ? 'written' : 'lost');
      await endSession();
      order.push('agent ended');
    };
    await host.notify('prompt.send', { chat: 1, text: 'fix it' });
    await host.end();
    expect(order).toEqual(['written', 'agent ended']);
    const written = fs.readFileSync(payload.journal, 'utf8');
    const sent = editor.sent.length;
    const asked = editor.calls.length;
    session.report({ kind: 'chunk', role: 'agent', text: 'too late' });
    session.report({ kind: 'title', title: 'too late' });
    await host.notify('chat.redraw', { chat: 1 });
    expect(fs.readFileSync(payload.journal, 'utf8')).toBe(written);
    expect([editor.sent.length, editor.calls.length]).toEqual([sent, asked]);
  });
});
