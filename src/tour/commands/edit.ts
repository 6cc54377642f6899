import path from 'node:path';
import type { PermissionOption } from '@agentclientprotocol/sdk';
import { messageOf } from '../../base/errors.ts';
import { askForPermission, currentText, writeThroughClient } from '../client-requests.ts';
import { type ToolCall, textContent } from '../tool-call.ts';
import type { TourTurn } from '../turn.ts';

interface ProposedEdit {
  readonly file: string;
  readonly oldText: string | undefined;
  readonly newText: string;
}

const ownFile = 'acp-tour.md';
const ownText = '# Written by the tour of acp.nvim\n\nYou can delete this file.\n';

const editOptions: readonly PermissionOption[] = [
  { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'allow-always', name: 'Always allow edits', kind: 'allow_always' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

/** Proposes to count a visit in a file, asks for permission, and writes the file through the client. */
export async function proposeEdit(turn: TourTurn, rest: string): Promise<void> {
  const file = path.resolve(turn.session.cwd, rest || ownFile);
  const oldText = await currentText(turn, file);
  const edit: ProposedEdit = { file, oldText, newText: countVisit(oldText ?? ownText) };
  const tool = await turn.startToolCall({
    kind: 'edit',
    title: file,
    locations: [{ path: file, line: edit.newText.split('\n').length - 1 }],
    content: [{ type: 'diff', path: file, oldText: oldText ?? null, newText: edit.newText }],
  });
  if (await askForPermission(turn, tool, { subject: 'edit', options: editOptions }))
    await writeEdit(turn, tool, edit);
  else await skipEdit(turn, tool, edit);
}

async function writeEdit(turn: TourTurn, tool: ToolCall, { file, newText }: ProposedEdit): Promise<void> {
  const name = path.basename(file);
  if (!turn.capabilities.canWrite) {
    await tool.finish();
    return turn.sendMessage(`This client cannot write files, so the change to \`${name}\` is only shown.`);
  }
  await tool.begin();
  try {
    await writeThroughClient(turn, file, newText);
    await tool.finish();
    await turn.sendMessage(`Wrote \`${name}\`.`);
  } catch (error) {
    await tool.fail(textContent(messageOf(error)));
    await turn.sendMessage(`Could not write \`${name}\`: ${messageOf(error)}`);
  }
}

async function skipEdit(turn: TourTurn, tool: ToolCall, { file }: ProposedEdit): Promise<void> {
  await tool.fail();
  await turn.sendMessage(`\`${path.basename(file)}\` was not changed.`);
}

function countVisit(text: string): string {
  const visits = /^Visits: (\d+)$/m;
  const count = Number(visits.exec(text)?.[1] ?? 0) + 1;
  if (count > 1) return text.replace(visits, `Visits: ${count}`);
  return `${text}${text.endsWith('\n') ? '' : '\n'}\nVisits: 1\n`;
}
