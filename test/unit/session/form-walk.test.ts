import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formFrom } from '../../../src/acp/form-schema.ts';
import type { Form, Outcome } from '../../../src/session/form.ts';
import { type Act, begin, take, type Walk } from '../../../src/session/form-walk.ts';
import { aForm } from '../../support/forms.ts';

/** Goes through a form; ends at the first outcome. */
function go(form: Form, ...acts: readonly Act[]): { walk: Walk; outcome: Outcome | undefined } {
  let walk = begin(form);
  for (const act of acts) {
    const step = take(form, walk, act);
    if ('outcome' in step) return { walk, outcome: step.outcome };
    walk = step.walk;
  }
  return { walk, outcome: undefined };
}

const type = (text: string): Act => ({ kind: 'type', text });
const choose = (value: string | boolean): Act => ({ kind: 'choose', value });
const toggle = (value: string): Act => ({ kind: 'toggle', value });
const edit = (name: string): Act => ({ kind: 'edit', name });
const [send, close, done, skip]: Act[] = [
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

describe('filling in a form', () => {
  it('goes from field to field, then to the review, and sends what was answered', () => {
    const acts = [type('Ada'), type('36'), toggle('dog'), done!, choose(true), choose('blue')];
    expect(go(person, ...acts).walk.place).toEqual({ kind: 'review' });
    const answers = new Map<string, unknown>([
      ['colour', 'blue'],
      ['name', 'Ada'],
      ['age', 36],
      ['pets', ['dog']],
      ['isNew', true],
    ]);
    expect(go(person, ...acts, send!).outcome).toEqual({ action: 'accept', answers });
  });

  it('leaves out what is skipped, and what was proposed when it is', () => {
    const { outcome } = go(person, type('Ada'), type(''), done!, skip!, skip!, send!);
    expect(outcome).toEqual({ action: 'accept', answers: new Map([['name', 'Ada']]) });
  });

  it('says what is wrong and keeps what was typed', () => {
    const { walk } = go(person, type('A'));
    expect(walk.place).toEqual({
      kind: 'field',
      name: 'name',
      problem: '"Name" must be text, at least 2 characters.',
    });
    expect(walk.drafts.get('name')).toBe('A');
  });

  it.each<[string, Act]>([
    ['left empty', type('')],
    ['not sent', { kind: 'skip' }],
  ])('asks again for what is needed and was %s', (_, act) => {
    const needed = aForm({ a: act.kind === 'skip' ? { type: 'boolean' } : { type: 'string' } }, ['a']);
    expect(go(needed, act).walk.place).toEqual({ kind: 'field', name: 'a', problem: '"a" is needed.' });
  });

  it('keeps everything when an input is closed, and goes to the review', () => {
    const { walk } = go(person, type('Ada'), close!);
    expect({ place: walk.place, name: walk.answers.get('name') }).toEqual({
      place: { kind: 'review' },
      name: 'Ada',
    });
  });

  it('keeps what is ticked when its list is closed', () => {
    const { walk } = go(person, type('Ada'), type('1'), toggle('cat'), toggle('dog'), toggle('cat'), close!);
    expect(walk.answers.get('pets')).toEqual(['dog']);
  });

  it('comes back to the review from a field that is answered again', () => {
    const { walk } = go(person, type('Ada'), close!, edit('name'), type('Bob'));
    expect({ place: walk.place, name: walk.answers.get('name') }).toEqual({
      place: { kind: 'review' },
      name: 'Bob',
    });
  });

  it('stays at the review when that is closed', () => {
    expect(go(person, close!, close!).walk).toEqual(go(person, close!).walk);
  });

  it('sends nothing while something is missing', () => {
    const { walk, outcome } = go(person, close!, send!);
    expect(outcome).toBeUndefined();
    expect(walk.place).toEqual({ kind: 'field', name: 'name', problem: '"Name" is needed.' });
  });

  it.each(['decline', 'cancel'] as const)('can end with a %s anywhere', (kind) => {
    expect(go(person, { kind }).outcome).toEqual({ action: kind });
    expect(go(person, type('Ada'), close!, { kind }).outcome).toEqual({ action: kind });
  });

  it('does not change a proposal of several lines that is left as it is', () => {
    const message = aForm({ text: { type: 'string', default: 'one\n\ntwo' } });
    const { outcome } = go(message, type('one  two'), send!);
    expect(outcome).toEqual({ action: 'accept', answers: new Map([['text', 'one\n\ntwo']]) });
  });

  it('does not send a proposal that breaks the rules', () => {
    const strict = aForm({ n: { type: 'integer', maximum: 5, default: 9 } });
    expect(go(strict, close!, send!).outcome).toEqual({ action: 'accept', answers: new Map() });
  });

  it('begins at once however many patterns would take for ever', () => {
    const trap = { type: 'string', pattern: '^(c+)+$', default: `${'c'.repeat(60)}!` };
    const before = performance.now();
    begin(
      aForm(
        Object.fromEntries(
          Array.from({ length: 1_000 }, (_, at) => [`f${at}`, { ...trap, pattern: `^(c+)+${at}$` }]),
        ),
      ),
    );
    expect(performance.now() - before).toBeLessThan(1_000);
  });

  it('has nothing to ask in an empty form', () => {
    expect(go(aForm({}), send!).outcome).toEqual({ action: 'accept', answers: new Map() });
  });

  it('can only be declined or cancelled when it needs what is unknown here', () => {
    const hopeless = aForm({ a: { type: 'string' }, b: { type: 'file' } }, ['b']);
    const stuck = go(hopeless, type('x'), edit('b'), send!);
    expect({ ...stuck.walk.place, outcome: stuck.outcome }).toEqual({ kind: 'review', outcome: undefined });
    expect(go(hopeless, { kind: 'decline' }).outcome).toEqual({ action: 'decline' });
  });

  it('leaves out what is unknown here and not needed', () => {
    const odd = aForm({ a: { type: 'string' }, b: { type: 'file' } }, ['a']);
    expect(go(odd, type('x'), send!).outcome).toEqual({ action: 'accept', answers: new Map([['a', 'x']]) });
  });
});

describe('whatever the user does', () => {
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
  const act: fc.Arbitrary<Act> = fc.oneof(
    values.map((text) => type(text)),
    fc.oneof(values, fc.boolean()).map((value) => choose(value)),
    values.map((value) => toggle(value)),
    names.map((name) => edit(name)),
    fc.constantFrom(send!, send!, close!, close!, done!, skip!),
  );

  it('the only answers that are sent are those the agent asked for', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    let sent = 0;
    fc.assert(
      fc.property(schema, fc.array(act, { maxLength: 60, size: 'max' }), (wanted, some) => {
        const acts = [...some, close!, send!];
        const { walk, outcome } = go(formFrom(wanted), ...acts);
        expect(walk.turn).toBeLessThanOrEqual(acts.length);
        if (outcome?.action !== 'accept') return;
        sent += 1;
        const content: unknown = JSON.parse(JSON.stringify(Object.fromEntries(outcome.answers ?? [])));
        expect({ isValid: ajv.validate(wanted, content), content, wanted }).toMatchObject({ isValid: true });
      }),
      { numRuns: 300 },
    );
    expect(sent).toBeGreaterThan(30);
  });
});
