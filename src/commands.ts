import { reachOf } from './agent-reach.ts';
import { isRecord } from './base.ts';
import type { ReviewCursor } from './chat-review.ts';
import { AcpError } from './errors.ts';
import type { Host } from './host.ts';
import { actFrom } from './interview.ts';

type Payload = Record<string, unknown>;

/** Everything Neovim may tell the host, named noun.verb. What takes its time is returned, so that its failure is told. */
export const notifications: Readonly<Record<string, (host: Host, payload: Payload) => unknown>> = {
  'host.hello': (host, payload) =>
    host.hello(text(payload, 'log'), text(payload, 'level'), optionalText(payload, 'shell')),
  'host.shutdown': (host) => host.shutdown(),
  'host.ask': (host, payload) =>
    host.answer(number(payload, 'id'), text(payload, 'op'), payloadOf(payload.payload)),
  'chat.open': (host, payload) =>
    host.openChat({
      id: number(payload, 'chat'),
      spec: agentSpec(payload),
      transcript: text(payload, 'transcript'),
      before: before(payload),
    }),
  'chat.redraw': (host, payload) => host.chat(number(payload, 'chat')).redraw(),
  'chat.close': (host, payload) => host.closeChat(number(payload, 'chat')),
  'sessions.show': (host, payload) =>
    host.sessions.show({
      spec: agentSpec(payload),
      folder: text(payload, 'folder'),
      action: oneOf(payload, 'action', ['open', 'close', 'delete']),
      isAll: payload.all === true,
    }),
  'session.open': (host, payload) => host.sessions.open(number(payload, 'index')),
  'session.close': (host, payload) => host.sessions.close(number(payload, 'index')),
  'session.delete': (host, payload) => host.sessions.confirm(number(payload, 'index')),
  'session.remove': (host, payload) => host.sessions.remove(number(payload, 'index')),
  'session.keep': () => undefined,
  'prompt.send': (host, payload) => host.chat(number(payload, 'chat')).send(text(payload, 'text')),
  'turn.cancel': (host, payload) => host.chat(number(payload, 'chat')).session.cancel(),
  'agent.restart': (host, payload) =>
    host.restartAgent({ chat: number(payload, 'chat'), isSure: payload.sure === true }),
  'entry.toggle': (host, payload) => host.chat(number(payload, 'chat')).toggle(number(payload, 'block')),
  'entry.open': (host, payload) =>
    host.chat(number(payload, 'chat')).openEntry(number(payload, 'block'), number(payload, 'line')),
  'entry.compare': (host, payload) =>
    host.chat(number(payload, 'chat')).compareEntry(number(payload, 'block'), number(payload, 'line')),
  'terminals.list': (host, payload) => host.terminals.list(oneOf(payload, 'action', ['open', 'kill'])),
  'terminal.run': (host, payload) => host.terminals.run(number(payload, 'chat'), text(payload, 'line')),
  'terminal.show': (host, payload) => host.terminals.show(text(payload, 'terminal')),
  'terminal.hide': (host, payload) => host.terminals.hide(text(payload, 'terminal')),
  'terminal.kill': (host, payload) => host.terminals.kill(text(payload, 'terminal')),
  'terminal.input': (host, payload) => host.terminals.type(text(payload, 'terminal'), text(payload, 'data')),
  'terminal.resize': (host, payload) =>
    host.terminals.resize(text(payload, 'terminal'), {
      columns: number(payload, 'columns'),
      rows: number(payload, 'rows'),
    }),
  'plan.show': (host, payload) => host.chat(number(payload, 'chat')).showPlan(),
  'plan.hide': (host, payload) => host.findChat(number(payload, 'chat'))?.hidePlan(),
  'review.open': (host, payload) =>
    host.chat(number(payload, 'chat')).review.open(oneOf(payload, 'scope', ['session', 'turn'])),
  'review.hide': (host, payload) => host.findChat(number(payload, 'chat'))?.review.close(),
  'review.choose': (host, payload) =>
    host.chat(number(payload, 'chat')).review.choose(number(payload, 'line')),
  'review.go': (host, payload) =>
    host.chat(number(payload, 'chat')).review.go(payload.step === -1 ? -1 : 1, cursorIn(payload)),
  'review.decide': (host, payload) =>
    host
      .chat(number(payload, 'chat'))
      .review.decide(
        oneOf(payload, 'verdict', ['keep', 'reject']),
        oneOf(payload, 'what', ['hunk', 'file', 'all']),
        cursorIn(payload),
      ),
  'review.outside': (host, payload) =>
    host.chat(number(payload, 'chat')).review.confirmOutside(number(payload, 'ask')),
  'review.undo': (host, payload) => host.chat(number(payload, 'chat')).review.undo(),
  'review.touch': (host, payload) => host.findChat(number(payload, 'chat'))?.review.touch(),
  'review.quickfix': (host, payload) => host.chat(number(payload, 'chat')).review.quickfix(),
  'review.tell': (host, payload) => host.chat(number(payload, 'chat')).review.tellRejections(),
  'restore.show': (host, payload) => host.chat(number(payload, 'chat')).restore.show(),
  'restore.plan': (host, payload) =>
    host.chat(number(payload, 'chat')).restore.plan(number(payload, 'checkpoint')),
  'restore.read': (host, payload) =>
    host.chat(number(payload, 'chat')).restore.read(number(payload, 'checkpoint')),
  'restore.take': (host, payload) =>
    host.chat(number(payload, 'chat')).restore.take(number(payload, 'checkpoint'), payload.all === true),
  'restore.undo': (host, payload) => host.chat(number(payload, 'chat')).restore.undo(),
  'restore.leave': (host, payload) => host.chat(number(payload, 'chat')).restore.leave(),
  'file.saved': (host, payload) => host.fileSaved(text(payload, 'path')),
  'file.reread': (host, payload) => host.fileReread(text(payload, 'path')),
  'login.show': (host, payload) => host.chat(number(payload, 'chat')).showLogin(),
  'login.start': (host, payload) => host.login(number(payload, 'chat'), text(payload, 'method')),
  'login.confirm': (host, payload) => host.chat(number(payload, 'chat')).runLogin(number(payload, 'run')),
  'login.key': (host, payload) =>
    host.loginWithKey(number(payload, 'chat'), text(payload, 'method'), text(payload, 'key')),
  'login.ended': (host, payload) => host.loginEnded(number(payload, 'chat'), number(payload, 'code')),
  'login.forget': (host, payload) => host.chat(number(payload, 'chat')).logout(),
  'setting.show': (host, payload) =>
    host.chat(number(payload, 'chat')).showSetting({
      id: optionalText(payload, 'setting'),
      category: optionalText(payload, 'category'),
    }),
  'setting.change': (host, payload) =>
    host.chat(number(payload, 'chat')).session.change(text(payload, 'setting'), choice(payload, 'value')),
  'agents.show': (host, payload) => host.registryAgents(places(payload)).show(),
  'agents.take': (host, payload) => host.registryAgents(places(payload)).take(text(payload, 'agent')),
  'agents.accept': (host, payload) =>
    host.registryAgents(places(payload)).accept(text(payload, 'agent'), text(payload, 'summary')),
  'traffic.open': (host, payload) => host.chat(number(payload, 'chat')).traffic.open(),
  'traffic.close': (host, payload) => host.chat(number(payload, 'chat')).traffic.close(),
  'recording.start': (host, payload) =>
    host.chat(number(payload, 'chat')).traffic.record(text(payload, 'file')),
  'recording.stop': (host, payload) => host.chat(number(payload, 'chat')).traffic.stopRecording(),
  'extension.names': (host, payload) =>
    host.extensions.setNames({
      requests: new Map(Object.entries(payloadOf(payload.requests)).map(([name, ms]) => [name, Number(ms)])),
      notifications: new Set(listOf(payload.notifications).map(String)),
    }),
  'extension.answer': (host, payload) =>
    host.extensions.answer(number(payload, 'id'), payload.result, optionalText(payload, 'error')),
  'extension.send': (host, payload) =>
    host.extensions.send(() => host.chat(number(payload, 'chat')).session.lastLink, {
      id: typeof payload.id === 'number' ? payload.id : undefined,
      method: text(payload, 'method'),
      params: payload.params,
    }),
  'question.show': (host, payload) =>
    host.chat(number(payload, 'chat')).questions.show({
      isUnasked: payload.isUnasked === true,
      ...(typeof payload.id === 'number' && { id: payload.id }),
    }),
  'question.answer': (host, payload) =>
    host.chat(number(payload, 'chat')).questions.answer(number(payload, 'id'), number(payload, 'option')),
  'question.close': (host, payload) =>
    host.chat(number(payload, 'chat')).questions.close(number(payload, 'id')),
  'question.postpone': (host, payload) =>
    host.chat(number(payload, 'chat')).questions.postpone(number(payload, 'id')),
  'question.look': (host, payload) =>
    host.chat(number(payload, 'chat')).questions.look(number(payload, 'id')),
  'conflict.settle': (host, payload) =>
    host
      .chat(number(payload, 'chat'))
      .questions.settle(number(payload, 'id'), listOf(payload.lines).map(String)),
  'file.changed': (host, payload) =>
    host.findChat(number(payload, 'chat'))?.changedOnDisk(text(payload, 'path')),
  'form.take': (host, payload) =>
    host
      .chat(number(payload, 'chat'))
      .questions.interview.fill(number(payload, 'id'), number(payload, 'turn'), actFrom(payload)),
  'page.take': (host, payload) =>
    host
      .chat(number(payload, 'chat'))
      .questions.interview.visit(number(payload, 'id'), text(payload, 'choice')),
};

/** What Neovim may ask with `host.ask`. Answered from memory: the user may be waiting for it. */
export const requests: Readonly<Record<string, (host: Host, payload: Payload) => unknown>> = {
  'host.status': (host) => host.status(),
  'terminal.text': (host, payload) => host.terminals.text(text(payload, 'terminal')),
  'traffic.message': (host, payload) =>
    host.chat(number(payload, 'chat')).traffic.linesOf(number(payload, 'number')),
};

export function payloadOf(value: unknown): Payload {
  // An empty Lua table arrives as an empty list.
  return isRecord(value) ? value : {};
}

function agentSpec(payload: Payload) {
  const agent = payloadOf(payload.agent);
  const reach = reachOf(agent);
  const command = reach.transport === 'stdio' ? agent.command : [];
  if (!Array.isArray(command) || (reach.transport === 'stdio' && command.length === 0)) {
    throw bad('agent.command', 'a list of words', command);
  }
  const install = optionalText(agent, 'install');
  const login = optionalText(agent, 'login');
  return {
    name: text(agent, 'name'),
    ...reach,
    command: command.map(String),
    env: Object.fromEntries(
      Object.entries(payloadOf(agent.env)).map(([name, value]) => [name, String(value)]),
    ),
    cwd: text(payload, 'cwd'),
    isStrict: agent.strict === true,
    hasProposals: agent.proposals === true,
    ...(install !== undefined && { install }),
    ...(login !== undefined && { login }),
    mcpServers: listOf(agent.mcp_servers),
    directories: listOf(agent.directories).map(String),
  };
}

function before(payload: Payload) {
  const session = optionalText(payload, 'session');
  if (session === undefined) return undefined;
  return { session, written: optionalText(payload, 'written'), title: optionalText(payload, 'title') };
}

function cursorIn(payload: Payload): ReviewCursor {
  const line = payload.line === undefined ? undefined : number(payload, 'line');
  return { row: number(payload, 'row'), line, moves: number(payload, 'moves') };
}

function places(payload: Payload) {
  return { source: text(payload, 'source'), cache: text(payload, 'cache'), state: text(payload, 'state') };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(payload: Payload, key: string): string {
  const value = payload[key];
  if (typeof value !== 'string') throw bad(key, 'a string', value);
  return value;
}

function optionalText(payload: Payload, key: string): string | undefined {
  return payload[key] === undefined || payload[key] === null ? undefined : text(payload, key);
}

function oneOf<T extends string>(payload: Payload, key: string, values: readonly T[]): T {
  const value = values.find((candidate) => candidate === payload[key]);
  if (value === undefined) throw bad(key, `one of ${values.join(', ')}`, payload[key]);
  return value;
}

function choice(payload: Payload, key: string): string | boolean {
  return typeof payload[key] === 'boolean' ? payload[key] : text(payload, key);
}

function number(payload: Payload, key: string): number {
  const value = payload[key];
  if (typeof value !== 'number') throw bad(key, 'a number', value);
  return value;
}

function bad(key: string, expected: string, found: unknown): AcpError {
  return new AcpError('bad_params', `${key} must be ${expected}, not ${JSON.stringify(found)}`);
}
