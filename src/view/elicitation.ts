import { shorten } from '../base.ts';
import { asksForSecret, expectationOf, type Field, type Form, wordsOf } from '../session/form.ts';
import type { Walk } from '../session/form-walk.ts';
import type { QuestionEntry } from '../session/model.ts';
import type { ViewContext } from './entries.ts';
import { moreLines } from './format.ts';
import { type Line, lineOf } from './line.ts';
import { pageAt } from './page.ts';
import { sanitise, sanitiseLine } from './sanitise.ts';
import * as signs from './signs.ts';

const maxFields = 100;
const maxLines = 40;
const maxText = 2_000;
const maxSubject = 60;
const maxPrompt = 300;

/** What an agent asks with a form or a page, on one line. */
export function elicitationPrompt({ question: { elicitation } }: QuestionEntry, agent: string): string {
  return `${sanitiseLine(agent)}: ${shorten(sanitiseLine(elicitation?.message ?? ''), maxPrompt)}`;
}

export function elicitationLines(entry: QuestionEntry, context: ViewContext): readonly Line[] {
  const { elicitation } = entry.question;
  if (elicitation?.kind === 'page') return pageLines(entry, elicitation, context);
  if (elicitation?.kind !== 'form') return [];
  const { form, message } = elicitation;
  const fields = () => [...noteLines(form), ...fieldLines(form, entry.walk), ...warningLines(form)];
  if (entry.answer === undefined) {
    return [
      lineOf(signs.question, [` ${nameOf(context)} asks`, 'AcpWaiting']),
      ...indented(message, ''),
      ...fields(),
    ];
  }
  const settled = settledLine(`asked: ${subjectOf(message)}`, entry.answer);
  return context.isOpen(entry.id) ? [settled, ...fields()] : [settled];
}

/** What was answered, in words that can be shown. */
export function shownAnswer(field: Field, walk: Walk): string | undefined {
  const value = walk.answers.get(field.name);
  if (value === undefined) return undefined;
  return asksForSecret(field) ? '••••' : sanitiseLine(wordsOf(field, value)) || '(none)';
}

/** The title of a field, as it stands before its answer. */
export function labelOf({ title }: Field): string {
  const text = shorten(sanitiseLine(title), maxText);
  return /[?:!.]$/.test(text) ? text : `${text}:`;
}

/** What a field takes, in few words. */
export function shownExpectation(field: Field): string {
  const expectation = shorten(sanitiseLine(expectationOf(field)), maxText);
  return field.isRequired ? expectation : `${expectation}; optional`;
}

function noteLines({ title, description }: Form): readonly Line[] {
  return [title, description].flatMap((text) => (text === undefined ? [] : indented(text, 'AcpMuted')));
}

function fieldLines({ fields }: Form, walk: Walk | undefined): readonly Line[] {
  const rest = fields.length - maxFields;
  const more = rest > 0 ? [lineOf([`    … ${rest} more fields`, 'AcpMuted'])] : [];
  return [...fields.slice(0, maxFields).flatMap((field) => linesOfField(field, walk)), ...more];
}

function linesOfField(field: Field, walk: Walk | undefined): readonly Line[] {
  const title = labelOf(field);
  const answer = walk && shownAnswer(field, walk);
  const heading =
    answer === undefined
      ? lineOf([`    ${title} `, ''], [shownExpectation(field), 'AcpMuted'])
      : lineOf([`    ${title} `, ''], [shorten(answer, maxText), 'AcpAnswer']);
  const description =
    field.description === undefined ? [] : indented(field.description, 'AcpMuted', '      ');
  return [heading, ...description];
}

function warningLines({ fields }: Form): readonly Line[] {
  const unknown = fields.filter(({ kind }) => kind === 'unknown');
  const warnings = [
    ...unknown.map(({ title, isRequired }) =>
      isRequired
        ? `"${title}" can't be filled in here and is needed: the form can only be declined or cancelled.`
        : `"${title}" can't be filled in here and is left out.`,
    ),
    ...fields
      .filter(asksForSecret)
      .map(({ title }) => `"${title}" sounds like a secret. Agents must not ask for those; think twice.`),
  ];
  return warnings.map(warningLine);
}

function pageLines(
  entry: QuestionEntry,
  { message, url }: { readonly message: string; readonly url: string },
  context: ViewContext,
): readonly Line[] {
  const page = pageAt(url);
  const address = lineOf(
    [`    ${sanitiseLine(page.beforeHost)}`, 'AcpMuted'],
    [sanitiseLine(page.host), 'AcpHost'],
    [sanitiseLine(page.afterHost), 'AcpMuted'],
  );
  const details = [...indented(message, ''), address, ...page.warnings.map(warningLine)];
  if (entry.answer === undefined) {
    return [
      lineOf(signs.question, [` ${nameOf(context)} wants you to open a page`, 'AcpWaiting']),
      ...details,
    ];
  }
  if (entry.isAwaited) {
    const [sign, colour] = signs.toolSigns.running;
    return [lineOf([sign, colour], [` waiting for ${sanitiseLine(page.host)}`, 'AcpMuted']), ...details];
  }
  return [settledLine(`asked to open ${sanitiseLine(page.host || url)}`, entry.answer)];
}

function settledLine(what: string, answer: string): Line {
  return lineOf([`· ${what}  `, 'AcpMuted'], [sanitiseLine(answer), 'AcpAnswer']);
}

function subjectOf(message: string): string {
  return shorten(sanitiseLine(message), maxSubject);
}

function warningLine(text: string): Line {
  return lineOf([`    ! ${shorten(sanitiseLine(text), maxText)}`, 'AcpWaiting']);
}

function indented(text: string, hl: string, margin = '    '): readonly Line[] {
  const all = sanitise(text).trim().split('\n');
  const rest = all.length - maxLines;
  const lines = rest > 0 ? [...all.slice(0, maxLines), moreLines(rest)] : all;
  return lines
    .filter((line) => line !== '')
    .map((line) => lineOf([`${margin}${shorten(line, maxText)}`, hl]));
}

function nameOf({ state }: ViewContext): string {
  return sanitiseLine(state.agent.title);
}
