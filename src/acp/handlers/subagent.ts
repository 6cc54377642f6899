import { isRecord, lookUp } from '../../base/record.ts';
import type { Subagent, ToolStatus } from '../../model/entries.ts';
import type { ElicitationOutcome } from '../../model/form.ts';
import type { AgentEvent, ToolPatch } from '../../model/session-events.ts';
import type { ElicitationRequest, PermissionRequest, SessionSink } from '../../ports/agent.ts';
import type { Services } from '../../ports/workspace.ts';
import { asString } from '../decode/fields.ts';
import { decodeParent } from '../decode/update.ts';

const maxText = 16_000;

const statuses: Readonly<Record<string, ToolStatus>> = {
  running: 'running',
  requires_action: 'running',
  idle: 'done',
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
};

/**
 * A session that an agent opened for a subagent. The parent's transcript shows it as one tool call with the subagent's
 * text as content; the subagent's own tool calls and questions are shown like the parent's.
 */
export class SubagentSink implements SessionSink {
  readonly parent: SessionSink;
  private readonly id: string;
  private text = '';
  private isShown = false;
  private subagent: Subagent;

  constructor(id: string, parent: SessionSink) {
    this.id = id;
    this.parent = parent;
    this.subagent = { sessionId: id, canCancel: false };
  }

  get services(): Services | undefined {
    return this.parent.services;
  }

  report(event: AgentEvent): void {
    switch (event.kind) {
      case 'chunk':
        return event.role === 'user' ? undefined : this.appendText(event.text);
      case 'tool':
        if (!this.isShown) this.show({});
        return this.parent.report({ kind: 'tool', patch: this.withOwnId(event.patch) });
      case 'title':
        return this.show(event.title === undefined ? {} : { title: event.title });
      case 'notice':
      case 'page_done':
        return this.parent.report(event);
      default:
      // Its plan, mode, commands and usage are not those of the parent.
    }
  }

  ask(request: PermissionRequest): Promise<string | undefined> {
    return this.parent.ask({ ...request, tool: this.withOwnId(request.tool) });
  }

  elicit(request: ElicitationRequest): Promise<ElicitationOutcome> {
    const { toolCallId } = request;
    const own = toolCallId === undefined ? undefined : `${this.id}/${toolCallId}`;
    return this.parent.elicit({ ...request, toolCallId: own });
  }

  /** Applies a `subagent_update`. */
  applyUpdate(update: Record<string, unknown>): void {
    const title = asString(update.title) ?? asString(update.description);
    const state = isRecord(update.state) ? update.state.state : update.state;
    const status = lookUp(statuses, state);
    const parent = asString(update.toolCallId) ?? decodeParent(update);
    const canCancel = decodeCancel(update.capabilities);
    if (canCancel !== undefined) this.subagent = { ...this.subagent, canCancel };
    this.show({
      ...(title !== undefined && { title }),
      ...(status && { status }),
      ...(parent !== undefined && { parent }),
      subagent: this.subagent,
    });
  }

  private appendText(text: string): void {
    this.text = (this.text + text).slice(-maxText);
    this.show({ content: [{ kind: 'text', text: this.text }] });
  }

  // Agents need not report the end of a subagent, so it counts as done unless a status was reported.
  private show(patch: Partial<ToolPatch>): void {
    const { subagent } = this;
    const first = { title: 'Subagent', toolKind: 'think', status: 'done', subagent } as const;
    const shown = { toolCallId: this.ownCall, ...(!this.isShown && first), ...patch };
    this.isShown = true;
    this.parent.report({ kind: 'tool', patch: shown });
  }

  private get ownCall(): string {
    return `helper ${this.id}`;
  }

  private withOwnId(patch: ToolPatch): ToolPatch {
    const parent = patch.parent === undefined ? this.ownCall : `${this.id}/${patch.parent}`;
    return { ...patch, toolCallId: `${this.id}/${patch.toolCallId}`, parent };
  }
}

// Absent means unchanged; null means that nothing is offered any more.
function decodeCancel(capabilities: unknown): boolean | undefined {
  if (capabilities === undefined) return undefined;
  return isRecord(capabilities) && (isRecord(capabilities.cancel) || capabilities.cancel === true);
}
