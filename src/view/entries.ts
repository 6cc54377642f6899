import { shorten } from '../base.ts';
import { commandLine, commandsIn } from '../session/arguments.ts';
import type {
  MessageEntry,
  NoticeEntry,
  PlanEntry,
  QuestionEntry,
  QuestionOption,
  SessionState,
  ToolEntry,
} from '../session/model.ts';
import { bodyLines, cut, maxBodyColumns } from './body.ts';
import { unfenced } from './command-output.ts';
import { diffsOf } from './diff.ts';
import type { DiffPlaces } from './diff-lines.ts';
import { elicitationLines, elicitationPrompt } from './elicitation.ts';
import { duration, elapsed, moreLines, shortPath, timeOfDay } from './format.ts';
import { type Line, lineOf } from './line.ts';
import { sanitise, sanitiseLine } from './sanitise.ts';
import * as signs from './signs.ts';
import { isCutTitle, shortTitle, tells } from './tool-title.ts';
import { untoldArguments } from './untold.ts';

/** What drawing an entry may depend on besides the entry. */
export interface ViewContext extends DiffPlaces {
  readonly state: SessionState;
  readonly now: number;
  isOpen(id: number): boolean;
}

const maxTitle = 300;
const maxOption = 200;
const maxExplanation = 40;
const maxPromptDetails = 6;

export function userHeading(entry: MessageEntry): Line {
  const heading = lineOf(['You', 'AcpUser']);
  return entry.isPast ? heading : { ...heading, right: [[timeOfDay(entry.at), 'AcpMuted']] };
}

export function agentHeading(title: string): Line {
  return lineOf([sanitiseLine(title), 'AcpAgent']);
}

/** A thought is one line until it is opened. */
export function thoughtLines(entry: MessageEntry, context: ViewContext): readonly Line[] {
  const isOpen = context.isOpen(entry.id);
  const mark = isOpen ? signs.opened : signs.closed;
  const label = entry.isPast
    ? 'thought'
    : entry.endedAt === undefined
      ? `thinking for ${elapsed(context.now - entry.at)}`
      : `thought for ${duration(entry.endedAt - entry.at)}`;
  const heading = lineOf([`${mark} ${label}`, 'AcpThought']);
  return isOpen ? [heading, ...bodyLines(entry.text.toString(), 'AcpThought')] : [heading];
}

export function planLines(entry: PlanEntry): readonly Line[] {
  if (entry.text !== '') return [lineOf(['Plan', 'AcpPlan']), ...bodyLines(entry.text, '')];
  if (entry.items.length === 0) return [];
  const done = entry.items.filter(({ status }) => status === 'done').length;
  const heading = lineOf(['Plan', 'AcpPlan'], [` ${done}/${entry.items.length}`, 'AcpMuted']);
  const items = entry.items.map(({ text, status }) => {
    const colour = status === 'done' ? 'AcpMuted' : '';
    return lineOf(['  ', ''], signs.planSigns[status], [` ${shorten(sanitiseLine(text), maxTitle)}`, colour]);
  });
  return [heading, ...items];
}

export function noticeLines(entry: NoticeEntry): readonly Line[] {
  const colour = signs.noticeColours[entry.severity];
  const sign = entry.severity === 'info' ? '·' : '!';
  const [title = '', ...more] = sanitise(entry.title).split('\n');
  const detail = [...more, ...entry.detail.flatMap((text) => sanitise(text).split('\n'))];
  return [
    lineOf([`${sign} ${shorten(title, maxBodyColumns)}`, colour]),
    ...cut(detail).map((text) => lineOf([`  ${shorten(text, maxBodyColumns)}`, 'AcpMuted'])),
    ...(entry.hint === undefined ? [] : [lineOf([`  ${sanitiseLine(entry.hint)}`, ''])]),
  ];
}

/** An option as it is offered, on one line. */
export function optionName({ id, name }: QuestionOption): string {
  return shorten(sanitiseLine(name) || sanitiseLine(id), maxOption) || '(without a name)';
}

/** The question as a picker shows it: who wants what, whole, on one line. */
export function questionPrompt(entry: QuestionEntry, context: ViewContext): string {
  if (entry.question.elicitation) return elicitationPrompt(entry, context.state.agent.title);
  const { wish, subject, explanation, details } = questionParts(entry, context, true);
  // A single word is the name of a tool and tells nothing.
  const isVague = subject.length === 1 && !/\s/.test(subject[0]!.trim());
  const remark = isVague && explanation.length === 1 ? explanation : [];
  const more = details.length <= maxPromptDetails ? details : [`${details.length} more lines in the chat`];
  return `${wish}: ${[...subject, ...remark, ...more].join(' ⏎ ')}`;
}

function questionParts(entry: QuestionEntry, context: ViewContext, isBrief = false) {
  const { tool } = entry;
  return {
    ...wishOf(entry, sanitiseLine(context.state.agent.title)),
    subject: tool ? subjectOf(tool, context) : [],
    explanation: tool ? explanationOf(tool) : [],
    details: tool ? untoldArguments(tool, isBrief).map((line) => sanitise(line)) : [],
  };
}

function wishOf({ question, tool }: QuestionEntry, agent: string): { wish: string; settled: string } {
  if (question.isOurs) return { wish: 'Changed on disk and here', settled: 'changed on disk and here' };
  if (!tool || tool.toolKind === 'other') return { wish: `${agent} asks`, settled: 'asked' };
  const verb = tool.toolKind === 'switch_mode' ? 'switch modes' : signs.toolVerbs[tool.toolKind];
  return { wish: `${agent} wants to ${verb}`, settled: `asked to ${verb}` };
}

// A title may be any word: what is run and where it acts has to be read before it is allowed.
function subjectOf(tool: ToolEntry, context: ViewContext): readonly string[] {
  const title = isCutTitle(tool) ? '' : shortTitle(tool, context);
  const told = isCutTitle(tool) ? '' : `${title}\n${tool.title}`;
  const places = tool.locations.filter(({ path }) => path !== context.cwd);
  const changed = diffsOf(tool).map(({ path }) => path);
  const paths = [...places.map(({ path }) => path), ...changed].map((path) =>
    shortPath(path, context.cwd, context.home),
  );
  const commands = commandsIn(tool.rawInput).map(commandLine);
  const facts = [...commands, ...paths].filter((fact) => !tells(told, fact));
  const isVague = ['', signs.toolVerbs[tool.toolKind]].includes(title.trim().toLowerCase());
  const texts = [...(isVague && facts.length > 0 ? [] : [title]), ...new Set(facts)];
  // To a shell a carriage return is a character of a word.
  return texts.flatMap((text) => sanitise(text.replace(/\r(?!\n)/g, '\u240d')).split('\n'));
}

function explanationOf({ content }: ToolEntry): readonly string[] {
  const texts = content.map((item) => (item.kind === 'text' ? unfenced(item.text).trim() : ''));
  return texts.filter((text) => text !== '').flatMap((text) => sanitise(text).split('\n'));
}

// Nothing that is asked is cut: what is too long to be read at once is behind `za`.
function foldedLines(lines: readonly string[], isOpen: boolean): readonly string[] {
  const rest = lines.length - maxExplanation;
  if (isOpen || rest <= 1) return lines.flatMap(wrapped);
  return [...lines.slice(0, maxExplanation).flatMap(wrapped), `${moreLines(rest)}: za shows them`];
}

function wrapped(line: string): readonly string[] {
  const pieces = Math.max(1, Math.ceil(line.length / maxBodyColumns));
  return Array.from({ length: pieces }, (_, at) =>
    line.slice(at * maxBodyColumns, (at + 1) * maxBodyColumns),
  );
}

export function questionLines(entry: QuestionEntry, context: ViewContext): readonly Line[] {
  if (entry.question.elicitation) return elicitationLines(entry, context);
  // It was asked again in other words.
  if (entry.answer === '') return [];
  const { wish, settled, subject, explanation, details } = questionParts(entry, context);
  if (entry.answer !== undefined) {
    return [lineOf([`· ${settled}  `, 'AcpMuted'], [answerOf(entry, entry.answer), 'AcpAnswer'])];
  }
  const options = entry.question.options.map((option, index) =>
    lineOf([`  ${index + 1} `, 'AcpMuted'], [optionName(option), 'AcpOption']),
  );
  return [
    lineOf(signs.question, [` ${wish}`, 'AcpWaiting']),
    ...subject.map((text) => lineOf([`    ${text}`, ''])),
    ...foldedLines([...explanation, ...details], context.isOpen(entry.id)).map((text) =>
      lineOf([`    ${text}`, 'AcpMuted']),
    ),
    ...options,
  ];
}

// What a refusal is called depends on the agent; what became of the wish does not.
function answerOf({ answerKind }: QuestionEntry, answer: string): string {
  const words = sanitiseLine(answer);
  if (answerKind !== 'reject_once' && answerKind !== 'reject_always') return words;
  return /^reject(ed)?$/i.test(words) ? 'Rejected' : `Rejected: ${words}`;
}
