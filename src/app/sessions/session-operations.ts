import { flag, listOf, number, oneOf, optional, text } from '../../base/parse.ts';
import { agentSpec } from '../agent-spec.ts';
import { type HostOperation, inChat, operation } from '../host-operation.ts';

const listed = { agent: agentSpec, cwd: text, names: listOf(text), folder: text, pid: number, all: flag };

/** What Neovim sends about sessions: their lists, and what is done with one of them. */
export const sessionOperations: Readonly<Record<string, HostOperation>> = {
  'sessions.show': operation(
    'list the sessions',
    { ...listed, action: oneOf('open', 'close', 'delete') },
    (host, { agent, cwd, names: otherNames, folder, pid, action, all: isAll }) =>
      host.sessions.browser.show({
        spec: host.agentSpec(agent, cwd),
        otherNames,
        folder,
        pid,
        action,
        isAll,
      }),
  ),
  'session.open': operation('open the session', { index: number }, (host, { index }) =>
    host.sessions.browser.open(index),
  ),
  'session.close': operation('close the session', { index: number }, (host, { index }) =>
    host.sessions.browser.close(index),
  ),
  'session.delete': operation('delete the session', { index: number }, (host, { index }) =>
    host.sessions.browser.confirm(index),
  ),
  'session.remove': operation('delete the session', { index: number }, (host, { index }) =>
    host.sessions.browser.remove(index),
  ),
  'title.ask': operation('rename the session', { chat: number }, (host, { chat }) =>
    host.sessions.actions.askTitle(chat),
  ),
  'session.rename': inChat('rename the session', { text: optional(text) }, (chat, { text: title = '' }) =>
    title.trim() === '' ? undefined : chat.session.rename(title.trim()),
  ),
  'session.fork': operation('fork the session', { chat: number }, (host, { chat }) =>
    host.sessions.actions.forkChat(chat),
  ),

  'panel.show': operation(
    'list the sessions',
    listed,
    (host, { agent, cwd, names: otherNames, folder, pid, all: isAll }) =>
      host.sessions.panel.show({ spec: host.agentSpec(agent, cwd), otherNames, folder, pid, isAll }),
  ),
  'panel.hide': operation('close the list of sessions', {}, (host) => host.sessions.panel.hide()),
  'panel.act': operation(
    'do that with the session',
    { action: oneOf('open', 'close', 'delete', 'rename', 'fork'), item: number },
    (host, { action, item }) => host.sessions.panel.act(action, item),
  ),
  'panel.rename': operation(
    'rename the session',
    { item: number, text: optional(text) },
    (host, { item, text: title }) => host.sessions.panel.rename(item, title),
  ),
  'panel.remove': operation('delete the session', { item: number }, (host, { item }) =>
    host.sessions.panel.remove(item),
  ),

  'worktree.create': operation(
    'make the worktree',
    { agent: text, cwd: text, folder: text, name: text },
    (host, wanted) => host.sessions.worktrees.create(wanted),
  ),
  'worktree.show': operation('show the worktree', { chat: number, folder: text }, (host, { chat, folder }) =>
    host.sessions.worktrees.show(chat, folder),
  ),
  'worktree.merge': operation('merge', { chat: number, ask: number }, (host, { chat, ask }) =>
    host.sessions.worktrees.merge(chat, ask),
  ),
  'worktree.remove': operation('remove the worktree', { chat: number, ask: number }, (host, { chat, ask }) =>
    host.sessions.worktrees.remove(chat, ask),
  ),

  'forget.session': operation(
    'list what is kept of the session',
    { chat: number, folder: text, pid: number },
    (host, { chat, ...place }) => host.sessions.forgetting.showSession(chat, place),
  ),
  'forget.folder': operation(
    'list what is kept of the folder',
    { cwd: text, folder: text, pid: number },
    (host, { cwd, ...place }) => host.sessions.forgetting.showFolder(cwd, place),
  ),
  'forget.run': operation('delete what is kept', { ask: number }, (host, { ask }) =>
    host.sessions.forgetting.run(ask),
  ),

  'search.show': operation(
    'search the conversations',
    { folder: text, words: text },
    (host, { folder, words }) => host.sessions.search.show(folder, words),
  ),
  'search.open': operation('open the conversation', { index: number }, (host, { index }) =>
    host.sessions.search.open(index),
  ),
};
