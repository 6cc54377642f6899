import type { PermissionOption } from '@agentclientprotocol/sdk';
import { askForPermission } from '../../client-requests.ts';
import { type ToolStart, textContent } from '../../tool-call.ts';
import type { TourTurn } from '../../turn.ts';

export const permissionOptions: readonly PermissionOption[] = [
  { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'allow-always', name: 'Always allow', kind: 'allow_always' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
  { optionId: 'reject-always', name: 'Always reject', kind: 'reject_always' },
];

/** Asks about one call and ends it. Resolves with whether the user, or a rule, allowed it. Nothing is done. */
export async function requestOne(turn: TourTurn, call: ToolStart): Promise<boolean> {
  const tool = await turn.startToolCall(call);
  const isAllowed = await askForPermission(turn, tool, { subject: call.title, options: permissionOptions });
  if (isAllowed) await tool.finish(textContent('Allowed.'));
  else await tool.fail(textContent('Rejected.'));
  return isAllowed;
}

/** A call that would run a command. */
export function commandCall(command: string): ToolStart {
  return { kind: 'execute', title: command, rawInput: { command } };
}
