import { isRecord } from '../base.ts';
import { commandLine, commandNames, commandsIn, editNames, folderNames } from '../session/arguments.ts';
import type { ToolEntry } from '../session/model.ts';
import { diffsOf } from './diff.ts';
import { readable, readableField } from './readable.ts';
import { isCut } from './tool-title.ts';

/**
 * The arguments of a call that a question about it shows nowhere else, as lines: not in the title, the text, the command,
 * the places or the changes. Agents cut titles and call arguments as they like, so whatever is left is shown.
 * `isBrief` leaves out what is only said about the call.
 */
export function untoldArguments(tool: ToolEntry, isBrief = false): readonly string[] {
  const { rawInput, content } = tool;
  const isExplained = content.some((item) => item.kind === 'text' && item.text.trim() !== '');
  const isThought = tool.toolKind === 'think' || tool.toolKind === 'switch_mode';
  // What is shown to be read is text already.
  if (isThought && isExplained && !isCut(tool.title)) return [];
  const told = toldBy(tool);
  if (!isRecord(rawInput)) return isEmpty(rawInput) || isTold(rawInput, told) ? [] : readable(rawInput);
  const shown = new Set([
    ...commandNames(rawInput),
    ...(diffsOf(tool).length > 0 ? [...editNames, 'diff'] : []),
    ...(isBrief ? remarks : []),
  ]);
  // A short name of a folder stands in most commands, where it says nothing about the folder.
  const isFolder = (name: string) => folderNames.includes(name) && commandsIn(rawInput).length > 0;
  return Object.entries(rawInput)
    .filter(([name, value]) => !shown.has(name) && !isEmpty(value) && !isUsual(name, value))
    .filter(([name, value]) => isFolder(name) || !isTold(value, told))
    .flatMap(([name, value]) => readableField(name, value));
}

/** Arguments that nothing is done with. */
const remarks = ['description', 'explanation', 'reason', 'purpose', 'justification'];

// An edit replaces one place unless it says otherwise.
function isUsual(name: string, value: unknown): boolean {
  return value === false && (name === 'replace_all' || name === 'replaceAll');
}

function toldBy({ title, content, locations, rawInput }: ToolEntry): string {
  const texts = content.map((item) => (item.kind === 'text' ? item.text : ''));
  const commands = commandsIn(rawInput).map(commandLine);
  const whole = isCut(title) ? [] : [title];
  return [...whole, ...texts, ...commands, ...locations.map(({ path }) => path)].join('\n');
}

function isTold(value: unknown, told: string): boolean {
  if (typeof value === 'string') return told.includes(value.trim());
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => typeof item === 'string' && told.includes(item))
  );
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}
