import { displayPath, literalPath } from '../../../base/paths.ts';
import type { ToolEntry, ToolKind } from '../../../model/entries.ts';
import { commandArgumentText, commandsIn, namedPathsIn } from '../../../model/tools/tool-arguments.ts';
import type { ToolDiffCache } from '../../diff/tool-diff-cache.ts';
import type { ViewContext } from '../view-context.ts';

/** Title prefixes that repeat the verb in front of the title. */
const verbs: Readonly<Partial<Record<ToolKind, RegExp>>> = {
  read: /^read(ing)?:?\s+(?=\S)/i,
  edit: /^edit(ing)?:?\s+(?=\S)/i,
  delete: /^delet(e|ing):?\s+(?=\S)/i,
  move: /^mov(e|ing):?\s+(?=\S)/i,
  search: /^search(ing)?:?\s+(?=\S)/i,
  execute: /^(run(ning)?|execut(e|ing)):?\s+(?=\S)/i,
  fetch: /^fetch(ing)?:?\s+(?=\S)/i,
};

/** Words that say no more than that a call reads or changes a file. */
const fileWords =
  /^(read|edit|writ|view|open|updat|creat|chang|replac|modify|delet|remov|show)(e|s|ing|ed)?$|^(file|files|wrote|the|a|to|from|in|of|into|contents?)$/i;

/**
 * The title of a call, without a verb that repeats its kind. A title that is only a tool's name or is truncated is
 * replaced by the command or path of the call.
 */
export function displayTitle(tool: ToolEntry, context: ViewContext): string {
  const isName = /^[a-z][\w-]*$/i.test(tool.title.trim());
  const subject = isName || canReplaceTitle(tool, context.diffs) ? titleFromArguments(tool, context) : '';
  if (subject !== '') return subject;
  const changed = context.diffs.of(tool).map(({ path }) => path);
  const file = onlyFile(tool, context, changed);
  if (file !== '' && isGenericTitle(shortTitle(tool, context), file)) return file;
  const title = shortTitle(tool, context);
  const rest = title.replace(verbs[tool.toolKind] ?? '', '');
  // "Run it" without its first word would not be the command.
  const command = tool.toolKind === 'execute' ? commandText(tool.rawInput) : '';
  if (isAfterToolName(title, command) || isInBackticks(title, command)) return command;
  return command === '' || command.startsWith(rest) ? rest : title;
}

/** Whether a title is the name of the tool and then the command: "run_commands: ls". */
function isAfterToolName(title: string, command: string): boolean {
  return (
    command !== '' && title.endsWith(`: ${command}`) && /^[\w-]+$/.test(title.slice(0, -command.length - 2))
  );
}

/** Whether a title is the command as Markdown. */
function isInBackticks(title: string, command: string): boolean {
  return command !== '' && title === `\`${command.replaceAll('`', '\\`')}\``;
}

/** Whether the title is truncated and the arguments have the full text. */
export function canReplaceTitle(tool: ToolEntry, diffs: ToolDiffCache): boolean {
  const isTold = commandsIn(tool.rawInput).length > 0 || diffs.of(tool).length > 0;
  return isTold && isTruncatedTitle(tool.title);
}

/** The title with paths relative to the session's folder. Longer paths that contain the folder are kept. */
export function shortTitle({ title: given, toolKind }: ToolEntry, { cwd }: ViewContext): string {
  // Backticks are part of a command, and markup elsewhere.
  const title = toolKind === 'execute' ? given : given.replace(/`([^`\n]{1,500})`/g, '$1');
  return title.replaceAll(`${cwd}/`, (folder, at: number) => {
    const isPart = /[\w.:/~-]/.test(title.charAt(at - 1));
    const isAlone = !/[\w.@-]/.test(title.charAt(at + folder.length));
    return isPart || isAlone ? folder : '';
  });
}

/** Whether the agent truncated the title with an ellipsis. */
export function isTruncatedTitle(title: string): boolean {
  return /(\.\.\.|…)["'`)\]}]{0,9}$/.test(title.trimEnd().slice(-12));
}

/** The commands in the arguments of a call, one per line. */
export function commandText(rawInput: unknown): string {
  return commandsIn(rawInput).map(commandArgumentText).join('\n');
}

function titleFromArguments(tool: ToolEntry, { cwd, home, diffs }: ViewContext): string {
  const { toolKind, rawInput, locations } = tool;
  const command = commandText(rawInput);
  const [changed, ...others] = diffs.of(tool);
  const only = others.length === 0 ? changed?.path : undefined;
  const place = locations.find(({ path }) => path !== cwd)?.path ?? only;
  const path = place === undefined ? '' : displayPath(place, cwd, home);
  return toolKind === 'execute' ? command || path : path || command;
}

/** The one file that a call is about, as it is shown. */
function onlyFile(
  { toolKind, locations, rawInput }: ToolEntry,
  { cwd, home }: ViewContext,
  changed: readonly string[],
): string {
  const isOfFile = toolKind === 'read' || toolKind === 'edit' || toolKind === 'delete';
  const reported = [...locations.map(({ path }) => path), ...changed];
  const named = () => namedPathsIn(rawInput).map((path) => literalPath(path, cwd));
  const paths = new Set((reported.length > 0 ? reported : named()).filter((path) => path !== cwd));
  const [path] = paths;
  return isOfFile && paths.size === 1 ? displayPath(path!, cwd, home) : '';
}

/** Whether a title says no more than the name of the file: "Edit files", "Writing to src/a.ts". */
export function isGenericTitle(title: string, file: string): boolean {
  const name = file.slice(file.lastIndexOf('/') + 1);
  const rest = title.replace(file, '').replace(name, '');
  return rest.split(/[\s:'"`]+/).every((word) => word === '' || fileWords.test(word));
}

/** Whether a text contains a fact as a whole word or path, not as a part of one. */
export function mentions(text: string, fact: string): boolean {
  const parts = text.split(fact);
  const isCut = (before = '', after = '') => /[\w./~-]$/.test(before) || /^[\w/-]/.test(after);
  return fact === '' || parts.slice(1).some((after, index) => !isCut(parts[index], after));
}
