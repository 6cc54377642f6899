import { isRecord } from '../base.ts';
import type { Choice, Elicitation, Field, FormValue, Outcome } from '../session/form.ts';
import { refusalAmong } from './dialects/permission-options.ts';
import type { Quirks } from './quirks.ts';
import { listOf, textOf } from './wire.ts';

type Params = Readonly<Record<string, unknown>>;

/** The questions of an agent that asks them with a permission request, as a form; undefined when it is a permission. */
export function formAskedBy(
  { toolCall, options }: Params,
  { asksByPermission }: Quirks,
): Elicitation | undefined {
  if (!asksByPermission || !isRecord(toolCall) || consentAmong(options) === undefined) return undefined;
  const fields = questionsIn(toolCall).map(fieldFrom);
  const [first] = fields;
  if (!first) return undefined;
  const message =
    fields.length === 1 ? (first.description ?? '') : (textOf(toolCall.title) ?? 'Some questions');
  return { kind: 'form', message, form: { title: undefined, description: undefined, fields } };
}

/** The answer to a permission request whose questions were asked as a form: the answers go by their place. */
export function permissionAnswer({ options }: Params, outcome: Outcome): object {
  if (outcome.action === 'accept') {
    const answers = [...(outcome.answers ?? [])].map(([name, value]) => [name, textFrom(value)]);
    const optionId = consentAmong(options);
    return { outcome: { outcome: 'selected', optionId }, answers: Object.fromEntries(answers) };
  }
  const optionId = outcome.action === 'decline' ? refusalAmong(options) : undefined;
  return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
}

function consentAmong(options: unknown): string | undefined {
  const consents = listOf(options, (option) =>
    isRecord(option) && option.kind === 'allow_once' ? textOf(option.optionId) : undefined,
  );
  return consents[0];
}

function questionsIn({ rawInput, _meta }: Params): readonly Params[] {
  const isQuestion = (item: unknown) => (isRecord(item) && textOf(item.question) ? item : undefined);
  const marked = isRecord(_meta) ? listOf(_meta.qwenQuestions, isQuestion) : [];
  return marked.length > 0 || !isRecord(rawInput) ? marked : listOf(rawInput.questions, isQuestion);
}

function fieldFrom({ question, header, options, multiSelect }: Params, index: number): Field {
  const description = textOf(question);
  const facts = { name: String(index), title: textOf(header) ?? 'Choice', description, isRequired: true };
  const choices = listOf(options, choiceFrom);
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

function choiceFrom(choice: unknown): Choice | undefined {
  const label = isRecord(choice) ? textOf(choice.label) : textOf(choice);
  if (label === undefined) return undefined;
  return {
    value: label,
    title: label,
    description: isRecord(choice) ? textOf(choice.description) : undefined,
  };
}

function textFrom(value: FormValue): string {
  return Array.isArray(value) ? value.join(', ') : String(value);
}
