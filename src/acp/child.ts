import { isRecord, lookUp } from '../base.ts';
import type { ElicitationRequest, PermissionRequest, SessionSink } from '../ports/agent.ts';
import type { Services } from '../ports/workspace.ts';
import type { AgentEvent, ToolPatch } from '../session/events.ts';
import type { Outcome } from '../session/form.ts';
import type { ToolStatus } from '../session/model.ts';
import { textOf } from './wire.ts';

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
 * A session that an agent opened for a helper of its own. It shows as one line in the conversation it works for, with
 * what it says below that; its tool calls and questions stand there as any others.
 */
export class ChildSink implements SessionSink {
  readonly parent: SessionSink;
  private readonly id: string;
  private text = '';
  private isShown = false;

  constructor(id: string, parent: SessionSink) {
    this.id = id;
    this.parent = parent;
  }

  get services(): Services | undefined {
    return this.parent.services;
  }

  report(event: AgentEvent): void {
    switch (event.kind) {
      case 'chunk':
        return event.role === 'user' ? undefined : this.say(event.text);
      case 'tool':
        return this.parent.report({ kind: 'tool', patch: this.own(event.patch) });
      case 'title':
        return this.show(event.title === undefined ? {} : { title: event.title });
      case 'notice':
      case 'page_done':
        return this.parent.report(event);
      default:
      // Its plan, mode, commands and figures are not those of the conversation.
    }
  }

  ask(request: PermissionRequest): Promise<string | undefined> {
    return this.parent.ask({ ...request, tool: this.own(request.tool) });
  }

  elicit(request: ElicitationRequest): Promise<Outcome> {
    const { toolCallId } = request;
    const own = toolCallId === undefined ? undefined : `${this.id}/${toolCallId}`;
    return this.parent.elicit({ ...request, toolCallId: own });
  }

  /** Takes what the agent says of its helper. */
  describe(update: Record<string, unknown>): void {
    const title = textOf(update.title) ?? textOf(update.description);
    const state = isRecord(update.state) ? update.state.state : update.state;
    const status = lookUp(statuses, state);
    this.show({ ...(title !== undefined && { title }), ...(status && { status }) });
  }

  private say(text: string): void {
    this.text = (this.text + text).slice(-maxText);
    this.show({ content: [{ kind: 'text', text: this.text }] });
  }

  // Nobody has to tell when a helper has ended, and one that says nothing more is nothing to wait for.
  private show(patch: Partial<ToolPatch>): void {
    const first = { title: 'a helper of the agent', toolKind: 'think', status: 'done' } as const;
    const whole = { toolCallId: `helper ${this.id}`, ...(!this.isShown && first), ...patch };
    this.isShown = true;
    this.parent.report({ kind: 'tool', patch: whole });
  }

  private own(patch: ToolPatch): ToolPatch {
    return { ...patch, toolCallId: `${this.id}/${patch.toolCallId}` };
  }
}
