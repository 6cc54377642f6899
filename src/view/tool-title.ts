import { commandLine, commandsIn } from '../session/arguments.ts';
import type { ToolEntry, ToolKind } from '../session/model.ts';
import { diffsOf } from './diff.ts';
import type { ViewContext } from './entries.ts';
import { shortPath } from './format.ts';

/** Words at the beginning of a title that say no more than the verb before it does. */
const verbs: Readonly<Partial<Record<ToolKind, RegExp>>> = {
  read: /^read(ing)?:?\s+(?=\S)/i,
  edit: /^edit(ing)?:?\s+(?=\S)/i,
  delete: /^delet(e|ing):?\s+(?=\S)/i,
  move: /^mov(e|ing):?\s+(?=\S)/i,
  search: /^search(ing)?:?\s+(?=\S)/i,
  execute: /^(run(ning)?|execut(e|ing)):?\s+(?=\S)/i,
  fetch: /^fetch(ing)?:?\s+(?=\S)/i,
};

/**
 * The title of a call behind its verb. One that is only the name of a tool, or that the agent cut, gives way to what the
 * call is about.
 */
export function tellingTitle(tool: ToolEntry, context: ViewContext): string {
  const isName = /^[a-z][\w-]*$/i.test(tool.title.trim());
  const subject = isName || isCutTitle(tool) ? subjectOf(tool, context) : '';
  if (subject !== '') return subject;
  const title = shortTitle(tool, context);
  const rest = title.replace(verbs[tool.toolKind] ?? '', '');
  // "Run it" is no command without its first word.
  const command = tool.toolKind === 'execute' ? commandOf(tool.rawInput) : '';
  return command === '' || command.startsWith(rest) ? rest : title;
}

/** Whether the arguments of a call tell what it does, and its title only the beginning of it. */
export function isCutTitle(tool: ToolEntry): boolean {
  const isTold = commandsIn(tool.rawInput).length > 0 || diffsOf(tool).length > 0;
  return isTold && isCut(tool.title);
}

/** The folder one is in goes without saying; in the middle of another path it stays. */
export function shortTitle({ title: given, toolKind }: ToolEntry, { cwd }: ViewContext): string {
  // A command may have backticks of its own.
  const title = toolKind === 'execute' ? given : given.replace(/`([^`\n]{1,500})`/g, '$1');
  return title.replaceAll(`${cwd}/`, (folder, at: number) => {
    const isPart = /[\w.:/~-]/.test(title.charAt(at - 1));
    const isAlone = !/[\w.@-]/.test(title.charAt(at + folder.length));
    return isPart || isAlone ? folder : '';
  });
}

/** Whether an agent has left out the end of a title. */
export function isCut(title: string): boolean {
  return /(\.\.\.|…)["'`)\]}]{0,9}$/.test(title.trimEnd().slice(-12));
}

/** The commands that a call runs, each as a person would type it. */
export function commandOf(rawInput: unknown): string {
  return commandsIn(rawInput).map(commandLine).join('\n');
}

function subjectOf(tool: ToolEntry, { cwd, home }: ViewContext): string {
  const { toolKind, rawInput, locations } = tool;
  const command = commandOf(rawInput);
  const [changed, ...others] = diffsOf(tool);
  const only = others.length === 0 ? changed?.path : undefined;
  const place = locations.find(({ path }) => path !== cwd)?.path ?? only;
  const path = place === undefined ? '' : shortPath(place, cwd, home);
  return toolKind === 'execute' ? command || path : path || command;
}

/** Whether a text says a fact as a word of its own, and not as a part of another. */
export function tells(text: string, fact: string): boolean {
  const parts = text.split(fact);
  const isCut = (before = '', after = '') => /[\w./~-]$/.test(before) || /^[\w/-]/.test(after);
  return fact === '' || parts.slice(1).some((after, index) => !isCut(parts[index], after));
}
