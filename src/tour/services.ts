import { readFile } from 'node:fs/promises';
import type { ElicitationSchema, PermissionOption } from '@agentclientprotocol/sdk';
import { isRecord } from '../base.ts';
import type { Stage } from './stage.ts';
import type { ToolCall } from './tool-call.ts';

/** Reads a file as the client sees it, unsaved changes included. */
export async function readThroughClient(stage: Stage, path: string): Promise<string> {
  const answer = await stage.request('fs/read_text_file', { path });
  const content = isRecord(answer) ? answer.content : undefined;
  if (typeof content !== 'string') throw new Error('the client answered without content');
  return content;
}

/** The text of a file before it is changed; undefined when there is no such file. */
export async function currentText(stage: Stage, path: string): Promise<string | undefined> {
  const reading = stage.can.canRead ? readThroughClient(stage, path) : readFile(path, 'utf8');
  return reading.catch(() => undefined);
}

export async function writeThroughClient(stage: Stage, path: string, content: string): Promise<void> {
  await stage.request('fs/write_text_file', { path, content });
}

/** Lets the user choose one of the options; undefined when none was taken. */
export async function choose(
  stage: Stage,
  tool: ToolCall,
  options: readonly PermissionOption[],
): Promise<PermissionOption | undefined> {
  const answer = await stage.request('session/request_permission', {
    toolCall: { toolCallId: tool.id },
    options,
  });
  const outcome = isRecord(answer) && isRecord(answer.outcome) ? answer.outcome : {};
  return options.find(({ optionId }) => outcome.outcome === 'selected' && optionId === outcome.optionId);
}

/** Asks whether something may be done. An answer for good counts for the rest of the session. */
export async function askPermission(
  stage: Stage,
  tool: ToolCall,
  { subject, options }: { readonly subject: string; readonly options: readonly PermissionOption[] },
): Promise<boolean> {
  const { standing } = stage.session;
  const known = standing.get(subject);
  if (known !== undefined) return known;
  const chosen = await choose(stage, tool, options);
  const isAllowed = chosen?.kind === 'allow_once' || chosen?.kind === 'allow_always';
  if (chosen?.kind === 'allow_always' || chosen?.kind === 'reject_always') standing.set(subject, isAllowed);
  return isAllowed;
}

/** Shows a form. Resolves with what was filled in, undefined when the user declined. */
export async function askForm(
  stage: Stage,
  message: string,
  requestedSchema: ElicitationSchema,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const answer = await stage.request('elicitation/create', { mode: 'form', message, requestedSchema });
  if (!isRecord(answer) || answer.action !== 'accept') return undefined;
  return isRecord(answer.content) ? answer.content : {};
}

/** Wants the user to open a page. Resolves with whether they consented; nobody sees what they do there. */
export async function sendToPage(
  stage: Stage,
  {
    message,
    url,
    elicitationId,
  }: { readonly message: string; readonly url: string; readonly elicitationId: string },
): Promise<boolean> {
  const answer = await stage.request('elicitation/create', { mode: 'url', message, url, elicitationId });
  return isRecord(answer) && answer.action === 'accept';
}
