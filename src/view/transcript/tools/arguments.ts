import path from 'node:path';
import { isRecord } from '../../../base/record.ts';
import type { ToolEntry } from '../../../model/entries.ts';
import {
  commandArgumentNames,
  commandArgumentText,
  commandsIn,
  editArgumentNames,
  folderArgumentNames,
} from '../../../model/tools/tool-arguments.ts';
import { isReference, unknownArguments } from '../../../model/tools/understood-arguments.ts';
import { isPatchWithoutChange } from '../../diff/diff.ts';
import { readable, readableField } from '../../readable.ts';
import type { ViewContext } from '../view-context.ts';
import { isTruncatedTitle } from './tool-title.ts';

/**
 * The arguments of a call that a question does not show otherwise, as lines: those that are not in its title, text,
 * command, locations or diffs. The user must see everything that they allow. `isBrief` leaves out remarks; the folder of a
 * command is left out if it is that of the session.
 */
export function remainingArguments(
  tool: ToolEntry,
  { diffs, cwd }: Pick<ViewContext, 'diffs' | 'cwd'>,
  isBrief = false,
): readonly string[] {
  const { rawInput, content } = tool;
  const isExplained = content.some((item) => item.kind === 'text' && item.text.trim() !== '');
  const isThought = tool.toolKind === 'think' || tool.toolKind === 'switch_mode';
  // The explanation already is the whole content, unless there are arguments that have no place in a thought.
  if (isThought && isExplained && !isTruncatedTitle(tool.title) && isOnlyThought(rawInput)) return [];
  const shownElsewhere = shownText(tool);
  if (!isRecord(rawInput))
    return isEmptyArgument(rawInput) || isShown(rawInput, shownElsewhere) ? [] : readable(rawInput);
  const shown = new Set([
    ...commandArgumentNames(rawInput),
    ...(diffs.of(tool).length > 0 ? [...editArgumentNames, 'diff'] : []),
    ...(isBrief ? remarkNames : []),
  ]);
  // A short name occurs in most commands by chance, so what changes the command always counts as not shown.
  const unknown = new Set(unknownArguments('execute', rawInput));
  const hasCommand = commandsIn(rawInput).length > 0;
  // A tool that is known by its name alone may use them.
  const hidesReferences = hasCommand || tool.toolKind !== 'other';
  const isOwnFolder = (name: string, value: unknown) =>
    hasCommand &&
    folderArgumentNames.includes(name) &&
    typeof value === 'string' &&
    path.resolve(cwd, value) === path.resolve(cwd);
  const isOfCommand = (name: string) =>
    hasCommand && (folderArgumentNames.includes(name) || unknown.has(name));
  return Object.entries(rawInput)
    .filter(
      ([name, value]) =>
        !shown.has(name) &&
        !(hidesReferences && isReference(name)) &&
        !isEmptyArgument(value) &&
        !isDefaultValue(name, value) &&
        !isOwnFolder(name, value),
    )
    .filter(([name, value]) => isOfCommand(name) || !isShown(value, shownElsewhere))
    .flatMap(([name, value]) =>
      name === 'diff' && typeof value === 'string' && isPatchWithoutChange(value)
        ? ['no change']
        : readableField(name, value),
    );
}

function isOnlyThought(rawInput: unknown): boolean {
  return commandsIn(rawInput).length === 0 && unknownArguments('think', rawInput).length === 0;
}

/** Arguments that only comment on the call. */
const remarkNames = ['description', 'explanation', 'reason', 'purpose', 'justification'];

function isDefaultValue(name: string, value: unknown): boolean {
  return value === false && (name === 'replace_all' || name === 'replaceAll');
}

function shownText({ title, content, locations, rawInput }: ToolEntry): string {
  const texts = content.map((item) => (item.kind === 'text' ? item.text : ''));
  const commands = commandsIn(rawInput).map(commandArgumentText);
  const whole = isTruncatedTitle(title) ? [] : [title];
  return [...whole, ...texts, ...commands, ...locations.map(({ path }) => path)].join('\n');
}

function isShown(value: unknown, shownElsewhere: string): boolean {
  if (typeof value === 'string') return shownElsewhere.includes(value.trim());
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => typeof item === 'string' && shownElsewhere.includes(item))
  );
}

function isEmptyArgument(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}
