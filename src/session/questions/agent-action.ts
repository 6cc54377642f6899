import { absolutePath } from '../../base/paths.ts';
import { isRecord } from '../../base/record.ts';
import type { Diff, ToolEntry } from '../../model/entries.ts';
import { isQuietEnvironment, variableArgumentNames } from '../../model/tools/quiet-variables.ts';
import {
  changesByPath,
  commandFolder,
  commandLikeNames,
  commandsIn,
  editsIn,
  namedPathsIn,
  urlArgumentNames,
} from '../../model/tools/tool-arguments.ts';
import { unknownArguments } from '../../model/tools/understood-arguments.ts';
import type { AgentAction } from '../../ports/permissions.ts';
import { shownCommands } from './allowed-commands.ts';

type Place = Pick<AgentAction, 'chat' | 'agent' | 'cwd' | 'roots'>;

/** Each is looked up on disk, for every rule. */
const maxPaths = 1_000;
const mcpTitle = /^mcp__[\w-]+__[\w-]+/;

/** What a tool call of an agent would do, as far as its arguments tell. */
export function actionOfCall(entry: ToolEntry, session: Place): AgentAction {
  const { rawInput, toolKind: kind } = entry;
  const cwd = absolutePath(withoutScheme(commandFolder(rawInput) ?? '.'), session.cwd);
  const commands = shownCommands(entry).map(({ command }) => command);
  const unknown = unknownArguments(kind, rawInput);
  const folders = [...new Set([session.cwd, cwd])];
  const changed = changedFiles(entry);
  const paths = absolutePaths([...changed, ...namedFiles(entry)], folders);
  const notInMemory = entry.isCut ? ['a part of its arguments is not in memory'] : [];
  const tooMany = paths.length > maxPaths ? [`it names ${paths.length} files`] : [];
  return {
    ...session,
    ...toolNamesOf(entry, commands.length > 0),
    kind,
    commands,
    paths: paths.slice(0, maxPaths),
    changedPaths: absolutePaths(changed, folders).slice(0, maxPaths),
    urls: urlsIn(rawInput).filter((url) => typeof url === 'string'),
    cwd,
    unclear: [...unclearArguments(entry, unknown, commands.length), ...notInMemory, ...tooMany],
    unknownArguments: unknown,
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

function namedFiles({ locations, rawInput, toolKind }: ToolEntry): readonly string[] {
  const isAboutFiles = toolKind !== 'fetch' && toolKind !== 'execute';
  return [
    ...locations.map((each) => each.path),
    ...(isAboutFiles ? namedPathsIn(rawInput) : []),
    // The arguments of other tools have names of their own.
    ...(toolKind === 'other' || toolKind === 'switch_mode' ? pathLikeTexts(rawInput) : []),
  ];
}

/** The texts in the arguments, at any depth, that are paths from the root, the home or the parent folder. */
function pathLikeTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return /^(~?\/|\.\.\/|file:\/\/)[^\n]*$/.test(value) ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(pathLikeTexts) : [];
}

/** The files that the call shows a change of, or whose new text is among its arguments. */
function changedFiles({ diffs, content, rawInput, toolKind }: ToolEntry): readonly string[] {
  const changes = [...diffs, ...content.filter((item) => item.kind === 'diff'), ...editsIn(rawInput)];
  // A deletion may be shown as a change to an empty file.
  const isChange = ({ newText }: Diff) => toolKind !== 'delete' || newText !== '';
  return [...changes.filter(isChange).map((each) => each.path), ...Object.keys(changesByPath(rawInput))];
}

// A tool may take a path as relative to the folder that another argument names.
function absolutePaths(files: readonly string[], folders: readonly string[]): readonly string[] {
  const named = files.filter((file) => file !== '');
  return [
    ...new Set(named.flatMap((file) => folders.map((folder) => absolutePath(withoutScheme(file), folder)))),
  ];
}

function withoutScheme(file: string): string {
  return file.replace(/^file:\/\/[^/]*/, '');
}

function urlsIn(rawInput: unknown): readonly unknown[] {
  if (!isRecord(rawInput)) return [];
  return urlArgumentNames.flatMap((name) => {
    const value = rawInput[name];
    return Array.isArray(value) ? (value as readonly unknown[]) : value === undefined ? [] : [value];
  });
}

/** Why no rule can tell what a command or a request does. */
function unclearArguments(
  { rawInput }: ToolEntry,
  unknown: readonly string[],
  shownCommandCount: number,
): readonly string[] {
  if (!isRecord(rawInput)) return [];
  const setsVariables = variableArgumentNames.some(
    (name) => isFilled(rawInput[name]) && !isQuietEnvironment(rawInput[name]),
  );
  const hasMore = commandsIn(rawInput).length > shownCommandCount;
  const isCommandLike = unknown.some((name) => commandLikeNames.includes(name));
  return [
    ...(setsVariables ? ['it sets environment variables'] : []),
    ...(hasMore ? ['its commands have further arguments'] : []),
    ...(isCommandLike && !hasMore ? ['it names more than one command'] : []),
    ...(urlsIn(rawInput).some((url) => typeof url !== 'string')
      ? ['one of its addresses is not a text']
      : []),
  ];
}

function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}
