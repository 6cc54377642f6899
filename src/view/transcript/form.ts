import { shorten } from '../../base/text.ts';
import type { QuestionEntry } from '../../model/entries.ts';
import {
  answerText,
  describeExpectation,
  type Elicitation,
  type Field,
  type Form,
  findOnlyQuestion,
  looksLikeSecret,
} from '../../model/form.ts';
import type { FormProgress } from '../../model/form-progress.ts';
import { moreLines } from '../format.ts';
import { type Line, makeLine } from '../line.ts';
import { sanitise, sanitiseLine } from '../sanitise.ts';
import * as signs from '../signs.ts';
import { parsePageAddress } from '../web-page.ts';
import type { ViewContext } from './view-context.ts';

const maxFields = 100;
const maxLines = 40;
const maxText = 2_000;
const maxSubject = 60;
const maxPrompt = 300;

/** What a form or page asks, on one line. */
export function elicitationPrompt({ question: { elicitation } }: QuestionEntry, agent: string): string {
  const words = elicitation ? questionWords(elicitation).map((text) => shorten(text, maxPrompt)) : [];
  return `${sanitiseLine(agent)}: ${words.join(' — ')}`;
}

// Some agents put the question into the message and "Choice" into the title of the field, others do it the other way
// round. So all that has words is shown, what ends in a question mark first.
function questionWords(elicitation: Elicitation): readonly string[] {
  const message = sanitiseLine(elicitation.message);
  const field = elicitation.kind === 'form' ? findOnlyQuestion(elicitation.form) : undefined;
  if (!field) return [message];
  const title = field.title === field.name ? '' : sanitiseLine(field.title);
  const texts = [title, sanitiseLine(field.description ?? ''), message];
  const words = texts.filter((text, at) => saysSomething(text) && !isRepeated(text, at, texts));
  const questions = words.filter(isQuestion);
  const all = [...questions, ...words.filter((text) => !isQuestion(text))];
  return all.length > 0 ? all : [message || sanitiseLine(field.title)];
}

function isQuestion(text: string): boolean {
  return /[?？]$/.test(text);
}

/** A label for any field whatsoever. */
function saysSomething(text: string): boolean {
  return text !== '' && !/^(your )?(answer|choice|option|response|selection|value)s?[.:]?$/i.test(text);
}

function isRepeated(text: string, at: number, texts: readonly string[]): boolean {
  return texts.some((other, index) => index !== at && other.includes(text) && (other !== text || index < at));
}

export function elicitationLines(entry: QuestionEntry, context: ViewContext): readonly Line[] {
  const { elicitation } = entry.question;
  if (elicitation?.kind === 'page') return pageLines(entry, elicitation, context);
  if (elicitation?.kind !== 'form') return [];
  const { form, message } = elicitation;
  const fields = () => [...noteLines(form), ...fieldLines(form, entry.formProgress), ...warningLines(form)];
  if (entry.answer === undefined) {
    return [
      makeLine(signs.question, [` ${agentName(context)} asks`, 'AcpWaiting']),
      ...indented(message, ''),
      ...fields(),
    ];
  }
  const settled = settledLine(`asked: ${shorten(questionWords(elicitation)[0]!, maxSubject)}`, entry.answer);
  return context.isOpen(entry.id) ? [settled, ...fields()] : [settled];
}

/** The answer to a field; secrets are masked. */
export function shownAnswer(field: Field, progress: FormProgress): string | undefined {
  const value = progress.answers.get(field.name);
  if (value === undefined) return undefined;
  return looksLikeSecret(field) ? '••••' : sanitiseLine(answerText(field, value)) || '(none)';
}

/** The title of a field, with a colon unless it ends in punctuation. */
export function fieldLabel({ title }: Field): string {
  const text = shorten(sanitiseLine(title), maxText);
  return /[?:!.]$/.test(text) ? text : `${text}:`;
}

export function shownExpectation(field: Field): string {
  const expectation = shorten(sanitiseLine(describeExpectation(field)), maxText);
  return field.isRequired ? expectation : `${expectation}; optional`;
}

function noteLines({ title, description }: Form): readonly Line[] {
  return [title, description].flatMap((text) => (text === undefined ? [] : indented(text, 'AcpMuted')));
}

function fieldLines({ fields }: Form, progress: FormProgress | undefined): readonly Line[] {
  const rest = fields.length - maxFields;
  const more = rest > 0 ? [makeLine([`    … ${rest} more fields`, 'AcpMuted'])] : [];
  return [...fields.slice(0, maxFields).flatMap((field) => oneFieldLines(field, progress)), ...more];
}

function oneFieldLines(field: Field, progress: FormProgress | undefined): readonly Line[] {
  const title = fieldLabel(field);
  const answer = progress && shownAnswer(field, progress);
  const heading =
    answer === undefined
      ? makeLine([`    ${title} `, ''], [shownExpectation(field), 'AcpMuted'])
      : makeLine([`    ${title} `, ''], [shorten(answer, maxText), 'AcpAnswer']);
  const description =
    field.description === undefined ? [] : indented(field.description, 'AcpMuted', '      ');
  return [heading, ...description];
}

function warningLines({ fields }: Form): readonly Line[] {
  const unknown = fields.filter(({ kind }) => kind === 'unknown');
  const warnings = [
    ...unknown.map(({ title, isRequired }) =>
      isRequired
        ? `"${title}" is required but has an unsupported type: the form can only be declined or cancelled.`
        : `"${title}" has an unsupported type and is skipped.`,
    ),
    ...fields
      .filter(looksLikeSecret)
      .map(({ title }) => `"${title}" looks like a secret. Agents must not ask for secrets in forms.`),
  ];
  return warnings.slice(0, maxFields).map(warningLine);
}

function pageLines(
  entry: QuestionEntry,
  { message, url }: { readonly message: string; readonly url: string },
  context: ViewContext,
): readonly Line[] {
  const page = parsePageAddress(url);
  const address = makeLine(
    [`    ${sanitiseLine(page.beforeHost)}`, 'AcpMuted'],
    [sanitiseLine(page.host), 'AcpHost'],
    [sanitiseLine(page.afterHost), 'AcpMuted'],
  );
  const details = [...indented(message, ''), address, ...page.warnings.map(warningLine)];
  if (entry.answer === undefined) {
    return [
      makeLine(signs.question, [` ${agentName(context)} wants you to open a page`, 'AcpWaiting']),
      ...details,
    ];
  }
  if (entry.isAwaited) {
    const [sign, colour] = signs.toolSigns.running;
    return [makeLine([sign, colour], [` waiting for ${sanitiseLine(page.host)}`, 'AcpMuted']), ...details];
  }
  const settled = settledLine(`asked to open ${sanitiseLine(page.host || url)}`, entry.answer);
  return context.isOpen(entry.id) ? [settled, ...details] : [settled];
}

function settledLine(what: string, answer: string): Line {
  return makeLine([`· ${what}  `, 'AcpMuted'], [sanitiseLine(answer), 'AcpAnswer']);
}

function warningLine(text: string): Line {
  return makeLine([`    ! ${shorten(sanitiseLine(text), maxText)}`, 'AcpWaiting']);
}

function indented(text: string, hl: string, margin = '    '): readonly Line[] {
  const all = sanitise(text).trim().split('\n');
  const rest = all.length - maxLines;
  const lines = rest > 0 ? [...all.slice(0, maxLines), moreLines(rest)] : all;
  return lines
    .filter((line) => line !== '')
    .map((line) => makeLine([`${margin}${shorten(line, maxText)}`, hl]));
}

function agentName({ state }: ViewContext): string {
  return sanitiseLine(state.agent.title);
}
