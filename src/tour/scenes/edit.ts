import path from 'node:path';
import type { PermissionOption } from '@agentclientprotocol/sdk';
import { messageOf } from '../../errors.ts';
import { askPermission, currentText, writeThroughClient } from '../services.ts';
import type { Stage } from '../stage.ts';
import { type ToolCall, textContent } from '../tool-call.ts';

interface Edit {
  readonly file: string;
  readonly oldText: string | undefined;
  readonly newText: string;
}

const ownFile = 'acp-tour.md';
const ownText = '# Written by the tour of acp.nvim\n\nYou may delete this file.\n';

const options: readonly PermissionOption[] = [
  { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'allow-always', name: 'Always allow edits', kind: 'allow_always' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
];

/** Counts its visits in a file: it shows the change, asks, and lets the client write it. */
export async function proposeEdit(stage: Stage, rest: string): Promise<void> {
  const file = path.resolve(stage.session.cwd, rest || ownFile);
  const oldText = await currentText(stage, file);
  const edit: Edit = { file, oldText, newText: countVisit(oldText ?? ownText) };
  const tool = await stage.startTool({
    kind: 'edit',
    title: file,
    locations: [{ path: file, line: edit.newText.split('\n').length - 1 }],
    content: [{ type: 'diff', path: file, oldText: oldText ?? null, newText: edit.newText }],
  });
  if (await askPermission(stage, tool, { subject: 'edit', options })) await write(stage, tool, edit);
  else await leaveAlone(stage, tool, edit);
}

async function write(stage: Stage, tool: ToolCall, { file, newText }: Edit): Promise<void> {
  const name = path.basename(file);
  if (!stage.can.canWrite) {
    await tool.finish();
    return stage.say(`This client writes no files for me, so the change to \`${name}\` is only shown.`);
  }
  await tool.begin();
  try {
    await writeThroughClient(stage, file, newText);
    await tool.finish();
    await stage.say(`\`${name}\` is written.`);
  } catch (error) {
    await tool.fail(textContent(messageOf(error)));
    await stage.say(`\`${name}\` could not be written: ${messageOf(error)}`);
  }
}

async function leaveAlone(stage: Stage, tool: ToolCall, { file }: Edit): Promise<void> {
  await tool.fail();
  await stage.say(`\`${path.basename(file)}\` stays as it was.`);
}

function countVisit(text: string): string {
  const visits = /^Visits: (\d+)$/m;
  const count = Number(visits.exec(text)?.[1] ?? 0) + 1;
  if (count > 1) return text.replace(visits, `Visits: ${count}`);
  return `${text}${text.endsWith('\n') ? '' : '\n'}\nVisits: 1\n`;
}
