import { isRecord } from '../../base/record.ts';
import type { ToolKind } from '../entries.ts';
import { isQuietEnvironment, variableArgumentNames } from './quiet-variables.ts';
import {
  changesByPath,
  commandArgumentNames,
  commandsIn,
  editArgumentNames,
  editListNames,
  editPartNames,
  folderArgumentNames,
  namedPathsIn,
  pathArgumentNames,
  urlArgumentNames,
} from './tool-arguments.ts';

/** Arguments that only comment on the call, or identify it. */
const remarkNames = [
  ...['description', 'explanation', 'reason', 'purpose', 'justification', 'summary', 'comment', 'title'],
  ...['instruction', 'instructions'],
];
/**
 * Arguments that only identify the call or say when it was made, the command in parts and the answers that the agent knows.
 * They tell the user nothing.
 */
const referenceNames: ReadonlySet<string> = new Set([
  ...['call_id', 'callId', 'tool_call_id', 'toolCallId', 'tool_use_id', 'toolUseId', 'turn_id', 'turnId'],
  ...['approval_id', 'approvalId', 'started_at', 'startedAt', 'started_at_ms', 'startedAtMs', 'timestamp'],
  ...['parsed_cmd', 'available_decisions', 'availableDecisions'],
]);
/** Codex proposes what its own "always" would allow. */
const commandRemarkNames = ['proposed_execpolicy_amendment'];
const backgroundNames = ['run_in_background', 'is_background', 'isBackground', 'background'];
const timeoutName = /timeout|_ms$|Ms$/;
/** Texts to search for, and names of files in the folder that is searched. */
const patternNames = [
  ...['pattern', 'query', 'regex', 'glob', 'include', 'exclude', 'ignore', 'type', 'output_mode', 'format'],
  ...['file_pattern', 'filePattern', 'include_pattern', 'exclude_pattern', 'pages', 'encoding', 'sort'],
];
const patchNames = ['diff', 'patch'];
const thoughtNames = [
  ...['prompt', 'subagent_type', 'subagent_name', 'thought', 'thoughts', 'plan', 'todos', 'questions'],
  'query',
];

const names: Readonly<Record<Exclude<ToolKind, 'execute' | 'other' | 'switch_mode'>, ReadonlySet<string>>> = {
  read: new Set([...remarkNames, ...pathArgumentNames]),
  search: new Set([...remarkNames, ...pathArgumentNames]),
  delete: new Set([...remarkNames, ...pathArgumentNames]),
  move: new Set([...remarkNames, ...pathArgumentNames]),
  edit: new Set([...remarkNames, ...pathArgumentNames, ...editArgumentNames, ...editPartNames, 'type']),
  fetch: new Set([...remarkNames, ...urlArgumentNames, 'prompt', 'query', 'format']),
  think: new Set([...remarkNames, ...thoughtNames]),
};

/**
 * The arguments of a call that the plugin does not understand: they may make the call do more than its kind, its command
 * and its files say. Nothing is expected of the arguments of tools that have no kind.
 */
export function unknownArguments(kind: ToolKind, rawInput: unknown): readonly string[] {
  if (kind !== 'execute' && commandsIn(rawInput).length === 0 && (kind === 'other' || kind === 'switch_mode'))
    return [];
  if (!isRecord(rawInput)) return isEmpty(rawInput) ? [] : ['without a name'];
  const isUnderstood =
    kind === 'execute' || commandsIn(rawInput).length > 0
      ? understandsCommand(kind, rawInput)
      : (name: string, value: unknown) => understands(kind, name, value, rawInput);
  return Object.entries(rawInput)
    .filter(([name, value]) => !isEmpty(value) && !referenceNames.has(name) && !isUnderstood(name, value))
    .map(([name]) => name);
}

/** Whether an argument is one that a question need not show. */
export function isReference(name: string): boolean {
  return referenceNames.has(name);
}

function understandsCommand(kind: ToolKind, rawInput: Record<string, unknown>) {
  const own = new Set([
    ...commandArgumentNames(rawInput),
    ...remarkNames,
    ...commandRemarkNames,
    ...backgroundNames,
  ]);
  const folders = folderArgumentNames.filter((name) => !isEmpty(rawInput[name]));
  return (name: string, value: unknown) => {
    if (variableArgumentNames.includes(name)) return isQuietEnvironment(value);
    if (own.has(name) || (timeoutName.test(name) && typeof value === 'number')) return true;
    // If two folders are named, it is not known in which one the command runs.
    if (folders.includes(name)) return folders.length === 1 && typeof value === 'string';
    return kind !== 'execute' && understands(kind, name, value, rawInput);
  };
}

function understands(kind: ToolKind, name: string, value: unknown, call: Record<string, unknown>): boolean {
  if (kind === 'execute' || kind === 'other' || kind === 'switch_mode') return false;
  if (isNumberOrFlag(value)) return true;
  if ((kind === 'read' || kind === 'search') && patternNames.includes(name)) return isPatternInside(value);
  if (kind === 'edit' && patchNames.includes(name)) return isPatchOf(namedPathsIn(call), value);
  if (!names[kind].has(name)) return false;
  if (kind === 'edit' && name === 'changes' && isRecord(value))
    return Object.values(changesByPath(call)).every(isChange);
  const mayHaveParts = pathArgumentNames.includes(name) || editListNames.includes(name);
  return mayHaveParts ? isTextOrParts(kind, value) : kind === 'think' || typeof value === 'string';
}

const fileInPatch =
  /^(?:\+\+\+|---|Index:|\*\*\* (?:Update|Add|Delete) File:|\*\*\* Move to:|(?:rename|copy) (?:from|to)) +([^\t\n]+)/gm;

/** Whether a text in a patch format names no other files than these. */
function isPatchOf(files: readonly string[], value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return [...value.matchAll(fileInPatch)].every(([, found = '']) => {
    const file = found.trim();
    const plain = file.replace(/^[ab]\//, '');
    return (
      file === '/dev/null' || files.some((each) => [file, plain].includes(each) || each.endsWith(`/${plain}`))
    );
  });
}

const changeNames = ['type', 'unified_diff', 'content', 'move_path'];

function isChange(value: unknown): boolean {
  return (
    isRecord(value) &&
    Object.entries(value).every(
      ([name, field]) => isEmpty(field) || (changeNames.includes(name) && typeof field === 'string'),
    )
  );
}

/** A text, or a list of texts and of records that are understood themselves. */
function isTextOrParts(kind: ToolKind, value: unknown): boolean {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.every(
    (item) => typeof item === 'string' || (isRecord(item) && unknownArguments(kind, item).length === 0),
  );
}

function isPatternInside(value: unknown): boolean {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.every(
    (item) => typeof item === 'string' && !/^[~/\\]|^\w:/.test(item) && !item.split(/[/\\]/).includes('..'),
  );
}

function isNumberOrFlag(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'number');
  return typeof value === 'number' || typeof value === 'boolean';
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
