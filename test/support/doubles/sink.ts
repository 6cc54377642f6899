import type { ElicitationOutcome } from '../../../src/model/form.ts';
import type { AgentEvent } from '../../../src/model/session-events.ts';
import type { ElicitationRequest, PermissionRequest, SessionSink } from '../../../src/ports/agent.ts';

/** Records what an agent reports and asks; the test chooses the answers. */
export class SinkDouble implements SessionSink {
  readonly events: AgentEvent[] = [];
  readonly asked: PermissionRequest[] = [];
  readonly elicited: ElicitationRequest[] = [];
  choose: (request: PermissionRequest) => Promise<string | undefined> = async () => 'ok';
  conclude: (request: ElicitationRequest) => Promise<ElicitationOutcome> = async () => ({
    action: 'decline',
  });

  report(event: AgentEvent): void {
    this.events.push(event);
  }

  ask(request: PermissionRequest): Promise<string | undefined> {
    this.asked.push(request);
    return this.choose(request);
  }

  elicit(request: ElicitationRequest): Promise<ElicitationOutcome> {
    this.elicited.push(request);
    return this.conclude(request);
  }

  /** The text of all chunks. */
  get text(): string {
    return this.events.map((event) => (event.kind === 'chunk' ? event.text : '')).join('');
  }
}
