import { isRecord } from '../../base/record.ts';
import { shorten } from '../../base/text.ts';
import type { AgentEvent } from '../../model/session-events.ts';
import type { Log } from '../../ports/log.ts';
import { sessionIdOf } from '../decode/fields.ts';
import { applyQuirks, type Quirks } from '../decode/quirks.ts';
import { decodeUpdate } from '../decode/update.ts';
import { decodeSuggestions } from '../extensions/prompt-suggestions.ts';
import { ChunkJoiner } from './chunk-joiner.ts';
import type { SessionRouter } from './session-router.ts';
import { SubagentWords } from './subagent-words.ts';

const maxLoggedNames = 100;
const maxLoggedName = 200;

interface UpdateHandlerOptions {
  readonly agentName: string;
  readonly router: SessionRouter;
  readonly log: Log;
  quirks(): Quirks;
}

/** Decodes `session/update` notifications and delivers the events to their sessions. */
export class UpdateHandler {
  private readonly options: UpdateHandlerOptions;
  private readonly joiner: ChunkJoiner;
  private readonly subagentWords = new SubagentWords();
  private readonly loggedUnknown = new Set<string>();

  constructor(options: UpdateHandlerOptions) {
    this.options = options;
    this.joiner = new ChunkJoiner((sessionId, event) => options.router.route(sessionId, event));
  }

  handle(params: Record<string, unknown>): void {
    const sessionId = sessionIdOf(params);
    // Ignore updates without a session id.
    if (sessionId === undefined) return;
    const { update } = params;
    if (isRecord(update) && update.sessionUpdate === 'subagent_update') {
      const subagentId = sessionIdOf(update);
      if (subagentId) return this.applySubagent(subagentId, sessionId, update);
    }
    // An update may have a title too.
    const suggestions = decodeSuggestions(update);
    if (suggestions) this.deliver(sessionId, { kind: 'suggestions', suggestions });
    const decoded = applyQuirks(decodeUpdate(update), this.options.quirks());
    const event = this.subagentWords.assign(sessionId, update, decoded);
    if (event.kind === 'nothing') return;
    if (event.kind === 'unknown') this.logUnknown(event.name);
    this.deliver(sessionId, event);
  }

  private applySubagent(subagentId: string, parentId: string, update: Record<string, unknown>): void {
    this.joiner.flush();
    this.options.router.addSubagent(subagentId, parentId)?.applyUpdate(update);
  }

  /** Delivers an event after the chunks that are still held back. */
  deliver(sessionId: string, event: AgentEvent): void {
    this.joiner.add(sessionId, event);
  }

  private logUnknown(name: string): void {
    if (this.loggedUnknown.has(name) || this.loggedUnknown.size >= maxLoggedNames) return;
    this.loggedUnknown.add(name);
    this.options.log.info(
      `${this.options.agentName} sent an unknown session update: ${shorten(name, maxLoggedName)}`,
    );
  }
}
