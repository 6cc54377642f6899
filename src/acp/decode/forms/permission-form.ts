import { isRecord, type JsonObject } from '../../../base/record.ts';
import type { Choice, Elicitation, ElicitationOutcome, Field, FormValue } from '../../../model/form.ts';
import { asString, mapList } from '../fields.ts';
import type { Quirks } from '../quirks.ts';
import { rejectingOption } from '../rejecting-option.ts';

/** The form in a permission request, for agents that ask questions that way; undefined for a real permission. */
export function decodePermissionForm(
  { toolCall, options }: JsonObject,
  { asksQuestionsByPermission: asksByPermission }: Quirks,
): Elicitation | undefined {
  if (!asksByPermission || !isRecord(toolCall) || findConsentOption(options) === undefined) return undefined;
  const fields = decodeQuestions(toolCall).map(decodeQuestionField);
  const [first] = fields;
  if (!first) return undefined;
  const message = fields.length === 1 ? (first.description ?? '') : (asString(toolCall.title) ?? 'Questions');
  return { kind: 'form', message, form: { title: undefined, description: undefined, fields } };
}

/** The answer to a permission request that was shown as a form. The answers are keyed by the index of the question. */
export function encodeFormAnswer({ options }: JsonObject, outcome: ElicitationOutcome): object {
  if (outcome.action === 'accept') {
    const answers = [...(outcome.answers ?? [])].map(([name, value]) => [name, formatValue(value)]);
    const optionId = findConsentOption(options);
    return { outcome: { outcome: 'selected', optionId }, answers: Object.fromEntries(answers) };
  }
  const optionId = outcome.action === 'decline' ? rejectingOption(options) : undefined;
  return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
}

function findConsentOption(options: unknown): string | undefined {
  const consents = mapList(options, (option) =>
    isRecord(option) && option.kind === 'allow_once' ? asString(option.optionId) : undefined,
  );
  return consents[0];
}

function decodeQuestions({ rawInput, _meta }: JsonObject): readonly JsonObject[] {
  const isQuestion = (item: unknown) => (isRecord(item) && asString(item.question) ? item : undefined);
  const marked = isRecord(_meta) ? mapList(_meta.qwenQuestions, isQuestion) : [];
  return marked.length > 0 || !isRecord(rawInput) ? marked : mapList(rawInput.questions, isQuestion);
}

function decodeQuestionField({ question, header, options, multiSelect }: JsonObject, index: number): Field {
  const description = asString(question);
  const facts = { name: String(index), title: asString(header) ?? 'Choice', description, isRequired: true };
  const choices = mapList(options, decodeQuestionChoice);
  const none = undefined;
  if (choices.length === 0)
    return {
      ...facts,
      kind: 'text',
      minLength: 1,
      maxLength: none,
      pattern: none,
      format: none,
      preset: none,
    };
  if (multiSelect !== true) return { ...facts, kind: 'choice', choices, preset: none };
  return { ...facts, kind: 'choices', choices, minItems: 1, maxItems: none, preset: none };
}

function decodeQuestionChoice(choice: unknown): Choice | undefined {
  const label = isRecord(choice) ? asString(choice.label) : asString(choice);
  if (label === undefined) return undefined;
  return {
    value: label,
    title: label,
    description: isRecord(choice) ? asString(choice.description) : undefined,
  };
}

function formatValue(value: FormValue): string {
  return Array.isArray(value) ? value.join(', ') : String(value);
}
