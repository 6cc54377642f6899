import path from 'node:path';
import { isRecord } from '../../base/record.ts';
import type { ToolEntry } from '../../model/entries.ts';
import { commandFolder, editsIn } from '../../model/tool-arguments.ts';
import type { AgentAction } from '../../ports/permissions.ts';
import { shownCommands } from './allowed-commands.ts';

const urlNames = ['url', 'uri', 'urls'];

/** What a tool call of an agent would do, as far as its arguments tell. */
export function actionOfCall(
  entry: ToolEntry,
  session: Pick<AgentAction, 'chat' | 'agent' | 'cwd' | 'roots'>,
): AgentAction {
  const { rawInput, toolKind: kind, title } = entry;
  return {
    ...session,
    kind,
    tool: /^mcp__[\w-]+__[\w-]+/.exec(title)?.[0],
    commands: shownCommands(entry).map(({ command }) => command),
    paths: pathsOf(entry).map((file) => path.resolve(session.cwd, file)),
    urls: urlsIn(rawInput),
    cwd: path.resolve(session.cwd, commandFolder(rawInput) ?? '.'),
  };
}

function pathsOf({ diffs, content, locations, rawInput }: ToolEntry): readonly string[] {
  const changed = [...diffs, ...content.filter((item) => item.kind === 'diff'), ...editsIn(rawInput)];
  return [...new Set([...changed, ...locations].map((each) => each.path))].filter((file) => file !== '');
}

function urlsIn(rawInput: unknown): readonly string[] {
  if (!isRecord(rawInput)) return [];
  return urlNames.flatMap((name) => {
    const value = rawInput[name];
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    return list.filter((url) => typeof url === 'string');
  });
}
