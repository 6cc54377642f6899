import { readFile } from 'node:fs/promises';
import type { ElicitationSchema, PermissionOption } from '@agentclientprotocol/sdk';
import { isRecord } from '../base/record.ts';
import type { ToolCall } from './tool-call.ts';
import type { TourTurn } from './turn.ts';

/** Reads a file through the client, including unsaved changes. */
export async function readThroughClient(turn: TourTurn, path: string): Promise<string> {
  const answer = await turn.request('fs/read_text_file', { path });
  const content = isRecord(answer) ? answer.content : undefined;
  if (typeof content !== 'string') throw new Error('the client answered without content');
  return content;
}

/** The current text of a file; undefined if it does not exist. */
export async function currentText(turn: TourTurn, path: string): Promise<string | undefined> {
  const reading = turn.capabilities.canRead ? readThroughClient(turn, path) : readFile(path, 'utf8');
  return reading.catch(() => undefined);
}

export async function writeThroughClient(turn: TourTurn, path: string, content: string): Promise<void> {
  await turn.request('fs/write_text_file', { path, content });
}

/** Lets the user choose one of the options; undefined if the request was cancelled. */
export async function chooseOption(
  turn: TourTurn,
  tool: ToolCall,
  options: readonly PermissionOption[],
): Promise<PermissionOption | undefined> {
  const answer = await turn.request('session/request_permission', {
    toolCall: { toolCallId: tool.id },
    options,
  });
  const outcome = isRecord(answer) && isRecord(answer.outcome) ? answer.outcome : {};
  return options.find(({ optionId }) => outcome.outcome === 'selected' && optionId === outcome.optionId);
}

/** Asks for permission. An "always" answer is remembered for the rest of the session. */
export async function askForPermission(
  turn: TourTurn,
  tool: ToolCall,
  { subject, options }: { readonly subject: string; readonly options: readonly PermissionOption[] },
): Promise<boolean> {
  const { rememberedAnswers: standing } = turn.session;
  const known = standing.get(subject);
  if (known !== undefined) return known;
  const chosen = await chooseOption(turn, tool, options);
  const isAllowed = chosen?.kind === 'allow_once' || chosen?.kind === 'allow_always';
  if (chosen?.kind === 'allow_always' || chosen?.kind === 'reject_always') standing.set(subject, isAllowed);
  return isAllowed;
}

/** Shows a form. Resolves with the answers, or undefined if the user declined. */
export async function askForm(
  turn: TourTurn,
  message: string,
  requestedSchema: ElicitationSchema,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const answer = await turn.request('elicitation/create', { mode: 'form', message, requestedSchema });
  if (!isRecord(answer) || answer.action !== 'accept') return undefined;
  return isRecord(answer.content) ? answer.content : {};
}

/** Asks the user to open a page. Resolves with whether they consented. */
export async function askToOpenPage(
  turn: TourTurn,
  {
    message,
    url,
    elicitationId,
  }: { readonly message: string; readonly url: string; readonly elicitationId: string },
): Promise<boolean> {
  const answer = await turn.request('elicitation/create', { mode: 'url', message, url, elicitationId });
  return isRecord(answer) && answer.action === 'accept';
}
