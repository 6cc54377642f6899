import type { RenderLoop } from '../../nvim/render-loop.ts';
import type { AgentLauncher } from '../../ports/agent.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Editor } from '../../ports/editor.ts';
import type { Log } from '../../ports/log.ts';
import type { HostOptions } from '../../ports/options.ts';
import type { Chats } from '../chats.ts';
import type { TerminalWindows } from '../terminals.ts';
import { Branches } from './branches.ts';
import { SessionActions } from './session-actions.ts';
import { SessionBrowser } from './session-browser.ts';
import { SessionForgetting } from './session-forgetting.ts';
import { SessionPanel } from './session-panel.ts';
import { SessionSearch } from './session-search.ts';
import { SessionWorktrees } from './session-worktrees.ts';
import { StoredSessions } from './stored-sessions.ts';

interface SessionsPorts {
  readonly launcher: AgentLauncher;
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: Log;
  readonly chats: Chats;
  readonly renderLoop: RenderLoop;
  readonly terminals: Pick<TerminalWindows, 'runningIn'>;
  readonly options: { get(): Pick<HostOptions, 'isPlain'> };
}

/** The lists of sessions and what can be done with one of them. */
export class Sessions {
  readonly actions: SessionActions;
  readonly browser: SessionBrowser;
  readonly panel: SessionPanel;
  readonly search: SessionSearch;
  readonly forgetting: SessionForgetting;
  readonly worktrees: SessionWorktrees;
  private readonly stored: StoredSessions;

  constructor(ports: SessionsPorts) {
    this.stored = new StoredSessions(ports);
    const { stored } = this;
    const onDeleted = () => this.panel.listAgain();
    this.actions = new SessionActions({ ...ports, stored, onDeleted });
    const { actions } = this;
    this.browser = new SessionBrowser({ ...ports, stored, actions });
    this.panel = new SessionPanel({ ...ports, stored, actions, branches: new Branches(ports.clock) });
    this.search = new SessionSearch(ports);
    this.forgetting = new SessionForgetting({ ...ports, onDeleted });
    this.worktrees = new SessionWorktrees(ports);
  }

  /** Resolves when the agent that was started for a list has ended. */
  async end(): Promise<void> {
    this.panel.hide();
    await this.stored.end();
  }
}
