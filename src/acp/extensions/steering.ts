import { AcpError } from '../../base/errors.ts';
import { lookUp } from '../../base/record.ts';
import type { SteeringOutcome } from '../../ports/agent.ts';
import { asRecord } from '../decode/fields.ts';

/** An extension, announced by `_meta.steering.supported` of the answer to `initialize`. */
export const steeringMethod = '_session/steering';

/** Without `idleBehavior`, an agent whose turn has just ended would start another one with the prompt. */
export function steeringParams(sessionId: string, prompt: readonly object[]): object {
  return { sessionId, prompt, _meta: { steering: { idleBehavior: 'promptRequired' } } };
}

const outcomes: Readonly<Record<string, SteeringOutcome>> = {
  injected: 'injected',
  startedNewTurn: 'injected',
  promptRequired: 'prompt_required',
};

/** Throws if the agent does not say that it has taken the prompt: some agents answer unknown requests with `{}`. */
export function decodeSteering(agentName: string, answer: unknown): SteeringOutcome {
  const outcome = lookUp(outcomes, String(asRecord(answer).outcome));
  if (outcome) return outcome;
  throw new AcpError('agent_error', `${agentName} did not say what it has done with it.`);
}
