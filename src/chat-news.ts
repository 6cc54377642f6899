import { shorten } from './base.ts';
import type { SessionEvent } from './session/events.ts';
import type { Entry, NoticeEntry, SessionState } from './session/model.ts';
import { sanitiseLine } from './view/sanitise.ts';

const maxNews = 200;

/** What a user should hear of a chat that no window shows: errors, and the end of a turn. */
export class ChatNews {
  private readonly state: SessionState;
  /** An error of the turn was told: its end is no news then. */
  private hasFailed = false;

  constructor(state: SessionState) {
    this.state = state;
  }

  of(event: SessionEvent, changed: readonly Entry[]): string | undefined {
    if (event.kind === 'turn_started') this.hasFailed = false;
    const error = changed.find(isError);
    if (error && !this.hasFailed) {
      this.hasFailed = true;
      return this.error(error.title);
    }
    if (event.kind === 'login_needed') return this.line('wants you to log in · :AcpLogin');
    if (event.kind !== 'turn_ended' || event.stopReason === 'cancelled') return undefined;
    const isOver = !this.hasFailed && this.state.queue.length === 0;
    return isOver ? this.line('has finished · :AcpChat') : undefined;
  }

  private line(text: string): string {
    return `${sanitiseLine(this.state.agent.title)} ${text}`;
  }

  private error(text: string): string {
    const { name, title } = this.state.agent;
    const error = shorten(sanitiseLine(text), maxNews);
    const isNamed = text.startsWith(`${name} `) || text.startsWith(`${title} `);
    return isNamed ? error : `${sanitiseLine(title)}: ${error}`;
  }
}

function isError(entry: Entry): entry is NoticeEntry {
  return entry.kind === 'notice' && entry.severity === 'error';
}
