import path from 'node:path';
import { replaceInvisible } from '../../base/invisible-characters.ts';
import { displayPath, isInside } from '../../base/paths.ts';
import type { QuestionEntry, QuestionOption, ToolEntry } from '../../model/entries.ts';
import { isRunFile } from '../../model/run-files.ts';
import { commandArgumentText, commandsIn } from '../../model/tool-arguments.ts';
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
  return [...warnings, ...pathWarnings(tool, context), ...commandWarnings(tool), ...changeWarnings(tool)];
}

function pathWarnings(tool: ToolEntry, context: ViewContext): readonly string[] {
  const named = [...tool.locations, ...context.diffs.of(tool)].map(({ path: file }) =>
    path.resolve(context.cwd, file),
  );
  return [...new Set(named)].flatMap((file) => {
    const name = sanitiseLine(displayPath(file, context.cwd, context.home));
    const isOutside = !context.roots.some((root) => isInside(file, root));
    const isRun = changingKinds.has(tool.toolKind) && isRunFile(file);
    return [
      ...(isOutside ? [`${name} is outside of the folders of this session`] : []),
      ...(isRun ? [`other programs execute ${name} or read their settings from it`] : []),
    ];
  });
}

function commandWarnings({ rawInput, title, toolKind }: ToolEntry): readonly string[] {
  const commands = commandsIn(rawInput).map(commandArgumentText);
  const texts = toolKind === 'execute' ? [...commands, title] : commands;
  return [
    ...(texts.some((text) => longBlank.test(text)) ? ['the command goes on after a long blank'] : []),
    ...(texts.some((text) => replaceInvisible(text, () => '') !== text)
      ? ['the command has characters that can not be seen']
      : []),
    ...(texts.some(hasMixedWord) ? ['the command has letters that look like others'] : []),
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
