import {
  anything,
  boolean,
  either,
  flag,
  listOf,
  mapOf,
  number,
  oneOf,
  optional,
  shape,
  text,
} from '../base/parse.ts';
import { openFile } from '../nvim/operation-answers.ts';
import { agentSpec } from './agent-spec.ts';
import { formActionFields, formActionFrom } from './form-action.ts';
import { type HostOperation, inChat, inOpenChat, operation } from './host-operation.ts';
import { hostOptions } from './host-options.ts';
import { permissionOperations } from './permissions/permission-operations.ts';
import { reviewOperations } from './review-operations.ts';
import { sessionOperations } from './sessions/session-operations.ts';

const waitingPrompt = shape({ id: text, text });
const registry = { source: text, cache: text, state: text };
/** A line of an entry, divided at the cursor. */
const place = { block: number, line: number, before: text, after: text };
const contextItem = shape({
  path: optional(text),
  range: optional(shape({ first: number, last: number })),
  name: optional(text),
  text: optional(text),
  mimeType: optional(text),
});
const contextAnswer = shape({ items: listOf(contextItem), problem: optional(text) });

/** Everything that Neovim sends to the host. Handlers return their promise, so that a failure is reported. */
export const operations: Readonly<Record<string, HostOperation>> = {
  'host.hello': operation('start the host', { log: text, options: hostOptions }, (host, { log, options }) =>
    host.hello(log, options),
  ),
  'host.configure': operation('change the options', { options: hostOptions }, (host, { options }) =>
    host.configure(options),
  ),
  'host.shutdown': operation('end the host', {}, (host) => host.end()),
  'host.ask': operation('answer', { id: number, op: text, payload: anything }, (host, { id, op, payload }) =>
    host.answer(id, op, payload),
  ),

  'chat.open': operation(
    'open the chat',
    {
      chat: number,
      agent: agentSpec,
      cwd: text,
      journal: text,
      private: flag,
      worktree: flag,
      session: optional(text),
      isFork: flag,
      earlierJournal: optional(text),
      title: optional(text),
      settings: listOf(shape({ id: text, current: either(boolean, text) })),
      queue: optional(listOf(waitingPrompt)),
      queueJournal: optional(text),
      recovered: optional(listOf(text)),
      lastQueue: optional(listOf(waitingPrompt)),
    },
    (
      host,
      {
        chat: id,
        agent,
        cwd,
        journal,
        private: isPrivate,
        worktree: hasWorktree,
        session,
        settings,
        queue,
        queueJournal,
        recovered,
        lastQueue,
        ...before
      },
    ) =>
      host.openChat({
        id,
        waiting: { queue, queueJournal, recovered, lastQueue },
        spec: host.agentSpec(agent, cwd),
        journal,
        isPrivate,
        hasWorktree,
        before: session === undefined ? undefined : { session, ...before },
        settings,
      }),
  ),
  'chat.redraw': inChat('draw the chat', { width: optional(number) }, (chat, { width }) =>
    chat.redraw(width),
  ),
  'chat.resize': inOpenChat('draw the chat', { width: number }, (chat, { width }) => chat.resize(width)),
  'chat.close': operation('close the chat', { chat: number }, (host, { chat }) => host.closeChat(chat)),
  'chat.seen': inOpenChat('note that you looked at the chat', {}, (chat) => chat.attention.seen()),
  'prompt.send': inChat(
    'send the prompt',
    {
      id: optional(text),
      text,
      callback: optional(number),
      steer: flag,
      openFiles: optional(listOf(openFile)),
    },
    (chat, { steer: isSteering, text, ...options }) => chat.send(text, { ...options, isSteering }),
  ),
  'queue.write': inChat('change the queue', { base: text, text }, (chat, { base, text }) =>
    chat.prompts.queue.write(base, text),
  ),
  'queue.send': inChat('send the queued prompt', { before: text, text }, (chat, { before, text }) =>
    chat.prompts.queue.sendNow(before, text),
  ),
  'queue.resume': inChat('resume the queue', {}, (chat) => chat.prompts.queue.resume()),
  'queue.pause': inChat('pause the queue', {}, (chat) => chat.prompts.queue.pause()),
  'prompt.retry': inChat('send the last prompt again', {}, (chat) => chat.prompts.retry()),
  'history.load': inOpenChat('read the earlier prompts', {}, (chat) => chat.prompts.history.load()),
  'history.show': inChat('list the earlier prompts', { query: text }, (chat, { query }) =>
    chat.prompts.history.show(query),
  ),
  'history.use': inChat('use the earlier prompt', { index: number }, (chat, { index }) =>
    chat.prompts.history.use(index),
  ),
  'history.confirm': inChat('forget the earlier prompts', {}, (chat) => chat.prompts.history.confirmClear()),
  'history.clear': inChat('forget the earlier prompts', {}, (chat) => chat.prompts.history.clear()),
  'mentions.find': inOpenChat(
    'find the mentions',
    { buf: number, tick: number, text },
    (chat, { text, ...place }) => chat.prompts.findMentions(text, place),
  ),
  'picture.paste': inChat('paste the picture', {}, (chat) => chat.prompts.pastePicture()),
  'context.answer': operation(
    'answer what a mention refers to',
    { id: number, answers: listOf(contextAnswer) },
    (host, { id, answers }) => host.editorContext.answer(id, answers),
  ),
  'completion.prepare': inOpenChat(
    'list the files',
    {
      open: listOf(text),
      recent: listOf(text),
      current: optional(text),
      buffers: listOf(shape({ number, name: text })),
    },
    (chat, used) => chat.prompts.completion.prepare(used),
  ),
  'turn.prepare': inOpenChat('prepare the turn', {}, (chat) => chat.prepareTurn()),
  'turn.cancel': inChat('stop the turn', {}, (chat) => chat.cancel()),
  'agent.restart': operation('restart the agent', { chat: number, sure: flag }, (host, { chat, sure }) =>
    host.restartAgent({ chat, isSure: sure }),
  ),

  ...sessionOperations,

  'entry.toggle': inChat(
    'open or close the entry',
    { block: number, line: optional(number) },
    (chat, { block, line }) => chat.entries.toggle(block, line),
  ),
  'entry.fold': inChat(
    'open or close entries',
    { block: optional(number), line: optional(number), open: boolean },
    (chat, { block, line, open }) => chat.entries.fold(block, open, line),
  ),
  'subagent.stop': inChat('stop the subagent', { block: number }, (chat, { block }) =>
    chat.entries.stopSubagent(block),
  ),
  'entry.open': inChat('open the entry', place, (chat, { block, line, before, after }) =>
    chat.entries.open(block, line, { before, after }),
  ),
  'entry.visit': inChat('go to the file', place, (chat, { block, line, before, after }) =>
    chat.entries.visit(block, line, { before, after }),
  ),
  'code.propose': inChat(
    'put the code into its file',
    { block: number, line: number },
    (chat, { block, line }) => chat.codeBlocks.propose(block, line),
  ),
  'code.put': inChat(
    'put the code into its file',
    { offer: number, choice: number },
    (chat, { offer, choice }) => chat.codeBlocks.put(offer, choice),
  ),
  'reference.open': inChat('go to the file', { before: text, after: text }, (chat, line) =>
    chat.references.open(line),
  ),
  'link.open': inChat('open the page', { url: text }, (chat, { url }) => chat.references.openPage(url)),
  'link.copy': inChat('copy the address', { url: text }, (chat, { url }) => chat.references.copy(url)),
  'path.open': inChat(
    'open the file',
    { path: text, line: optional(number), column: optional(number) },
    (chat, { path: file, line, column }) => chat.references.openFile({ file, line, column }),
  ),
  'entry.compare': inChat('compare the change', { block: number, line: number }, (chat, { block, line }) =>
    chat.entries.compare(block, line),
  ),
  'plan.show': inChat('show the plan', {}, (chat) => chat.drawing.showPlan()),
  'plan.hide': inOpenChat('hide the plan', {}, (chat) => chat.drawing.hidePlan()),

  'terminals.list': operation('list the terminals', { action: oneOf('open', 'kill') }, (host, { action }) =>
    host.terminals.list(action),
  ),
  'terminal.run': operation('run the command', { chat: number, line: text }, (host, { chat, line }) =>
    host.terminals.run(chat, line),
  ),
  'terminal.show': operation('show the terminal', { terminal: text }, (host, { terminal }) =>
    host.terminals.show(terminal),
  ),
  'terminal.hide': operation('hide the terminal', { terminal: text }, (host, { terminal }) =>
    host.terminals.hide(terminal),
  ),
  'terminal.kill': operation('end the command', { terminal: text }, (host, { terminal }) =>
    host.terminals.kill(terminal),
  ),
  'terminal.input': operation(
    'type into the terminal',
    { terminal: text, data: text },
    (host, { terminal, data }) => host.terminals.writeInput(terminal, data),
  ),
  'terminal.resize': operation(
    'resize the terminal',
    { terminal: text, columns: number, rows: number },
    (host, { terminal, columns, rows }) => host.terminals.resize(terminal, { columns, rows }),
  ),

  'file.saved': operation('record that a file was saved', { path: text }, (host, { path }) =>
    host.fileSaved(path),
  ),
  'file.reloaded': operation('record that a file was reloaded', { path: text }, (host, { path }) =>
    host.fileReloaded(path),
  ),
  'file.changed': inOpenChat('merge what changed on disk', { path: text }, (chat, { path }) =>
    chat.changedOnDisk(path),
  ),

  'login.show': inChat('list the ways to log in', {}, (chat) => chat.login.show()),
  'login.start': operation('log in', { chat: number, method: text }, (host, { chat, method }) =>
    host.login(chat, method),
  ),
  'login.confirm': inChat('log in', { run: number }, (chat, { run }) => chat.login.run(run)),
  'login.key': operation('log in', { chat: number, method: text, key: text }, (host, { chat, method, key }) =>
    host.loginWithKey(chat, method, key),
  ),
  'login.ended': operation('log in', { chat: number, code: number }, (host, { chat, code }) =>
    host.loginEnded(chat, code),
  ),
  'login.end': inChat('log out', {}, (chat) => chat.login.logout()),
  'setting.show': inChat(
    'show the setting',
    { setting: optional(text), category: optional(text) },
    (chat, { setting: id, category }) => chat.settings.show({ id, category }),
  ),
  'setting.choose': inChat(
    'change the setting',
    { setting: optional(text), category: optional(text), value: text },
    (chat, { setting: id, category, value }) => chat.settings.choose({ id, category }, value),
  ),
  'setting.cycle': inChat('change the setting', { category: oneOf('mode', 'model') }, (chat, { category }) =>
    chat.settings.cycle(category),
  ),
  'setting.change': inChat(
    'change the setting',
    { setting: text, value: either(boolean, text) },
    (chat, { setting, value }) => chat.session.changeSetting(setting, value),
  ),

  'question.show': inChat('show the question', { opensByItself: flag, id: optional(number) }, (chat, which) =>
    chat.questions.show(which),
  ),
  'question.answer': inChat(
    'answer the question',
    { id: number, revision: number, option: number },
    (chat, { id, revision, option }) => chat.questions.answer(id, revision, option),
  ),
  'question.press': inChat(
    'answer the question',
    { id: number, revision: number, digit: number, isWhole: flag },
    (chat, { id, revision, digit, isWhole }) => chat.questions.press({ id, revision }, digit, isWhole),
  ),
  'question.list': inChat('list the questions', { id: number }, (chat, { id }) => chat.questions.list(id)),
  'questions.answer': operation(
    'answer the questions',
    { list: number, option: number },
    (host, { list, option }) => host.questionLists.answer(list, option),
  ),
  'question.close': inChat('put the question off', { id: number }, (chat, { id }) =>
    chat.questions.close(id),
  ),
  'question.postpone': inChat('put the question off', { id: number }, (chat, { id }) =>
    chat.questions.postpone(id),
  ),
  'question.preview': inChat('show what the question is about', { id: number }, (chat, { id }) =>
    chat.questions.preview(id),
  ),
  'conflict.settle': inChat(
    'resolve the conflict',
    { id: number, lines: listOf(text) },
    (chat, { id, lines }) => chat.questions.settle(id, lines),
  ),
  'form.fill': inChat(
    'fill in the form',
    { id: number, turn: number, ...formActionFields },
    (chat, { id, turn, ...action }) => chat.questions.fillForm(id, turn, formActionFrom(action)),
  ),
  'page.visit': inChat(
    'open the page',
    { id: number, choice: oneOf('open', 'copy', 'decline', 'cancel', 'close') },
    (chat, { id, choice }) => chat.questions.visitPage(id, choice),
  ),

  'inbox.show': operation('show the inbox', {}, (host) => host.inbox.show()),
  'inbox.next': operation('go to what waits for you', {}, (host) => host.inbox.next()),
  'inbox.open': operation(
    'go to what waits for you',
    {
      chat: number,
      kind: oneOf('question', 'login', 'failed', 'finished', 'changes'),
      id: optional(number),
    },
    (host, choice) => host.inbox.open(choice),
  ),

  'agents.show': operation('list the agents', registry, (host, places) => host.registryAgents(places).show()),
  'agents.install': operation(
    'install the agent',
    { ...registry, agent: text },
    (host, { agent, ...places }) => host.registryAgents(places).open(agent),
  ),
  'agents.accept': operation(
    'install the agent',
    { ...registry, agent: text, summary: text },
    (host, { agent, summary, ...places }) => host.registryAgents(places).accept(agent, summary),
  ),

  'traffic.open': inChat('show the traffic', {}, (chat) => chat.traffic.open()),
  'traffic.close': inChat('close the traffic', {}, (chat) => chat.traffic.close()),
  'recording.start': inChat('record', { file: text }, (chat, { file }) => chat.traffic.record(file)),
  'recording.stop': inChat('stop the recording', {}, (chat) => chat.traffic.stopRecording()),

  'extension.names': operation(
    'register the extension methods',
    { requests: mapOf(number), notifications: listOf(text) },
    (host, { requests: limits, notifications: names }) =>
      host.extensions.setNames({
        requests: new Map(Object.entries(limits)),
        notifications: new Set(names),
      }),
  ),
  'extension.answer': operation(
    'answer the agent',
    { id: number, result: anything, error: optional(text) },
    (host, { id, result, error }) => host.extensions.answer(id, result, error),
  ),
  'extension.send': operation(
    'send to the agent',
    { chat: number, id: optional(number), method: text, params: anything },
    async (host, { chat, id, method, params }) => {
      await host.findChat(chat)?.session.revive();
      return host.extensions.send(() => host.chat(chat).session.lastLink, { id, method, params });
    },
  ),

  ...permissionOperations,
  ...reviewOperations,
};

/**
 * What Neovim asks with `host.ask`. Answered from memory, because the user may be waiting for it; what is read from the
 * disk may come later.
 */
export const requests: Readonly<Record<string, HostOperation>> = {
  'host.status': operation('report the status', {}, (host) => host.status()),
  'report.make': operation(
    'make the report',
    { neovim: text, log: text, options: text, health: listOf(text) },
    (host, facts) => host.report(facts),
  ),
  'chat.situation': operation('report the state of the chat', { chat: number }, (host, { chat }) => ({
    ...host.chat(chat).situation(),
    hasTerminals: host.terminals.count > 0,
  })),
  'completion.items': inChat('complete', { text, column: number }, (chat, place) =>
    chat.prompts.completion.complete(place),
  ),
  'completion.preview': inChat('show the file', { path: text }, (chat, { path }) =>
    chat.prompts.completion.preview(path),
  ),
  'prompt.hover': inChat('show what is mentioned', { text, column: number }, (chat, place) =>
    chat.prompts.completion.hover(place),
  ),
  'transcript.symbols': inChat('list the entries', {}, (chat) => chat.entries.symbols()),
  'entry.hover': inChat(
    'show the entry',
    { block: number, line: number, text, column: number },
    (chat, hoverPlace) => chat.entries.hover(hoverPlace),
  ),
  'entry.code': inChat('read the code block', { block: number, line: number }, (chat, { block, line }) =>
    chat.codeBlocks.linesAt(block, line),
  ),
  'chat.export': inChat(
    'export the chat',
    { tools: optional(oneOf('lines', 'details')) },
    (chat, { tools }) => chat.markdown(tools),
  ),
  'terminal.text': operation('read the terminal', { terminal: text }, (host, { terminal }) =>
    host.terminals.text(terminal),
  ),
  'traffic.message': inChat('show the message', { number }, (chat, payload) =>
    chat.traffic.messageLines(payload.number),
  ),
};
