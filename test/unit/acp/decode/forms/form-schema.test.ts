import { describe, expect, it } from 'vitest';
import { decodeFormSchema } from '../../../../../src/acp/decode/forms/form-schema.ts';

const decodeField = (schema: unknown) => decodeFormSchema({ properties: { p: schema } }).fields[0];

describe('decodeFormSchema', () => {
  it.each<[string, unknown, object]>([
    [
      'a string with every constraint',
      {
        type: 'string',
        title: 'T',
        description: 'D',
        minLength: 1,
        maxLength: 2,
        pattern: 'p',
        format: 'date',
        default: 'd',
      },
      {
        kind: 'text',
        title: 'T',
        description: 'D',
        minLength: 1,
        maxLength: 2,
        pattern: 'p',
        format: 'date',
        preset: 'd',
      },
    ],
    [
      'constraints that are null',
      { type: 'string', minLength: null, enum: null, title: null },
      { kind: 'text', title: 'p', minLength: undefined },
    ],
    [
      'invalid constraints',
      { type: 'string', minLength: '1', format: 7 },
      { kind: 'text', minLength: undefined, format: undefined },
    ],
    ['a blank title', { type: 'string', title: ' ' }, { title: 'p' }],
    [
      'a number',
      { type: 'number', minimum: 1, maximum: 2, default: 1.5 },
      { kind: 'number', minimum: 1, maximum: 2, preset: 1.5 },
    ],
    ['an integer', { type: 'integer' }, { kind: 'integer' }],
    ['a boolean', { type: 'boolean', default: false }, { kind: 'switch', preset: false }],
    [
      'an enum',
      { type: 'string', enum: ['a', 7, 'b'] },
      { kind: 'choice', choices: [{ value: 'a', title: 'a' }, { value: 'b' }] },
    ],
    [
      'titled choices',
      {
        type: 'string',
        oneOf: [{ const: 'a', title: 'A', description: 'first' }, { const: 'b' }, { title: 'C' }],
      },
      {
        kind: 'choice',
        choices: [
          { value: 'a', title: 'A', description: 'first' },
          { value: 'b', title: 'b' },
        ],
      },
    ],
    [
      'an array of an enum',
      { type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 1, maxItems: 2, default: ['a', 7] },
      { kind: 'choices', choices: [{ value: 'a' }], minItems: 1, maxItems: 2, preset: ['a'] },
    ],
    [
      'an array of titled choices',
      { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
      { kind: 'choices', choices: [{ title: 'A' }] },
    ],
    ['an unknown type', { type: 'file' }, { kind: 'unknown', type: 'file' }],
    [
      'an array with other items',
      { type: 'array', items: { type: 'number', enum: [1] } },
      { kind: 'unknown' },
    ],
    ['a choice without options', { type: 'string', enum: [] }, { kind: 'unknown' }],
    ['no type', { enum: ['a'] }, { kind: 'unknown', type: 'no type' }],
    ['a property that is not an object', 'text', { kind: 'unknown' }],
  ])('decodes a field: %s', (_, schema, expected) => expect(decodeField(schema)).toMatchObject(expected));

  it('marks required fields and adds those without a description', () => {
    const schema = {
      title: 'T',
      description: 'D',
      properties: { constructor: { type: 'string' }, b: { type: 'string' } },
      required: ['b', 'toString', 'toString'],
    };
    expect(decodeFormSchema(schema)).toMatchObject({
      title: 'T',
      description: 'D',
      fields: [
        { name: 'constructor', isRequired: false },
        { name: 'b', isRequired: true },
        { name: 'toString', kind: 'unknown', isRequired: true },
      ],
    });
  });
});

it('a schema of thousands of fields is refused', () => {
  const names = Array.from({ length: 1_001 }, (_, index) => `field ${index}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  expect(() => decodeFormSchema({ properties })).toThrow('a form has at most 1000 fields, not 1001');
  expect(() => decodeFormSchema({ required: names })).toThrow('not 1001');
  expect(decodeFormSchema({ required: names.slice(1) }).fields).toHaveLength(1_000);
});

it('names that JavaScript gives a meaning are fields like others', () => {
  const schema: unknown = JSON.parse(
    '{"properties": {"__proto__": {"type": "integer"}}, "required": ["constructor", "__proto__"]}',
  );
  expect(decodeFormSchema(schema).fields).toMatchObject([
    { name: '__proto__', kind: 'integer', isRequired: true },
    { name: 'constructor', kind: 'unknown', isRequired: true },
  ]);
});
