import { estimateSize } from '../base/json.ts';
import { callKey, type Entry, type ToolEntry } from '../model/entries.ts';
import { isOpenCall, type SessionState, terminalIdsIn } from '../model/session.ts';
import type { SessionEvent } from '../model/session-events.ts';

/** Of the texts of all tool calls and terminals of a chat that have ended, in characters. */
export const maxBodies = 32 * 1024 * 1024;

interface Body {
  readonly kind: 'call' | 'terminal';
  /** The key of the call, or the id of the terminal. */
  readonly id: string;
  readonly size: number;
}

/** Decides which texts of ended tool calls and terminals leave memory: the oldest, when all together are too long. */
export class BodyLimit {
  private readonly state: SessionState;
  private readonly most: number;
  /** The one that was changed or read last is the last one. */
  private readonly bodies = new Map<string, Body>();
  private total = 0;
  /** The texts of the call that was read last. The view may not have drawn it: if they were cut, it would read them again. */
  private lastRead: ReadonlySet<string> = new Set();

  constructor(state: SessionState, most = maxBodies) {
    this.state = state;
    this.most = most;
  }

  /** An event was applied and has changed these entries. Returns what to cut. */
  follow(event: SessionEvent, changed: readonly Entry[]): SessionEvent | undefined {
    for (const entry of changed) if (entry.kind === 'tool') this.noteCall(entry);
    if (event.kind === 'terminal') this.noteTerminal(event.patch.terminalId);
    if (event.kind === 'body_read') this.noteRead(changed);
    return this.total > this.most ? this.cutOldest() : undefined;
  }

  private noteCall(call: ToolEntry): void {
    const { content, diffs, terminals, rawInput, rawOutput } = call;
    const texts = new Set<unknown>([...content, ...diffs]);
    const size = isOpenCall(call) ? 0 : estimateSize([[...texts], terminals, rawInput, rawOutput]);
    this.note({ kind: 'call', id: callKey(call), size });
  }

  private noteTerminal(id: string): void {
    const { text, exit } = this.state.terminals.get(id) ?? {};
    this.note({ kind: 'terminal', id, size: exit && text !== undefined ? text.length : 0 });
  }

  private noteRead(changed: readonly Entry[]): void {
    const calls = changed.filter((entry) => entry.kind === 'tool');
    const terminalIds = calls.flatMap(({ content }) => terminalIdsIn(content));
    for (const id of terminalIds) this.noteTerminal(id);
    this.lastRead = new Set([
      ...calls.map((call) => keyOf('call', callKey(call))),
      ...terminalIds.map((id) => keyOf('terminal', id)),
    ]);
  }

  private note(body: Body): void {
    const key = keyOf(body.kind, body.id);
    this.forget(key);
    if (body.size === 0) return;
    this.bodies.set(key, body);
    this.total += body.size;
  }

  private forget(key: string): void {
    this.total -= this.bodies.get(key)?.size ?? 0;
    this.bodies.delete(key);
  }

  // More than necessary is cut at once, because each cut looks at all questions. The last body stays: it is needed now.
  private cutOldest(): SessionEvent | undefined {
    const asked = new Set(this.state.questions.map(({ tool }) => tool && callKey(tool)));
    const last = [...this.bodies.keys()].at(-1);
    const cut: Body[] = [];
    for (const [key, body] of this.bodies) {
      if (this.total <= 0.75 * this.most || key === last) break;
      if (this.lastRead.has(key) || (body.kind === 'call' && asked.has(body.id))) continue;
      this.forget(key);
      cut.push(body);
    }
    if (cut.length === 0) return undefined;
    const idsOf = (kind: Body['kind']) => cut.filter((body) => body.kind === kind).map(({ id }) => id);
    return { kind: 'bodies_cut', calls: idsOf('call'), terminals: idsOf('terminal') };
  }
}

function keyOf(kind: Body['kind'], id: string): string {
  return `${kind} ${id}`;
}
