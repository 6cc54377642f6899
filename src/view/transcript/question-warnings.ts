import path from 'node:path';
import { replaceInvisible } from '../../base/invisible-characters.ts';
import { displayPath, isInside } from '../../base/paths.ts';
import { isRecord } from '../../base/record.ts';
import type { QuestionEntry, QuestionOption, ToolEntry } from '../../model/entries.ts';
import { isRunFile } from '../../model/run-files.ts';
import { commandArgumentText, commandFolder, commandsIn, namedPathsIn } from '../../model/tool-arguments.ts';
import { sanitiseLine } from '../sanitise.ts';
import type { ViewContext } from './view-context.ts';

/** Blanks that move the rest of a command out of sight. */
const longBlank = /[ \t]{16,}\S/;
const allowingName = /^(yes|allow|accept|approve|ok|proceed|continue)\b/i;
const refusingName = /^(no|reject|deny|decline|refuse|cancel|don'?t)\b/i;
const changingKinds = new Set<ToolEntry['toolKind']>(['edit', 'delete', 'move']);

/** What the user should look at before answering; one line each. */
export function questionWarnings({ question, tool }: QuestionEntry, context: ViewContext): readonly string[] {
  const warnings = question.options.flatMap(contradiction);
  if (!tool || question.isOurs) return warnings;
  return [
    ...warnings,
    ...pathWarnings(tool, context),
    ...commandWarnings(tool),
    ...nameWarnings(tool, context),
    ...changeWarnings(tool),
  ];
}

function pathWarnings(tool: ToolEntry, context: ViewContext): readonly string[] {
  const folder = commandFolder(tool.rawInput);
  const absolute = (file: string) => path.resolve(context.cwd, file);
  const files = pathsOf(tool, context).map(absolute);
  const changed = new Set(context.diffs.of(tool).map((diff) => absolute(diff.path)));
  return [
    ...(folder === undefined ? [] : outsideWarnings(path.resolve(context.cwd, folder), context)),
    ...[...new Set(files)].flatMap((file) => [
      ...outsideWarnings(file, context),
      ...(changingKinds.has(tool.toolKind) || changed.has(file) ? runFileWarnings(file, context) : []),
    ]),
  ];
}

function pathsOf(tool: ToolEntry, context: ViewContext): readonly string[] {
  const shown = [...tool.locations, ...context.diffs.of(tool)].map(({ path: file }) => file);
  const isAboutFiles = tool.toolKind !== 'execute' && tool.toolKind !== 'fetch' && tool.toolKind !== 'other';
  return isAboutFiles ? [...shown, ...namedPathsIn(tool.rawInput)] : shown;
}

function outsideWarnings(file: string, context: ViewContext): readonly string[] {
  const resolve = (name: string) => context.resolveLinks?.(name) ?? name;
  const isIn = (name: string, roots: readonly string[]) => roots.some((root) => isInside(name, root));
  const name = sanitiseLine(displayPath(file, context.cwd, context.home));
  const real = resolve(file);
  if (!isIn(real, context.roots.map(resolve))) {
    const where = isIn(file, context.roots) ? `, through a link: ${sanitiseLine(real)}` : '';
    return [`${name} is outside of the folders of this session${where}`];
  }
  return [];
}

function runFileWarnings(file: string, context: ViewContext): readonly string[] {
  const real = context.resolveLinks?.(file) ?? file;
  const name = sanitiseLine(displayPath(file, context.cwd, context.home));
  const isProtected = context.isProtected ?? isRunFile;
  return isProtected(file) || isProtected(real)
    ? [`other programs execute ${name} or read their settings from it`]
    : [];
}

function commandWarnings({ rawInput, title, toolKind }: ToolEntry): readonly string[] {
  const commands = commandsIn(rawInput).map(commandArgumentText);
  const texts = toolKind === 'execute' ? [...commands, title] : commands;
  return characterWarnings('the command', texts);
}

/** Of the names that the user reads to decide: files, and the address or tool in the title. */
function nameWarnings(tool: ToolEntry, context: ViewContext): readonly string[] {
  const title = tool.toolKind === 'execute' ? [] : [tool.title, ...(tool.toolNames ?? [])];
  const addresses = tool.toolKind === 'fetch' ? addressesIn(tool.rawInput) : [];
  return characterWarnings('a name', [...pathsOf(tool, context), ...title, ...addresses]);
}

function addressesIn(rawInput: unknown): readonly string[] {
  const { url, uri } = isRecord(rawInput) ? rawInput : {};
  return [url, uri].filter((address) => typeof address === 'string') as readonly string[];
}

function characterWarnings(what: string, texts: readonly string[]): readonly string[] {
  return [
    ...(texts.some((text) => longBlank.test(text)) ? [`${what} goes on after a long blank`] : []),
    ...(texts.some((text) => replaceInvisible(text, () => '') !== text)
      ? [`${what} has characters that can not be seen`]
      : []),
    ...(texts.some(hasMixedWord) ? [`${what} has letters that look like others`] : []),
  ];
}

/** Whether a word mixes Latin letters with Cyrillic or Greek ones, which look alike. */
function hasMixedWord(text: string): boolean {
  return (text.match(/[\p{L}\p{N}_.-]+/gu) ?? []).some(
    (word) =>
      /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}\uff01-\uff5e]/u.test(word),
  );
}

function changeWarnings({ isAllowed }: ToolEntry): readonly string[] {
  return isAllowed ? ['you have allowed this call before; read again what it does now'] : [];
}

function contradiction({ name, kind }: QuestionOption): readonly string[] {
  const isWrong =
    (kind.startsWith('reject') && allowingName.test(name)) ||
    (kind.startsWith('allow') && refusingName.test(name));
  const meaning = kind.startsWith('allow') ? 'allows' : 'rejects';
  return isWrong ? [`the option "${sanitiseLine(name)}" ${meaning}, whatever its name says`] : [];
}
