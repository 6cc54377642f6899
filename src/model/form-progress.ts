import {
  type ElicitationOutcome,
  type Field,
  type FieldOf,
  type Form,
  type FormAnswers,
  type FormValue,
  findQuickField,
  isUnanswerable,
  singleLineText,
} from './form.ts';
import { type FieldValidation, requiredMessage, validateField } from './form-validation.ts';

/** How far the user has filled in a form: one field after the other, then a review of all answers. */
export interface FormProgress {
  /** Incremented with each step. Actions for an older revision are ignored. */
  readonly revision: number;
  readonly step: FormStep;
  /** Valid answers. */
  readonly answers: FormAnswers;
  /** Input that is not valid or not complete yet. */
  readonly drafts: ReadonlyMap<string, string | readonly string[]>;
  /** The user has reached the review: every field now leads back to it. */
  readonly isReviewed: boolean;
}

type FormStep =
  | { readonly kind: 'field'; readonly name: string; readonly problem?: string }
  | { readonly kind: 'review' };

export type FormAction =
  | { readonly kind: 'type'; readonly text: string }
  | { readonly kind: 'choose'; readonly value: string | boolean }
  | { readonly kind: 'toggle'; readonly value: string }
  | { readonly kind: 'edit'; readonly name: string }
  | { readonly kind: 'skip' | 'done' | 'close' | 'send' | 'decline' | 'cancel' };

type FormActionResult = { readonly progress: FormProgress } | { readonly outcome: ElicitationOutcome };

/** The first step. Valid presets of the agent are filled in. */
export function startForm(form: Form): FormProgress {
  const answers = new Map(
    form.fields.flatMap((field) => {
      const checked = validatePreset(field);
      return checked.ok ? [[field.name, checked.value] as const] : [];
    }),
  );
  const first = isUnanswerable(form) ? undefined : (findQuickField(form) ?? fillableFields(form)[0]);
  const step: FormStep = first ? { kind: 'field', name: first.name } : { kind: 'review' };
  return { revision: 0, step, answers, drafts: new Map(), isReviewed: first === undefined };
}

// Patterns are skipped: preset and pattern both come from the agent, and a thousand slow patterns would block the host.
function validatePreset(field: Field): FieldValidation {
  const bare = field.kind === 'text' ? { ...field, pattern: undefined } : field;
  return validateField(bare, 'preset' in bare ? bare.preset : undefined);
}

/** Applies an action to the current step. An action that does not fit the step is ignored. */
export function applyAction(form: Form, progress: FormProgress, action: FormAction): FormActionResult {
  if (action.kind === 'decline' || action.kind === 'cancel') return { outcome: { action: action.kind } };
  if (progress.step.kind === 'review') return applyToReview(form, progress, action);
  const { name } = progress.step;
  const field = fillableFields(form).find((candidate) => candidate.name === name);
  if (!field) return { progress };
  const quick = findQuickField(form);
  return quick
    ? applyToQuickForm(form, progress, field, action)
    : { progress: applyToField(form, progress, field, action) };
}

function applyToQuickForm(
  form: Form,
  progress: FormProgress,
  field: Field,
  action: FormAction,
): FormActionResult {
  const quick = findQuickField(form)!;
  const atQuick = (from: FormProgress): FormActionResult => ({
    progress: withStep(from, { kind: 'field', name: quick.name }),
  });
  if (action.kind === 'edit') {
    const isKnown = form.fields.some(({ name }) => name === action.name);
    return { progress: isKnown ? withStep(progress, { kind: 'field', name: action.name }) : progress };
  }
  if (action.kind === 'close') return atQuick(progress);
  if (action.kind === 'send')
    return quick.isRequired ? { progress } : send(form, withAnswer(progress, quick, undefined));
  const next = applyToField(form, { ...progress, isReviewed: true }, field, action);
  if (next.step.kind !== 'review') return { progress: { ...next, isReviewed: false } };
  if (field !== quick) return atQuick({ ...next, isReviewed: false });
  return { outcome: { action: 'accept', answers: next.answers } };
}

function applyToReview(form: Form, progress: FormProgress, action: FormAction): FormActionResult {
  if (action.kind === 'send') return send(form, progress);
  const field =
    action.kind === 'edit' ? fillableFields(form).find(({ name }) => name === action.name) : undefined;
  return { progress: field ? withStep(progress, { kind: 'field', name: field.name }) : progress };
}

function send(form: Form, progress: FormProgress): FormActionResult {
  if (isUnanswerable(form)) return { progress };
  const gap = form.fields.find(({ name, isRequired }) => isRequired && !progress.answers.has(name));
  if (gap)
    return { progress: withStep(progress, { kind: 'field', name: gap.name, problem: requiredMessage(gap) }) };
  return { outcome: { action: 'accept', answers: progress.answers } };
}

function applyToField(form: Form, progress: FormProgress, field: Field, action: FormAction): FormProgress {
  switch (action.kind) {
    case 'type':
      return isTyped(field) ? applyText(form, progress, field, action.text) : progress;
    case 'choose':
      return field.kind === 'choice' || field.kind === 'switch'
        ? fillField(form, progress, field, action.value)
        : progress;
    case 'toggle':
      return field.kind === 'choices' ? toggleChoice(progress, field, action.value) : progress;
    case 'done':
      return field.kind === 'choices' ? finishChoices(form, progress, field) : progress;
    case 'skip':
      return isTyped(field) ? progress : skipField(form, progress, field);
    case 'close':
      return closeField(progress, field);
    default:
      return progress;
  }
}

function applyText(form: Form, progress: FormProgress, field: Field, text: string): FormProgress {
  if (text === '') return skipField(form, progress, field);
  // The input shows a one-line preview. If the user did not change it, keep the full value.
  const known = progress.drafts.get(field.name) ?? progress.answers.get(field.name);
  return fillField(
    form,
    progress,
    field,
    typeof known === 'string' && singleLineText(known) === text ? known : text,
  );
}

function fillField(
  form: Form,
  progress: FormProgress,
  field: Field,
  given: string | boolean | readonly string[],
): FormProgress {
  const checked = validateField(field, given);
  if (checked.ok) return nextStep(form, withAnswer(progress, field, checked.value));
  const draft = typeof given === 'boolean' ? '' : given;
  const drafts = new Map(progress.drafts).set(field.name, draft);
  return withStep({ ...progress, drafts }, { kind: 'field', name: field.name, problem: checked.problem });
}

function toggleChoice(progress: FormProgress, field: FieldOf<'choices'>, value: string): FormProgress {
  if (!field.choices.some((choice) => choice.value === value)) return progress;
  const chosen = selectedValues(progress, field);
  const changed = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
  const drafts = new Map(progress.drafts).set(field.name, changed);
  return withStep({ ...progress, drafts }, { kind: 'field', name: field.name });
}

function selectedValues({ drafts, answers }: FormProgress, { name }: Field): readonly string[] {
  const chosen = drafts.get(name) ?? answers.get(name);
  return Array.isArray(chosen) ? chosen : [];
}

function finishChoices(form: Form, progress: FormProgress, field: FieldOf<'choices'>): FormProgress {
  const chosen = selectedValues(progress, field);
  return chosen.length === 0 && !field.isRequired
    ? skipField(form, progress, field)
    : fillField(form, progress, field, chosen);
}

function skipField(form: Form, progress: FormProgress, field: Field): FormProgress {
  if (field.isRequired)
    return withStep(progress, { kind: 'field', name: field.name, problem: requiredMessage(field) });
  return nextStep(form, withAnswer(progress, field, undefined));
}

// Valid input becomes an answer; invalid input stays a draft.
function closeField(progress: FormProgress, field: Field): FormProgress {
  const draft = progress.drafts.get(field.name);
  const checked = Array.isArray(draft) && draft.length > 0 ? validateField(field, draft) : undefined;
  const kept = checked?.ok ? withAnswer(progress, field, checked.value) : progress;
  return withStep({ ...kept, isReviewed: true }, { kind: 'review' });
}

function withAnswer(progress: FormProgress, { name }: Field, value: FormValue | undefined): FormProgress {
  const drafts = new Map(progress.drafts);
  const answers = new Map(progress.answers);
  drafts.delete(name);
  answers.delete(name);
  if (value !== undefined) answers.set(name, value);
  return { ...progress, drafts, answers };
}

function nextStep(form: Form, progress: FormProgress): FormProgress {
  const fields = fillableFields(form);
  const { step } = progress;
  const index = fields.findIndex(({ name }) => step.kind === 'field' && name === step.name);
  const next = progress.isReviewed ? undefined : fields[index + 1];
  if (next) return withStep(progress, { kind: 'field', name: next.name });
  return withStep({ ...progress, isReviewed: true }, { kind: 'review' });
}

function withStep(progress: FormProgress, step: FormStep): FormProgress {
  return { ...progress, revision: progress.revision + 1, step };
}

function fillableFields({ fields }: Form): readonly Field[] {
  return fields.filter(({ kind }) => kind !== 'unknown');
}

function isTyped({ kind }: Field): boolean {
  return kind === 'text' || kind === 'number' || kind === 'integer';
}
