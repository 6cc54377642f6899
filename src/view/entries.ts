import { shorten } from '../base.ts';
import { commandLine, commandsIn } from '../session/arguments.ts';
import type {
  Location,
  MessageEntry,
  NoticeEntry,
  PlanEntry,
  QuestionEntry,
  QuestionOption,
  SessionState,
  ToolContent,
  ToolEntry,
} from '../session/model.ts';
import { diffsOf, type FileDiff } from './diff.ts';
import { type DiffPlaces, diffFigures, diffHeadings, diffLines } from './diff-lines.ts';
import { elicitationLines, elicitationPrompt } from './elicitation.ts';
import { duration, elapsed, moreLines, shortPath, timeOfDay } from './format.ts';
import { type Line, lineOf, type Piece } from './line.ts';
import { sanitise, sanitiseLine } from './sanitise.ts';
import * as signs from './signs.ts';
import { exitLine, exitPiece, outputLines, terminalsOf } from './terminal.ts';
import { shortTitle, tellingTitle } from './tool-title.ts';
import { untoldArguments } from './untold.ts';

/** What drawing an entry may depend on besides the entry. */
export interface ViewContext extends DiffPlaces {
  readonly state: SessionState;
  readonly now: number;
  isOpen(id: number): boolean;
}

const maxTitle = 300;
const maxOption = 200;
const maxBodyLines = 400;
const maxTailLines = 200;
const maxLiveLines = 6;
/** So much of a change is shown before it is opened. */
const previewLines = 12;
const maxBodyColumns = 2_000;
const verbWidth = 7;
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

export function toolLines(entry: ToolEntry, context: ViewContext): readonly Line[] {
  const [sign, colour] = signs.toolSigns[entry.status];
  const verb = signs.toolVerbs[entry.toolKind].padEnd(verbWidth);
  const title = shorten(sanitiseLine(tellingTitle(entry, context)), maxTitle);
  const diffs = diffsOf(entry);
  const { lines, isWhole } = shownBody(entry, context, diffs);
  const heading: Line = {
    ...lineOf(
      [sign, colour],
      [` ${verb} `, 'AcpToolKind'],
      [title, 'AcpToolTitle'],
      ...pathOf(diffs, entry, context),
    ),
    right: [...diffFigures(diffs), ...toolFigures(entry, context, isWhole)],
    ...(diffs.length > 0 && { target: { diff: 0, row: undefined, isHeading: true } }),
  };
  return [heading, ...lines];
}

// What a call changes has to be named, even if its title does not.
function pathOf(diffs: readonly FileDiff[], entry: ToolEntry, context: ViewContext): readonly Piece[] {
  if (diffs.length !== 1) return [];
  const path = sanitiseLine(shortPath(diffs[0]!.path, context.cwd, context.home));
  const isTold = tells(`${tellingTitle(entry, context)}\n${entry.title}`, path);
  return isTold ? [] : [[entry.title === '' ? path : `  ${path}`, 'AcpLink']];
}

// A change is what one wants to see: a short one stands there until it is closed, of a long one the beginning does.
function shownBody(entry: ToolEntry, context: ViewContext, diffs: readonly FileDiff[]) {
  const isToggled = context.isOpen(entry.id);
  if (diffs.length === 0)
    return {
      lines: isToggled ? toolBody(entry, context, []) : liveLines(entry, context),
      isWhole: isToggled,
    };
  const whole = toolBody(entry, context, diffs);
  // To say that one more line is left takes a line.
  if (whole.length <= previewLines + 1) return { lines: isToggled ? [] : whole, isWhole: !isToggled };
  return { lines: isToggled ? whole : preview(context, diffs), isWhole: isToggled };
}

// Of several files every one is named.
function preview(context: ViewContext, diffs: readonly FileDiff[]): readonly Line[] {
  if (diffs.length === 1) return diffLines(diffs, context, previewLines);
  const share = Math.floor(previewLines / diffs.length);
  const lines = share > 1 ? diffLines(diffs, context, share) : diffHeadings(diffs, context);
  const rest = diffs.length - previewLines;
  return rest <= 0
    ? lines
    : [...lines.slice(0, previewLines), lineOf([`    … ${rest} more files`, 'AcpMuted'])];
}

// What a command writes is seen as it is written.
function liveLines(entry: ToolEntry, { state }: ViewContext): readonly Line[] {
  return terminalsOf(entry, state.terminals).flatMap((terminal) =>
    outputLines(terminal, entry.title, maxLiveLines),
  );
}

function toolFigures(entry: ToolEntry, context: ViewContext, isWhole: boolean): readonly Piece[] {
  const figures: Piece[] = terminalsOf(entry, context.state.terminals).flatMap(({ exit }) => {
    const piece = exit && exitPiece(exit);
    return piece ? [piece] : [];
  });
  if (entry.isPast) return [...figures, ...disclosure(entry, isWhole)];
  if (entry.status === 'running') figures.push([` ${elapsed(context.now - entry.at)}`, 'AcpMuted']);
  else if (entry.endedAt !== undefined && entry.status !== 'cancelled') {
    figures.push([` ${duration(entry.endedAt - entry.at)}`, 'AcpMuted']);
  }
  return [...figures, ...disclosure(entry, isWhole)];
}

function disclosure(entry: ToolEntry, isWhole: boolean): readonly Piece[] {
  if (shownContent(entry).length === 0 && entry.rawInput === undefined) return [];
  return [[` ${isWhole ? signs.opened : signs.closed}`, 'AcpMuted']];
}

function toolBody(entry: ToolEntry, context: ViewContext, diffs: readonly FileDiff[]): readonly Line[] {
  const places = entry.locations
    .filter((place) => isNews(place, entry, context))
    .map(({ path, line }) => {
      const place = shortPath(path, context.cwd, context.home);
      const text = `    ${sanitiseLine(line === undefined ? place : `${place}:${line}`)}`;
      return { ...lineOf([text, 'AcpLink']), target: { path, row: line } };
    });
  const changes = diffLines(diffs, context, maxBodyLines);
  const content = [...changes, ...shownContent(entry).flatMap((item) => contentLines(item, entry, context))];
  if (content.length > 0) return [...places, ...content];
  return [...places, ...bodyLines(rawText(entry.rawOutput ?? entry.rawInput), 'AcpMuted')];
}

// A change names its file itself, and the folder one is in goes without saying.
function isNews({ path, line }: Location, { diffs }: ToolEntry, { cwd }: ViewContext): boolean {
  if (diffs.some((diff) => diff.path === path)) return false;
  return line !== undefined || path !== cwd;
}

// Some agents name no terminal whose output they tell.
function shownContent({ content, diffs, terminals }: ToolEntry): readonly ToolContent[] {
  const lost = content.some(({ kind }) => kind === 'diff') ? [] : diffs;
  const isTold = content.some(({ kind }) => kind === 'text' || kind === 'terminal');
  const unnamed = isTold ? [] : terminals;
  return [
    ...content,
    ...lost,
    ...unnamed.map(({ terminalId }) => ({ kind: 'terminal', terminalId }) as const),
  ];
}

// Changes are shown before all else.
function contentLines(content: ToolContent, entry: ToolEntry, context: ViewContext): readonly Line[] {
  switch (content.kind) {
    case 'text':
      return bodyLines(unfenced(content.text), 'AcpMuted');
    case 'diff':
      return [];
    case 'terminal':
      return terminalLines(content.terminalId, entry, context);
    case 'other':
      return bodyLines(content.label, 'AcpMuted');
  }
}

// The end of what a command wrote tells more than its beginning.
function terminalLines(terminalId: string, entry: ToolEntry, context: ViewContext): readonly Line[] {
  const terminal = terminalsOf(entry, context.state.terminals).find((one) => one.terminalId === terminalId);
  if (!terminal) return bodyLines(`terminal ${terminalId}`, 'AcpMuted');
  return [...outputLines(terminal, entry.title, maxTailLines), ...bodyLines(exitLine(terminal), 'AcpMuted')];
}

// Some agents send output as a code block; indented and muted it needs no fence.
function unfenced(text: string): string {
  return /^\s*(`{3,9}|~{3,9})[^\n]*\n([\s\S]*?)\n?\1\s*$/.exec(text)?.[2] ?? text;
}

/** Text below a heading: indented, and shortened where it is too long to be read in a chat. */
export function bodyLines(text: string, hl: string): readonly Line[] {
  const lines = sanitise(text).trimEnd().split('\n');
  if (lines.length === 1 && lines[0] === '') return [];
  return cut(lines).map((line) => lineOf([`    ${shorten(line, maxBodyColumns)}`, hl]));
}

function cut(lines: readonly string[]): readonly string[] {
  if (lines.length <= maxBodyLines) return lines;
  return [...lines.slice(0, maxBodyLines), moreLines(lines.length - maxBodyLines)];
}

function rawText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
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
  const title = shortTitle(tool, context);
  const places = tool.locations.filter(({ path }) => path !== context.cwd);
  const changed = diffsOf(tool).map(({ path }) => path);
  const paths = [...places.map(({ path }) => path), ...changed].map((path) =>
    shortPath(path, context.cwd, context.home),
  );
  const commands = commandsIn(tool.rawInput).map(commandLine);
  const facts = [...commands, ...paths].filter((fact) => !tells(`${title}\n${tool.title}`, fact));
  const isVerb = facts.length > 0 && title.trim().toLowerCase() === signs.toolVerbs[tool.toolKind];
  return [...(isVerb ? [] : [title]), ...new Set(facts)].flatMap((text) => sanitise(text).split('\n'));
}

// Said as a word of its own, and not as a part of another.
function tells(text: string, fact: string): boolean {
  const parts = text.split(fact);
  const isCut = (before = '', after = '') => /[\w./~-]$/.test(before) || /^[\w/-]/.test(after);
  return fact === '' || parts.slice(1).some((after, index) => !isCut(parts[index], after));
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
    return [lineOf([`· ${settled}  `, 'AcpMuted'], [sanitiseLine(entry.answer), 'AcpAnswer'])];
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
