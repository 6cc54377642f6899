import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { decodeFormSchema } from '../../../src/acp/decode/forms/form-schema.ts';
import type { ElicitationOutcome, Form } from '../../../src/model/form.ts';
import {
  applyAction,
  type FormAction,
  type FormProgress,
  startForm,
} from '../../../src/model/form-progress.ts';
import { cpuTime } from '../../support/cpu-time.ts';
import { aForm } from '../../support/forms.ts';
import { shortOrLong } from '../../support/long.ts';
import { fc } from '../../support/property.ts';

/** Goes through a form; ends at the first outcome. */
function go(
  form: Form,
  ...acts: readonly FormAction[]
): { progress: FormProgress; outcome: ElicitationOutcome | undefined } {
  let progress = startForm(form);
  for (const act of acts) {
    const step = applyAction(form, progress, act);
    if ('outcome' in step) return { progress, outcome: step.outcome };
    progress = step.progress;
  }
  return { progress, outcome: undefined };
}

const type = (text: string): FormAction => ({ kind: 'type', text });
const choose = (value: string | boolean): FormAction => ({ kind: 'choose', value });
const toggle = (value: string): FormAction => ({ kind: 'toggle', value });
const edit = (name: string): FormAction => ({ kind: 'edit', name });
const [send, close, done, skip]: FormAction[] = [
  { kind: 'send' },
  { kind: 'close' },
  { kind: 'done' },
  { kind: 'skip' },
];

const person = aForm(
  {
    name: { type: 'string', title: 'Name', minLength: 2 },
    age: { type: 'integer', title: 'Age' },
    pets: { type: 'array', title: 'Pets', items: { type: 'string', enum: ['cat', 'dog'] } },
    isNew: { type: 'boolean', title: 'New?' },
    colour: { type: 'string', title: 'Colour', enum: ['red', 'blue'], default: 'red' },
  },
  ['name'],
);

describe('a form', () => {
  it('goes from field to field, then to the review, and sends the answers', () => {
    const acts = [type('Ada'), type('36'), toggle('dog'), done!, choose(true), choose('blue')];
    expect(go(person, ...acts).progress.step).toEqual({ kind: 'review' });
    const answers = new Map<string, unknown>([
      ['colour', 'blue'],
      ['name', 'Ada'],
      ['age', 36],
      ['pets', ['dog']],
      ['isNew', true],
    ]);
    expect(go(person, ...acts, send!).outcome).toEqual({ action: 'accept', answers });
  });

  it('leaves out skipped fields, even with a preset', () => {
    const { outcome } = go(person, type('Ada'), type(''), done!, skip!, skip!, send!);
    expect(outcome).toEqual({ action: 'accept', answers: new Map([['name', 'Ada']]) });
  });

  it('explains invalid input and keeps it as a draft', () => {
    const { progress } = go(person, type('A'));
    expect(progress.step).toEqual({
      kind: 'field',
      name: 'name',
      problem: '"Name" must be text, at least 2 characters.',
    });
    expect(progress.drafts.get('name')).toBe('A');
  });

  it.each<[string, FormAction]>([
    ['left empty', type('')],
    ['not sent', { kind: 'skip' }],
  ])('asks again for a required field that was %s', (_, act) => {
    const needed = aForm({ a: act.kind === 'skip' ? { type: 'boolean' } : { type: 'string' } }, ['a']);
    expect(go(needed, act).progress.step).toEqual({ kind: 'field', name: 'a', problem: '"a" is required.' });
  });

  it('keeps all answers and goes to the review when an input is closed', () => {
    const { progress } = go(person, type('Ada'), close!);
    expect({ step: progress.step, name: progress.answers.get('name') }).toEqual({
      step: { kind: 'review' },
      name: 'Ada',
    });
  });

  it('keeps the ticked choices when their list is closed', () => {
    const { progress } = go(
      person,
      type('Ada'),
      type('1'),
      toggle('cat'),
      toggle('dog'),
      toggle('cat'),
      close!,
    );
    expect(progress.answers.get('pets')).toEqual(['dog']);
  });

  it('returns to the review after a field is edited', () => {
    const { progress } = go(person, type('Ada'), close!, edit('name'), type('Bob'));
    expect({ step: progress.step, name: progress.answers.get('name') }).toEqual({
      step: { kind: 'review' },
      name: 'Bob',
    });
  });

  it('stays at the review when it is closed', () => {
    expect(go(person, close!, close!).progress).toEqual(go(person, close!).progress);
  });

  it('is not sent while a required answer is missing', () => {
    const { progress, outcome } = go(person, close!, send!);
    expect(outcome).toBeUndefined();
    expect(progress.step).toEqual({ kind: 'field', name: 'name', problem: '"Name" is required.' });
  });

  it.each(['decline', 'cancel'] as const)('can end with %s at any step', (kind) => {
    expect(go(person, { kind }).outcome).toEqual({ action: kind });
    expect(go(person, type('Ada'), close!, { kind }).outcome).toEqual({ action: kind });
  });

  it('keeps a multi-line preset that the user does not change', () => {
    const message = aForm({ text: { type: 'string', default: 'one\n\ntwo' } });
    const { outcome } = go(message, type('one  two'), send!);
    expect(outcome).toEqual({ action: 'accept', answers: new Map([['text', 'one\n\ntwo']]) });
  });

  it('does not send an invalid preset', () => {
    const strict = aForm({ n: { type: 'integer', maximum: 5, default: 9 } });
    expect(go(strict, close!, send!).outcome).toEqual({ action: 'accept', answers: new Map() });
  });

  it('starts immediately despite many slow patterns', () => {
    const trap = { type: 'string', pattern: '^(c+)+$', default: `${'c'.repeat(60)}!` };
    const before = cpuTime();
    startForm(
      aForm(
        Object.fromEntries(
          Array.from({ length: 1_000 }, (_, at) => [`f${at}`, { ...trap, pattern: `^(c+)+${at}$` }]),
        ),
      ),
    );
    expect(cpuTime() - before).toBeLessThan(1_000);
  });

  it('without fields starts at the review', () => {
    expect(go(aForm({}), send!).outcome).toEqual({ action: 'accept', answers: new Map() });
  });

  it('with a required field of unsupported type can only be declined or cancelled', () => {
    const hopeless = aForm({ a: { type: 'string' }, b: { type: 'file' } }, ['b']);
    const stuck = go(hopeless, type('x'), edit('b'), send!);
    expect({ ...stuck.progress.step, outcome: stuck.outcome }).toEqual({
      kind: 'review',
      outcome: undefined,
    });
    expect(go(hopeless, { kind: 'decline' }).outcome).toEqual({ action: 'decline' });
  });

  it('leaves out an optional field of unsupported type', () => {
    const odd = aForm({ a: { type: 'string' }, b: { type: 'file' } }, ['a']);
    expect(go(odd, type('x'), send!).outcome).toEqual({ action: 'accept', answers: new Map([['a', 'x']]) });
  });
});

describe('a form with random actions', () => {
  const limit = fc.option(fc.integer({ min: -1, max: 4 }), { nil: undefined });
  const names = fc.constantFrom('a', 'b', 'c', '__proto__');
  const values = fc.constantFrom('', 'a', 'b', 'ab', '1', '2.5', '-3', 'longer text');
  const property = fc.oneof(
    fc.record(
      { type: fc.constant('string'), minLength: fc.nat(3), maxLength: fc.nat(6) },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: fc.constantFrom('number', 'integer'), minimum: limit, maximum: limit, default: limit },
      { requiredKeys: ['type'] },
    ),
    fc.record({ type: fc.constant('boolean'), default: fc.boolean() }, { requiredKeys: ['type'] }),
    fc.record(
      { type: fc.constant('string'), enum: fc.constant(['a', 'b']), default: values },
      { requiredKeys: ['type', 'enum'] },
    ),
    fc.record(
      {
        type: fc.constant('array'),
        items: fc.constant({ type: 'string', enum: ['a', 'b', 'ab'] }),
        minItems: fc.nat(3),
        maxItems: fc.nat(3),
        default: fc.array(values, { maxLength: 3 }),
      },
      { requiredKeys: ['type', 'items'] },
    ),
    fc.record({ type: fc.constantFrom('string', 'boolean', 'object') }),
  );
  const described = fc
    .uniqueArray(fc.tuple(names, property, fc.boolean()), { selector: ([name]) => name })
    .map((fields) => ({
      type: 'object',
      properties: Object.fromEntries(fields.map(([name, property]) => [name, property])),
      required: fields.flatMap(([name, , isRequired]) => (isRequired ? [name] : [])),
    }));
  const schema = fc.oneof(
    { arbitrary: described, weight: 9 },
    { arbitrary: described.map((wanted) => ({ ...wanted, required: ['nowhere'] })), weight: 1 },
  );
  const act: fc.Arbitrary<FormAction> = fc.oneof(
    values.map((text) => type(text)),
    fc.oneof(values, fc.boolean()).map((value) => choose(value)),
    values.map((value) => toggle(value)),
    names.map((name) => edit(name)),
    fc.constantFrom(send!, send!, close!, close!, done!, skip!),
  );

  it('sends only valid answers to its fields', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const numRuns = shortOrLong(40, 300);
    let sent = 0;
    fc.assert(
      fc.property(schema, fc.array(act, { maxLength: 60, size: 'max' }), (wanted, some) => {
        const acts = [...some, close!, send!];
        const { progress, outcome } = go(decodeFormSchema(wanted), ...acts);
        expect(progress.revision).toBeLessThanOrEqual(acts.length);
        if (outcome?.action !== 'accept') return;
        sent += 1;
        const content: unknown = JSON.parse(JSON.stringify(Object.fromEntries(outcome.answers ?? [])));
        expect({ isValid: ajv.validate(wanted, content), content, wanted }).toMatchObject({ isValid: true });
      }),
      { numRuns },
    );
    expect(sent).toBeGreaterThan(numRuns / 20);
  });
});

it('a preset of thousands of choices is checked in linear time', () => {
  const values = Array.from({ length: 30_000 }, (_, index) => `choice ${index}`);
  const items = { type: 'string', enum: values };
  const form = aForm({ all: { type: 'array', items, default: values.toReversed() } });
  const before = cpuTime();
  expect(startForm(form).answers.get('all')).toEqual(values);
  expect(cpuTime() - before).toBeLessThan(1_500);
});
