import { randomUUID } from 'node:crypto';
import { AcpError } from '../../base/errors.ts';
import type { QuestionOption } from '../../model/entries.ts';
import type { ToolPatch } from '../../model/session-events.ts';
import type { PermissionRequest } from '../../ports/agent.ts';
import type { PolicyDecision } from '../../ports/permissions.ts';
import type { ConsentRequest, ServiceAction } from '../../ports/workspace.ts';

type ActionOfService = ServiceAction & Pick<ConsentRequest, 'kind'>;

interface ConsentPorts {
  /** How often the questions of the agent were cancelled. */
  cancelCount(): number;
  report(patch: ToolPatch): void;
  /** What the rules of the user say; undefined without rules. */
  decide?(action: ActionOfService): PolicyDecision | undefined;
  /** Resolves with the id of the chosen option, or undefined if the question was cancelled. */
  ask(
    request: PermissionRequest,
    action: ActionOfService,
    decision: PolicyDecision | undefined,
  ): Promise<string | undefined>;
}

/** Asks the user for consent to actions of the agent that no rule allows, such as access outside its folders. */
export class Consent {
  private readonly ports: ConsentPorts;

  constructor(ports: ConsentPorts) {
    this.ports = ports;
  }

  /** Whether the user allows it. Rejects if the question was cancelled. */
  async request(request: ConsentRequest): Promise<boolean> {
    const { kind, subject, details = [], reason, change, always, withdrawn } = request;
    const count = this.ports.cancelCount();
    if ((request.since ?? count) !== count) throw questionCancelled(subject);
    const action = { kind, ...request.action };
    const decision = this.ports.decide?.(action);
    if (decision && decision.verdict !== 'ask') return decision.verdict === 'allow';
    // A random id: an agent that knew it could change the call that the question shows.
    const toolCallId = `consent ${randomUUID()}`;
    const content = [
      ...(change ? [{ kind: 'diff', path: subject, ...change } as const] : []),
      ...(reason === undefined ? [] : [{ kind: 'text', text: reason } as const]),
    ];
    const tool = {
      toolCallId,
      title: [subject, ...details].map(markLines).join('\n'),
      toolKind: kind,
      content,
    };
    const options = consentOptions(always?.name);
    const asked = { tool, options, withdrawn: withdrawn ?? new AbortController().signal };
    const answer = await this.ports.ask(asked, action, decision);
    if (answer === undefined) {
      this.ports.report({ toolCallId, status: 'cancelled' });
      throw questionCancelled(subject);
    }
    if (answer === 'always') always?.remember();
    const isAllowed = answer === 'allow' || answer === 'always';
    this.ports.report({ toolCallId, status: isAllowed ? 'done' : 'failed' });
    return isAllowed;
  }
}

// The agent chooses the command and its folder. None of its lines may look like one of ours below it.
function markLines(text: string): string {
  return text.includes('\n') ? text.replaceAll(/^/gm, '│ ') : text;
}

export function questionCancelled(subject: string): AcpError {
  return new AcpError('cancelled', `the question about ${subject} was cancelled before the user answered`);
}

function consentOptions(always: string | undefined): readonly QuestionOption[] {
  return [
    { id: 'allow', name: 'Allow once', kind: 'allow_once' },
    ...(always === undefined ? [] : [{ id: 'always', name: always, kind: 'allow_always' as const }]),
    { id: 'reject', name: 'Reject', kind: 'reject_once' },
  ];
}
