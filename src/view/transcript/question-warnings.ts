import path from 'node:path';
import { replaceInvisible } from '../../base/invisible-characters.ts';
import { displayPath, isInside } from '../../base/paths.ts';
import { isRecord } from '../../base/record.ts';
import { isCutLabel } from '../../base/text.ts';
import type { QuestionEntry, QuestionOption, ToolEntry } from '../../model/entries.ts';
import { isRunFile } from '../../model/run-files.ts';
import {
  commandArgumentText,
  commandFolder,
  commandsIn,
  namedPathsIn,
} from '../../model/tools/tool-arguments.ts';
import { contradictsKind } from '../questions/option-names.ts';
import { sanitiseLine } from '../sanitise.ts';
import { remainingArguments } from './tools/arguments.ts';
import type { ViewContext } from './view-context.ts';

/** Blanks that move the rest of a command out of sight. */
const longBlank = /[\s\u2800]{16}|(?:\n[^\S\n]*){4}/;
/** The same in other arguments, which may be indented text with paragraphs. */
const longBlankInText = /[^\s\u2800](?:[^\S\n]|\u2800){16}|[\s\u2800]{80}|(?:\n[^\S\n]*){8}/;
/** More marks than any script puts on one letter. */
const manyMarks = /\p{M}{5}/u;
/** Each is looked up on disk with every change of the question. */
const maxFiles = 1_000;
const changingKinds = new Set<ToolEntry['toolKind']>(['edit', 'delete', 'move']);

/** What the user should look at before answering; one line each. */
export function questionWarnings({ question, tool }: QuestionEntry, context: ViewContext): readonly string[] {
  const contradictions = new Set(question.options.flatMap(contradiction));
  const warnings = [...contradictions, ...idWarnings(question.options)];
  if (!tool || question.isOurs) return warnings;
  return [
    ...warnings,
    ...lengthWarnings(tool),
    ...pathWarnings(tool, context),
    ...commandWarnings(tool),
    ...nameWarnings(tool, context),
    ...argumentWarnings(tool, context),
    ...changeWarnings(tool),
  ];
}

function lengthWarnings({ title }: ToolEntry): readonly string[] {
  return isCutLabel(title) ? ['the title is too long to be shown: its end is missing here'] : [];
}

function pathWarnings(tool: ToolEntry, context: ViewContext): readonly string[] {
  const folder = commandFolder(tool.rawInput);
  const absolute = (file: string) => path.resolve(context.cwd, file);
  const all = [...new Set(pathsOf(tool, context).map(absolute))];
  const files = all.slice(0, maxFiles);
  const rest = all.length - files.length;
  const changed = new Set(context.diffs.of(tool).map((diff) => absolute(diff.path)));
  return [
    ...(folder === undefined ? [] : outsideWarnings(path.resolve(context.cwd, folder), context)),
    ...(rest > 0 ? [`it names ${all.length} files; ${rest} of them were not checked`] : []),
    ...files.flatMap((file) => [
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

/** Of all that the user can read below. What is said of a name already is not said again. */
function argumentWarnings(tool: ToolEntry, context: ViewContext): readonly string[] {
  const text = remainingArguments(tool, context).join('\n');
  const said = nameWarnings(tool, context).map((each) => each.replace('a name', 'an argument'));
  const unusual = characterWarnings('an argument', [text], longBlankInText);
  return unusual.filter(
    (each) => !said.includes(each) && each !== 'an argument has letters that look like others',
  );
}

function addressesIn(rawInput: unknown): readonly string[] {
  const { url, uri } = isRecord(rawInput) ? rawInput : {};
  return [url, uri].filter((address) => typeof address === 'string') as readonly string[];
}

function characterWarnings(what: string, texts: readonly string[], blank = longBlank): readonly string[] {
  return [
    ...(texts.some((text) => blank.test(withoutEnd(text))) ? [`${what} goes on after a long blank`] : []),
    ...(texts.some((text) => replaceInvisible(text, () => '') !== text)
      ? [`${what} has characters that can not be seen`]
      : []),
    ...(texts.some((text) => manyMarks.test(text)) ? [`${what} has signs that cover others`] : []),
    ...(texts.some(hasMixedWord) ? [`${what} has letters that look like others`] : []),
  ];
}

// `trimEnd` does not know the Braille blank, and an expression would try every blank again.
function withoutEnd(text: string): string {
  let end = text.length;
  while (end > 0 && /[\s\u2800]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
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

function idWarnings(options: readonly QuestionOption[]): readonly string[] {
  const isShared = new Set(options.map(({ id }) => id)).size < options.length;
  return isShared ? ['several options have the same id, so the agent may take one for another'] : [];
}

function contradiction(option: QuestionOption): readonly string[] {
  const meaning = option.kind.startsWith('allow') ? 'allows' : 'rejects';
  return contradictsKind(option)
    ? [`the option "${sanitiseLine(option.name)}" ${meaning}, whatever its name says`]
    : [];
}
