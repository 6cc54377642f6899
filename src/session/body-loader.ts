import { AcpError } from '../base/errors.ts';
import { once } from '../base/once.ts';
import { SerialQueue } from '../base/serial-queue.ts';
import { callKey, type TerminalState, type ToolEntry } from '../model/entries.ts';
import { isCutCall, terminalIdsIn } from '../model/session.ts';
import type { CallBody } from '../model/session-events.ts';
import type { Log } from '../ports/log.ts';
import type { Journal } from './journal/journal.ts';
import { bodyNotRead } from './notices.ts';
import { readCallBody } from './read-call-body.ts';
import type { Session } from './session.ts';

/** A call with all its texts, and the terminals that its content names. */
export interface WholeCall {
  readonly call: ToolEntry;
  readonly terminals: ReadonlyMap<string, TerminalState>;
}

/** Reads the texts of tool calls that are not in memory from the journal, one call after the other. */
export class BodyLoader {
  private readonly session: Session;
  private readonly journal: Journal;
  private readonly log: Log;
  private readonly queue = new SerialQueue();
  private readonly waiting = new Map<ToolEntry, Promise<void>>();
  private hasFailed = false;
  private isEnded = false;

  constructor(session: Session, journal: Journal, log: Log) {
    this.session = session;
    this.journal = journal;
    this.log = log;
  }

  /** Puts the texts of a call into the state, if they are not there. Resolves also if they can't be read. */
  async restore(call: ToolEntry): Promise<void> {
    if (!this.isCut(call)) return;
    const restored = this.waiting.get(call) ?? this.queue.run(() => this.restoreNow(call));
    this.waiting.set(call, restored);
    await restored;
  }

  /** The call with all its texts, which do not stay in memory. Undefined if it is in memory or can't be read. */
  async readWhole(call: ToolEntry): Promise<WholeCall | undefined> {
    if (!this.isCut(call)) return undefined;
    const body = await this.queue.run(() => this.read(call));
    return body && this.withBody(call, body);
  }

  /** Resolves when nothing is read any more. */
  readonly end = once(async () => {
    this.isEnded = true;
    await this.queue.idle();
  });

  private isCut(call: ToolEntry): boolean {
    return isCutCall(call, this.session.state);
  }

  private async restoreNow(call: ToolEntry): Promise<void> {
    this.waiting.delete(call);
    const body = this.isCut(call) ? await this.read(call) : undefined;
    if (body && !this.isEnded) this.session.restoreBody(call, body);
  }

  private async read(call: ToolEntry): Promise<CallBody | undefined> {
    try {
      return await this.readLatest(call);
    } catch (error) {
      this.log.error(`could not read the call ${call.toolCallId} from the journal`, error);
      if (!this.hasFailed && !this.isEnded) this.session.notify(bodyNotRead(call.title));
      this.hasFailed = true;
      return undefined;
    }
  }

  // The agent may change a call while it is read.
  private async readLatest(call: ToolEntry): Promise<CallBody | undefined> {
    const { toolCallId, content } = call;
    const ids = { key: callKey(call), toolCallId, terminalIds: terminalIdsIn(content) };
    const { file } = this.journal;
    let place = this.journal.placeOf(ids);
    while (!this.isEnded) {
      const body = place && (await readCallBody(file, ids, place, this.log));
      if (!body) throw new AcpError('not_found', `the journal ${file} does not have the call`);
      const placeNow = this.journal.placeOf(ids);
      if (placeNow?.parts.at(-1)?.to === place?.parts.at(-1)?.to) return body;
      place = placeNow;
    }
    return undefined;
  }

  private withBody(call: ToolEntry, { outputs, ...body }: CallBody): WholeCall {
    const texts = new Map(outputs.map(({ terminalId, text }) => [terminalId, text]));
    const whole = <T extends { readonly terminalId: string; text: string }>(terminal: T): T => ({
      ...terminal,
      text: texts.get(terminal.terminalId) ?? terminal.text,
    });
    const { terminals } = this.session.state;
    const named = terminalIdsIn(body.content).flatMap((id) => terminals.get(id) ?? []);
    return {
      call: { ...call, ...body, terminals: call.terminals.map(whole) },
      terminals: new Map(named.map((terminal) => [terminal.terminalId, whole(terminal)])),
    };
  }
}
