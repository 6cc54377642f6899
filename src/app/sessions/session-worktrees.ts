import fs from 'node:fs/promises';
import path from 'node:path';
import { AcpError } from '../../base/errors.ts';
import { isInside } from '../../base/paths.ts';
import { shorten } from '../../base/text.ts';
import { isBusy, type SessionState } from '../../model/session.ts';
import type { Editor } from '../../ports/editor.ts';
import { sanitiseLine } from '../../view/sanitise.ts';
import { worktreePicker } from '../../view/sessions/worktree.ts';
import { nameOf, type WorktreeState, worktreeState } from '../../workspace/worktrees/worktree-state.ts';
import {
  addWorktree,
  countUncommitted,
  mergeWorktree,
  removeWorktree,
} from '../../workspace/worktrees/worktrees.ts';
import { titleOf } from '../attention/chat-status.ts';
import type { Chats } from '../chats.ts';
import type { TerminalWindows } from '../terminals.ts';
import { editorObstacles } from './worktree-obstacles.ts';

interface WorktreePorts {
  readonly editor: Editor;
  readonly chats: Pick<Chats, 'all' | 'get' | 'close'>;
  readonly terminals: Pick<TerminalWindows, 'runningIn'>;
}

interface NewWorktree {
  readonly agent: string;
  readonly cwd: string;
  /** The folder of all worktrees that the plugin makes. */
  readonly folder: string;
  /** A name that no other session has. */
  readonly name: string;
}

const maxMessage = 72;

/** Worktrees of sessions: made for a new chat, merged back and removed without losing anything. */
export class SessionWorktrees {
  private readonly ports: WorktreePorts;
  /** What the user was shown last. */
  private shown: { readonly ask: number; readonly state: WorktreeState } | undefined;
  private asks = 0;

  constructor(ports: WorktreePorts) {
    this.ports = ports;
  }

  /** Makes a worktree of the repository of a folder, and has Neovim create a chat in it. */
  async create({ agent, cwd, folder, name }: NewWorktree): Promise<void> {
    const { editor } = this.ports;
    const place = path.join(folder, `${path.basename(cwd)}-${name}`);
    await addWorktree(cwd, place, `acp/${name}`);
    editor.send('chat.create', { agent, cwd: place, origin: cwd });
    const left = await countUncommitted(cwd);
    if (left > 0) {
      const files = left === 1 ? '1 file that is' : `${left} files that are`;
      editor.notify('info', `the session begins at the last commit, without ${files} not committed`);
    }
  }

  /** Shows what the worktree of a chat has, and lets the user merge or remove it. */
  async show(chat: number, folder: string): Promise<void> {
    const { chats, editor } = this.ports;
    const { cwd } = chats.get(chat).place;
    if (!isInside(cwd, folder))
      throw new AcpError('unsupported', 'this session has no worktree of its own; :AcpNew! starts one');
    const state = await this.read(chat, await worktreeOf(cwd, folder));
    this.asks += 1;
    this.shown = { ask: this.asks, state };
    editor.send('picker.open', { chat, ...worktreePicker({ chat, ask: this.asks, ...shownState(state) }) });
  }

  /** Commits what is not committed, and merges the branch into what it was made from. */
  async merge(chat: number, ask: number): Promise<void> {
    const { editor } = this.ports;
    const state = this.idleState(chat);
    const tree = await this.treeShown(chat, ask, 'mergeObstacle');
    const origin = await mergeWorktree(tree, messageFor(state, tree));
    editor.send('files.check', {});
    editor.notify('info', `merged ${tree.branch} into ${nameOf(origin)}; :AcpWorktree removes the worktree`);
  }

  /** Removes the folder, with what is not committed on its branch, and then closes the chat. */
  async remove(chat: number, ask: number): Promise<void> {
    const { editor, chats } = this.ports;
    const state = this.idleState(chat);
    const tree = await this.treeShown(chat, ask, 'removalObstacle');
    const folders = [tree.folder, chats.get(chat).place.cwd];
    const isThere = (cwd: string) => folders.some((folder) => isInside(cwd, folder));
    const other = chats.all.find(({ id, place }) => id !== chat && isThere(place.cwd));
    if (other)
      throw new AcpError('unsupported', `"${titleOf(other.session.state)}" works there too; close it first`);
    const { isBranchKept } = await removeWorktree(tree, messageFor(state, tree));
    const closed = chats.close(chat);
    await editor.call('chat.end', { chat });
    await closed;
    const branch = isBranchKept ? `; its changes are in ${tree.branch}` : ' and its branch';
    editor.notify('info', `removed the worktree${branch}`);
  }

  private async read(chat: number, folder: string): Promise<WorktreeState> {
    const { chats, editor, terminals } = this.ports;
    const [state, open] = await Promise.all([worktreeState(folder), editor.call('buffer.files', {})]);
    const folders = [state.folder, chats.get(chat).place.cwd];
    const command = folders.map((each) => terminals.runningIn(each)).find((line) => line !== undefined);
    const more = editorObstacles(state, open, command);
    return {
      ...state,
      mergeObstacle: state.mergeObstacle ?? more.mergeObstacle,
      removalObstacle: state.removalObstacle ?? more.removalObstacle,
    };
  }

  private idleState(chat: number): SessionState {
    const { state } = this.ports.chats.get(chat).session;
    if (isBusy(state)) throw new AcpError('bad_params', 'the agent is working; :AcpCancel stops it');
    return state;
  }

  // The agent may have changed files since the user saw the list.
  private async treeShown(
    chat: number,
    ask: number,
    obstacle: 'mergeObstacle' | 'removalObstacle',
  ): Promise<WorktreeState> {
    const { shown } = this;
    if (shown?.ask !== ask)
      throw new AcpError('not_found', 'the list is out of date; :AcpWorktree makes a new one');
    this.shown = undefined;
    const now = await this.read(chat, shown.state.folder);
    const reason = now[obstacle];
    if (reason !== undefined) throw new AcpError('unsupported', reason);
    if (JSON.stringify(now) !== JSON.stringify(shown.state))
      throw new AcpError('file_error', 'the worktree has changed meanwhile; :AcpWorktree shows it again');
    return now;
  }
}

function shownState({ origin, ...state }: WorktreeState) {
  return { ...state, from: origin && { name: nameOf(origin), folder: origin.folder } };
}

/** The worktree that a session is in; the session may be in a folder of it. */
async function worktreeOf(cwd: string, folder: string): Promise<string> {
  const place = path.join(folder, path.relative(folder, cwd).split(path.sep)[0]!);
  return fs.realpath(place).catch(() => place);
}

function messageFor(state: SessionState, { branch }: WorktreeState): string {
  const title = shorten(sanitiseLine(titleOf(state)), maxMessage);
  return title === '' ? `Changes in ${branch}` : title;
}
