import { shorten } from '../../base/text.ts';
import type { Entry, NoticeEntry } from '../../model/entries.ts';
import type { SessionState } from '../../model/session.ts';
import type { SessionEvent } from '../../model/session-events.ts';
import { sanitiseLine } from '../../view/sanitise.ts';

const maxLength = 200;

/** Something that the user is told when they do not look at the chat. */
export interface Notification {
  readonly kind: 'waiting' | 'finished' | 'failed';
  readonly text: string;
}

/** Notifications about errors, logins, and the end of a turn. */
export class Notifications {
  private readonly state: SessionState;
  /** An error of the turn was reported, so its end is not. */
  private hasFailed = false;

  constructor(state: SessionState) {
    this.state = state;
  }

  forEvent(event: SessionEvent, changed: readonly Entry[]): Notification | undefined {
    if (event.kind === 'turn_started') this.hasFailed = false;
    const error = changed.find(isError);
    if (error && !this.hasFailed) {
      this.hasFailed = true;
      return { kind: 'failed', text: this.error(error.title) };
    }
    if (event.kind === 'login_needed') {
      return { kind: 'waiting', text: this.line('wants you to log in · :AcpLogin') };
    }
    if (event.kind !== 'turn_ended' || event.stopReason === 'cancelled') return undefined;
    const isOver = !this.hasFailed && this.state.queue.length === 0;
    return isOver ? { kind: 'finished', text: this.line('has finished · :AcpChat') } : undefined;
  }

  private line(text: string): string {
    return `${sanitiseLine(this.state.agent.title)} ${text}`;
  }

  private error(text: string): string {
    const { name, title } = this.state.agent;
    const error = shorten(sanitiseLine(text), maxLength);
    const isNamed = text.startsWith(`${name} `) || text.startsWith(`${title} `);
    return isNamed ? error : `${sanitiseLine(title)}: ${error}`;
  }
}

function isError(entry: Entry): entry is NoticeEntry {
  return entry.kind === 'notice' && entry.severity === 'error';
}
