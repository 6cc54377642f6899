import {
  type Field,
  type FieldOf,
  type Form,
  type FormAnswers,
  type FormValue,
  inputTextOf,
  isHopeless,
  type Outcome,
  quickFieldOf,
} from './form.ts';
import { type Checked, check, missing } from './form-check.ts';

/** Where somebody is who fills in a form: field by field, then a last look at all of it. */
export interface Walk {
  /** Counts the steps; what belongs to an earlier one comes too late. */
  readonly turn: number;
  readonly place: Place;
  /** Everything in here is right as it is. */
  readonly answers: FormAnswers;
  /** What was given and is not right yet, or not complete. */
  readonly drafts: ReadonlyMap<string, string | readonly string[]>;
  /** All was seen once: from here on each field leads back to the review. */
  readonly isReviewed: boolean;
}

export type Place =
  | { readonly kind: 'field'; readonly name: string; readonly problem?: string }
  | { readonly kind: 'review' };

/** What the user did at a place. */
export type Act =
  | { readonly kind: 'type'; readonly text: string }
  | { readonly kind: 'choose'; readonly value: string | boolean }
  | { readonly kind: 'toggle'; readonly value: string }
  | { readonly kind: 'edit'; readonly name: string }
  | { readonly kind: 'skip' | 'done' | 'close' | 'send' | 'decline' | 'cancel' };

export type Step = { readonly walk: Walk } | { readonly outcome: Outcome };

/** The beginning: what the agent proposes is filled in as far as it may stand. */
export function begin(form: Form): Walk {
  const answers = new Map(
    form.fields.flatMap((field) => {
      const checked = checkPreset(field);
      return checked.ok ? [[field.name, checked.value] as const] : [];
    }),
  );
  const first = isHopeless(form) ? undefined : (quickFieldOf(form) ?? askable(form)[0]);
  const place: Place = first ? { kind: 'field', name: first.name } : { kind: 'review' };
  return { turn: 0, place, answers, drafts: new Map(), isReviewed: first === undefined };
}

// The pattern is the agent's as the preset is; a thousand of them that take their time would hold up everything.
function checkPreset(field: Field): Checked {
  const bare = field.kind === 'text' ? { ...field, pattern: undefined } : field;
  return check(bare, 'preset' in bare ? bare.preset : undefined);
}

/** One step on. An act that has no meaning at this place changes nothing. */
export function take(form: Form, walk: Walk, act: Act): Step {
  if (act.kind === 'decline' || act.kind === 'cancel') return { outcome: { action: act.kind } };
  if (walk.place.kind === 'review') return takeReview(form, walk, act);
  const { name } = walk.place;
  const field = askable(form).find((candidate) => candidate.name === name);
  if (!field) return { walk };
  const quick = quickFieldOf(form);
  return quick ? takeQuick(form, walk, field, act) : { walk: takeField(form, walk, field, act) };
}

function takeQuick(form: Form, walk: Walk, field: Field, act: Act): Step {
  const quick = quickFieldOf(form)!;
  const atQuick = (from: Walk): Step => ({ walk: goTo(from, { kind: 'field', name: quick.name }) });
  if (act.kind === 'edit') {
    const isKnown = form.fields.some(({ name }) => name === act.name);
    return { walk: isKnown ? goTo(walk, { kind: 'field', name: act.name }) : walk };
  }
  if (act.kind === 'close') return atQuick(walk);
  if (act.kind === 'send')
    return quick.isRequired ? { walk } : send(form, withAnswer(walk, quick, undefined));
  const next = takeField(form, { ...walk, isReviewed: true }, field, act);
  if (next.place.kind !== 'review') return { walk: { ...next, isReviewed: false } };
  if (field !== quick) return atQuick({ ...next, isReviewed: false });
  return { outcome: { action: 'accept', answers: next.answers } };
}

function takeReview(form: Form, walk: Walk, act: Act): Step {
  if (act.kind === 'send') return send(form, walk);
  const field = act.kind === 'edit' ? askable(form).find(({ name }) => name === act.name) : undefined;
  return { walk: field ? goTo(walk, { kind: 'field', name: field.name }) : walk };
}

function send(form: Form, walk: Walk): Step {
  if (isHopeless(form)) return { walk };
  const gap = form.fields.find(({ name, isRequired }) => isRequired && !walk.answers.has(name));
  if (gap) return { walk: goTo(walk, { kind: 'field', name: gap.name, problem: missing(gap) }) };
  return { outcome: { action: 'accept', answers: walk.answers } };
}

function takeField(form: Form, walk: Walk, field: Field, act: Act): Walk {
  switch (act.kind) {
    case 'type':
      return isTyped(field) ? takeText(form, walk, field, act.text) : walk;
    case 'choose':
      return field.kind === 'choice' || field.kind === 'switch' ? fill(form, walk, field, act.value) : walk;
    case 'toggle':
      return field.kind === 'choices' ? toggle(walk, field, act.value) : walk;
    case 'done':
      return field.kind === 'choices' ? finish(form, walk, field) : walk;
    case 'skip':
      return isTyped(field) ? walk : leaveOut(form, walk, field);
    case 'close':
      return close(walk, field);
    default:
      return walk;
  }
}

function takeText(form: Form, walk: Walk, field: Field, text: string): Walk {
  if (text === '') return leaveOut(form, walk, field);
  // An input shows one line. Who leaves it as it was means all of what it stands for.
  const known = walk.drafts.get(field.name) ?? walk.answers.get(field.name);
  return fill(form, walk, field, typeof known === 'string' && inputTextOf(known) === text ? known : text);
}

function fill(form: Form, walk: Walk, field: Field, given: string | boolean | readonly string[]): Walk {
  const checked = check(field, given);
  if (checked.ok) return goOn(form, withAnswer(walk, field, checked.value));
  const draft = typeof given === 'boolean' ? '' : given;
  const drafts = new Map(walk.drafts).set(field.name, draft);
  return goTo({ ...walk, drafts }, { kind: 'field', name: field.name, problem: checked.problem });
}

function toggle(walk: Walk, field: FieldOf<'choices'>, value: string): Walk {
  if (!field.choices.some((choice) => choice.value === value)) return walk;
  const chosen = chosenAt(walk, field);
  const changed = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
  const drafts = new Map(walk.drafts).set(field.name, changed);
  return goTo({ ...walk, drafts }, { kind: 'field', name: field.name });
}

/** What is ticked in a list at the moment. */
export function chosenAt({ drafts, answers }: Walk, { name }: Field): readonly string[] {
  const chosen = drafts.get(name) ?? answers.get(name);
  return Array.isArray(chosen) ? chosen : [];
}

function finish(form: Form, walk: Walk, field: FieldOf<'choices'>): Walk {
  const chosen = chosenAt(walk, field);
  return chosen.length === 0 && !field.isRequired
    ? leaveOut(form, walk, field)
    : fill(form, walk, field, chosen);
}

function leaveOut(form: Form, walk: Walk, field: Field): Walk {
  if (field.isRequired) return goTo(walk, { kind: 'field', name: field.name, problem: missing(field) });
  return goOn(form, withAnswer(walk, field, undefined));
}

// Nothing is lost: what can stand is kept, and the rest waits to be gone on with.
function close(walk: Walk, field: Field): Walk {
  const draft = walk.drafts.get(field.name);
  const checked = Array.isArray(draft) && draft.length > 0 ? check(field, draft) : undefined;
  const kept = checked?.ok ? withAnswer(walk, field, checked.value) : walk;
  return goTo({ ...kept, isReviewed: true }, { kind: 'review' });
}

function withAnswer(walk: Walk, { name }: Field, value: FormValue | undefined): Walk {
  const drafts = new Map(walk.drafts);
  const answers = new Map(walk.answers);
  drafts.delete(name);
  answers.delete(name);
  if (value !== undefined) answers.set(name, value);
  return { ...walk, drafts, answers };
}

function goOn(form: Form, walk: Walk): Walk {
  const fields = askable(form);
  const { place } = walk;
  const index = fields.findIndex(({ name }) => place.kind === 'field' && name === place.name);
  const next = walk.isReviewed ? undefined : fields[index + 1];
  if (next) return goTo(walk, { kind: 'field', name: next.name });
  return goTo({ ...walk, isReviewed: true }, { kind: 'review' });
}

function goTo(walk: Walk, place: Place): Walk {
  return { ...walk, turn: walk.turn + 1, place };
}

function askable({ fields }: Form): readonly Field[] {
  return fields.filter(({ kind }) => kind !== 'unknown');
}

function isTyped({ kind }: Field): boolean {
  return kind === 'text' || kind === 'number' || kind === 'integer';
}
