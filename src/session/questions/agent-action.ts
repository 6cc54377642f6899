import path from 'node:path';
import { isRecord } from '../../base/record.ts';
import type { ToolEntry } from '../../model/entries.ts';
import { commandFolder, commandsIn, editsIn, namedPathsIn } from '../../model/tool-arguments.ts';
import type { AgentAction } from '../../ports/permissions.ts';
import { shownCommands } from './allowed-commands.ts';

type Place = Pick<AgentAction, 'chat' | 'agent' | 'cwd' | 'roots'>;

const urlNames = ['url', 'uri', 'urls'];
const variableNames = ['env', 'environment', 'environmentVariables', 'env_vars'];
const mcpTitle = /^mcp__[\w-]+__[\w-]+/;

/** What a tool call of an agent would do, as far as its arguments tell. */
export function actionOfCall(entry: ToolEntry, session: Place): AgentAction {
  const { rawInput, toolKind: kind } = entry;
  const cwd = path.resolve(session.cwd, commandFolder(rawInput) ?? '.');
  const commands = shownCommands(entry).map(({ command }) => command);
  return {
    ...session,
    ...toolNamesOf(entry, commands.length > 0),
    kind,
    commands,
    paths: pathsOf(entry).map((file) => path.resolve(session.cwd, file)),
    urls: urlsIn(rawInput).filter((url) => typeof url === 'string'),
    cwd,
    unclear: unclearArguments(entry, commands.length),
  };
}

/**
 * Titles are free text, and that of a command is the command. So a title names a tool only if it is nothing but the name
 * of an MCP tool and no other name is given; for rules that deny, a title that begins with such a name is enough.
 */
function toolNamesOf(
  { title, toolNames = [], toolKind }: ToolEntry,
  hasCommand: boolean,
): Pick<AgentAction, 'tool' | 'toolNames'> {
  const inTitle = mcpTitle.exec(title)?.[0];
  const isTitle = inTitle === title && toolKind !== 'execute' && !hasCommand;
  const names = toolNames.length > 0 || !isTitle ? toolNames : [title];
  return {
    tool: names.length === 1 ? names[0] : undefined,
    toolNames: [...new Set([...names, ...(inTitle === undefined ? [] : [inTitle])])],
  };
}

function pathsOf({ diffs, content, locations, rawInput, toolKind }: ToolEntry): readonly string[] {
  const changed = [...diffs, ...content.filter((item) => item.kind === 'diff'), ...editsIn(rawInput)];
  const named = [...changed, ...locations].map((each) => each.path);
  const isAboutFiles = toolKind !== 'fetch' && toolKind !== 'execute';
  return [...new Set([...named, ...(isAboutFiles ? namedPathsIn(rawInput) : [])])].filter(
    (file) => file !== '',
  );
}

function urlsIn(rawInput: unknown): readonly unknown[] {
  if (!isRecord(rawInput)) return [];
  return urlNames.flatMap((name) => {
    const value = rawInput[name];
    return Array.isArray(value) ? (value as readonly unknown[]) : value === undefined ? [] : [value];
  });
}

/** Arguments that change what a command or a request does, and that no rule names. */
function unclearArguments({ rawInput }: ToolEntry, shownCommandCount: number): readonly string[] {
  if (!isRecord(rawInput)) return [];
  const setsVariables = variableNames.some((name) => isFilled(rawInput[name]));
  return [
    ...(setsVariables ? ['it sets environment variables'] : []),
    ...(commandsIn(rawInput).length > shownCommandCount ? ['its commands have further arguments'] : []),
    ...(urlsIn(rawInput).some((url) => typeof url !== 'string')
      ? ['one of its addresses is not a text']
      : []),
  ];
}

function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}
