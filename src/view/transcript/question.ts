import { displayPath } from '../../base/paths.ts';
import { characterBoundary } from '../../base/text.ts';
import type { QuestionEntry, ToolEntry } from '../../model/entries.ts';
import { commandArgumentText, commandsIn } from '../../model/tools/tool-arguments.ts';
import { unfenced } from '../code-fence.ts';
import { diffLines } from '../diff/diff-lines.ts';
import { moreLines } from '../format.ts';
import { type Line, makeLine } from '../line.ts';
import { choiceLines, questionChoices } from '../questions/choices.ts';
import { commandLines, joinLines, sanitise, sanitiseLine, sanitiseStart } from '../sanitise.ts';
import * as signs from '../signs.ts';
import { displayWidth, fitEnd } from '../text/display-width.ts';
import { isTooLong, maxBodyColumns, maxBodyLines } from './body.ts';
import { elicitationLines, elicitationPrompt } from './form.ts';
import { questionWarnings } from './question-warnings.ts';
import { remainingArguments } from './tools/arguments.ts';
import { askedPlan, isPlanAbove, isPlanWhole, planCallLines } from './tools/plan-call.ts';
import { canReplaceTitle, displayTitle, isGenericTitle, mentions, shortTitle } from './tools/tool-title.ts';
import type { ViewContext } from './view-context.ts';

const maxExplanation = 40;
const maxPromptDetails = 6;
const maxPreamble = 60;
/** Cells of a settled question, and cells below which its subject says nothing. */
const maxSettled = 120;
/** Characters of what a question in the chat is about; a window of its own shows all of them. */
const maxChatCharacters = 40_000;
const leastSubject = 8;

/** The question on one line, for a picker, with the warnings behind what they are about. */
export function questionPrompt(
  entry: QuestionEntry,
  context: ViewContext,
  warnings: readonly string[] = [],
): string {
  if (entry.question.elicitation) return elicitationPrompt(entry, context.state.agent.title);
  const { request, subject, explanation, details } = questionParts(entry, context, true);
  // A single word is just the name of a tool, so add the explanation.
  const isVague = subject.length === 1 && !/\s/.test(subject[0]!.trim());
  const remark = isVague && explanation.length === 1 ? explanation : [];
  const more = details.length <= maxPromptDetails ? details : [`${details.length} more lines in the chat`];
  return `${request}: ${joinLines([...subject, ...warnings, ...remark, ...more])}`;
}

/** What the agent wants, without the subject, for the title of a window. */
export function questionTitle(entry: QuestionEntry, context: ViewContext): string {
  const agent = sanitiseLine(context.state.agent.title);
  return entry.question.elicitation ? `${agent} asks` : requestText(entry, agent).request;
}

/** Everything that a question is about, for a window of its own. */
export function questionBody(entry: QuestionEntry, context: ViewContext): readonly Line[] {
  return [...questionHead(entry, context), ...questionRest(entry, context)];
}

/** What the user consents to, with the warnings: the texts below are the agent's, and may be long. */
export function questionHead(entry: QuestionEntry, context: ViewContext): readonly Line[] {
  const { elicitation } = entry.question;
  // What is asked in a form is sent to the agent only; a page is opened in a browser.
  if (elicitation) return elicitation.kind === 'page' ? elicitationLines(entry, context) : [];
  const { subject } = questionParts(entry, context);
  return [...subject.map((text) => makeLine([`  ${text}`, ''])), ...warningLines(entry, context)];
}

/** The part of a body below its head. */
export function questionRest(entry: QuestionEntry, context: ViewContext): readonly Line[] {
  const { elicitation } = entry.question;
  if (elicitation) return elicitation.kind === 'page' ? [] : elicitationLines(entry, context);
  const { explanation, plan, details } = questionParts(entry, context);
  const diffs = entry.tool ? context.diffs.of(entry.tool) : [];
  const texts = [...explanation, ...(isTooLong(plan) ? sanitise(plan).split('\n') : []), ...details];
  return [
    ...(isTooLong(plan) ? [] : planCallLines(plan, false)),
    ...texts.flatMap(wrapped).map((text) => makeLine([`  ${text}`, 'AcpMuted'])),
    ...diffLines(diffs, context, maxBodyLines),
  ];
}

function questionParts(entry: QuestionEntry, context: ViewContext, isBrief = false) {
  const { tool } = entry;
  const plan = tool && askedPlan(tool);
  return {
    ...requestText(entry, sanitiseLine(context.state.agent.title)),
    subject: tool ? questionSubject(tool, context) : [],
    explanation: tool && plan === undefined ? questionExplanation(tool) : [],
    plan: plan ?? '',
    details: tool
      ? [...toolNameLines(tool), ...remainingArguments(tool, context, isBrief)].map((line) => sanitise(line))
      : [],
  };
}

function requestText({ question, tool }: QuestionEntry, agent: string): { request: string; settled: string } {
  if (question.isOurs) return { request: 'Changed on disk and in the buffer', settled: 'conflict' };
  if (!tool || tool.toolKind === 'other') return { request: `${agent} asks`, settled: 'asked' };
  const verb = tool.toolKind === 'switch_mode' ? 'switch modes' : signs.toolVerbs[tool.toolKind];
  return { request: `${agent} wants to ${verb}`, settled: `asked to ${verb}` };
}

// Rules may go by the name of the tool, so it is shown where the title and the kind do not tell it.
function toolNameLines({ toolNames = [], toolKind, title }: ToolEntry): readonly string[] {
  const isWorthShowing = toolKind === 'other' || toolNames.length > 1;
  const shown = toolNames.filter((name) => isWorthShowing || name.startsWith('mcp__'));
  return shown.filter((name) => !mentions(title, name)).map((name) => `tool: ${name.replaceAll('\n', ' ')}`);
}

// Titles are free text, so the command and the paths are always shown.
function questionSubject(tool: ToolEntry, context: ViewContext): readonly string[] {
  const title = canReplaceTitle(tool, context.diffs) ? '' : shortTitle(tool, context);
  const shownTitle = canReplaceTitle(tool, context.diffs) ? '' : `${title}\n${tool.title}`;
  const places = tool.locations.filter(({ path }) => path !== context.cwd);
  const changed = context.diffs.of(tool).map(({ path }) => path);
  const paths = [...places.map(({ path }) => path), ...changed].map((path) =>
    displayPath(path, context.cwd, context.home),
  );
  const commands = commandsIn(tool.rawInput).map(commandArgumentText);
  const facts = [...commands, ...paths].filter((fact) => !mentions(shownTitle, fact));
  // A title such as "Edit file", or one that the command has in it, repeats what is below it.
  const isVague =
    ['', signs.toolVerbs[tool.toolKind]].includes(title.trim().toLowerCase()) ||
    (paths.length > 0 && isGenericTitle(title, '')) ||
    (title.trim() !== '' && commands.some((command) => command !== title && mentions(command, title.trim())));
  const texts = [...(isVague && facts.length > 0 ? [] : [title]), ...new Set(facts)];
  return texts.flatMap(commandLines);
}

function questionExplanation({ content, rawInput }: ToolEntry): readonly string[] {
  const texts = content.map((item) => (item.kind === 'text' ? unfenced(item.text).trim() : ''));
  const commands = commandsIn(rawInput).map(commandArgumentText);
  // "Requesting approval to run: ls" says no more than the command.
  const isRepetition = (text: string) =>
    commands.some((command) => text.endsWith(command) && text.length - command.length <= maxPreamble);
  return texts
    .filter((text) => text !== '' && !isRepetition(text))
    .flatMap((text) => sanitise(text).split('\n'));
}

// Long explanations are folded behind `za`.
function foldedLines(lines: readonly string[], isOpen: boolean): readonly string[] {
  const rest = lines.length - maxExplanation;
  if (isOpen) return lines.flatMap(wrapped);
  if (rest <= 1) return limited(lines.flatMap(wrapped));
  return [...limited(lines.slice(0, maxExplanation).flatMap(wrapped)), `${moreLines(rest)}: za shows them`];
}

// Neovim draws a line of megabytes slowly.
function wrapped(line: string): readonly string[] {
  const pieces: string[] = [];
  let at = 0;
  do {
    const end = characterBoundary(line, Math.min(at + maxBodyColumns, line.length));
    pieces.push(line.slice(at, end));
    at = end;
  } while (at < line.length);
  return pieces;
}

// Thousands of lines take Neovim long to draw, and nobody reads them in the chat.
function limited(lines: readonly string[]): readonly string[] {
  let room = maxChatCharacters;
  const end = lines.findIndex((line, at) => {
    room -= line.length;
    return at >= maxBodyLines || room < 0;
  });
  if (end === -1) return lines;
  return [...lines.slice(0, end), `${moreLines(lines.length - end)}: :AcpAnswer shows them`];
}

/** Whether the chat shows all that the user consents to. */
export function isWholeInChat(entry: QuestionEntry, context: ViewContext): boolean {
  const subject = questionParts(entry, context).subject.flatMap(wrapped);
  return limited(subject) === subject && isPlanWhole(entry, context);
}

export function questionLines(entry: QuestionEntry, context: ViewContext): readonly Line[] {
  if (entry.question.elicitation) return elicitationLines(entry, context);
  // The question was replaced by a newer version.
  if (entry.answer === '') return [];
  if (entry.answer !== undefined) return [settledQuestion(entry, entry.answer, context)];
  const { request, subject, explanation, plan, details } = questionParts(entry, context);
  return [
    makeLine(signs.question, [` ${request}`, 'AcpWaiting']),
    ...limited(subject.flatMap(wrapped)).map((text) => makeLine([`    ${text}`, ''])),
    ...(isPlanAbove(entry) ? [] : planCallLines(plan)),
    ...foldedLines([...explanation, ...details], context.isOpen(entry.id)).map((text) =>
      makeLine([`    ${text}`, 'AcpMuted']),
    ),
    ...warningLines(entry, context),
    ...choiceLines(questionChoices(entry, context.offers?.(entry)), context.width),
  ];
}

function warningLines(entry: QuestionEntry, context: ViewContext): readonly Line[] {
  return questionWarnings(entry, context).map((text) => makeLine([`  ! ${text}`, 'AcpWaiting']));
}

// One row of the window: what was asked about is cut, the answer is not.
function settledQuestion(entry: QuestionEntry, given: string, context: ViewContext): Line {
  const tool = entry.toolAtAnswer ?? entry.tool;
  const { settled } = requestText({ ...entry, tool }, sanitiseLine(context.state.agent.title));
  const answer = settledAnswer(entry, given);
  const title = tool ? settledTitle(tool, context) : '';
  const width = Math.min(context.width ?? maxSettled, maxSettled);
  const room = width - settled.length - displayWidth(answer) - '· :   '.length;
  const isTooLong = room < leastSubject && displayWidth(title) > room;
  const subject = title === '' || isTooLong ? '' : `: ${fitEnd(title, room)}`;
  return makeLine([`· ${settled}${subject}  `, 'AcpMuted'], [answer, 'AcpAnswer']);
}

// A title that is only the verb is already there.
function settledTitle(tool: ToolEntry, context: ViewContext): string {
  // Thousands of combining characters take one cell.
  const title = sanitiseStart(displayTitle(tool, context), maxBodyColumns);
  return title.toLowerCase() === signs.toolVerbs[tool.toolKind] ? '' : title;
}

// Agents name their rejecting options as they like, so add "Rejected" unless the name says it.
function settledAnswer({ answerKind }: QuestionEntry, answer: string): string {
  const words = sanitiseLine(answer);
  if (answerKind !== 'reject_once' && answerKind !== 'reject_always') return words;
  return /^reject(ed)?\b/i.test(words) ? words.replace(/^\w+/, 'Rejected') : `Rejected: ${words}`;
}
