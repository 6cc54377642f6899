import { describe, expect, it } from 'vitest';
import { validateField } from '../../../src/model/form-validation.ts';
import { matchesPattern } from '../../../src/model/safe-regex.ts';
import { cpuTime } from '../../support/cpu-time.ts';
import { aField } from '../../support/forms.ts';

const text = (fields = {}) => aField({ type: 'string', title: 'Text', ...fields });
const number = (fields = {}) => aField({ type: 'number', title: 'Number', ...fields });
const integer = (fields = {}) => aField({ type: 'integer', title: 'Count', ...fields });
const colour = aField({ type: 'string', title: 'Colour', enum: ['red', 'blue'] });
const tools = (fields = {}) =>
  aField({ type: 'array', title: 'Tools', items: { type: 'string', enum: ['a', 'b', 'c'] }, ...fields });

describe('validateField accepts', () => {
  it.each<[string, ReturnType<typeof text>, unknown, unknown]>([
    ['any text', text(), ' any ', ' any '],
    ['a text as short as may be', text({ minLength: 2 }), 'ab', 'ab'],
    ['a text as long as may be', text({ maxLength: 2 }), '😀😀', '😀😀'],
    ['a text that matches', text({ pattern: '^[a-z]+$' }), 'abc', 'abc'],
    ['a pattern that only older expressions allow', text({ pattern: '^\\-a$' }), '-a', '-a'],
    ['an email address', text({ format: 'email' }), 'a@b', 'a@b'],
    ['an address', text({ format: 'uri' }), 'urn:isbn:1', 'urn:isbn:1'],
    ['a day', text({ format: 'date' }), '2024-02-29', '2024-02-29'],
    ['a time', text({ format: 'date-time' }), '2024-02-29T23:59:59.5+02:00', '2024-02-29T23:59:59.5+02:00'],
    ['a text of an unknown format', text({ format: 'iban' }), 'x', 'x'],
    ['a number', number(), ' -1.5e3 ', -1500],
    ['a number that starts with its point', number(), '.5', 0.5],
    ['the least number', number({ minimum: 0.5 }), '0.5', 0.5],
    ['the greatest number', number({ maximum: 0.5 }), '0.5', 0.5],
    ['a preset', number(), 7, 7],
    ['nothing but zero', integer(), '-0', 0],
    ['a whole number', integer({ minimum: 1, maximum: 8 }), '8', 8],
    ['yes', aField({ type: 'boolean' }), true, true],
    ['no', aField({ type: 'boolean' }), false, false],
    ['a choice', colour, 'red', 'red'],
    ['choices, in the order of the list', tools(), ['c', 'a'], ['a', 'c']],
    ['choices, each once', tools({ maxItems: 1 }), ['a', 'a'], ['a']],
    ['no choice', tools(), [], []],
  ])('%s', (_, field, given, value) => expect(validateField(field, given)).toEqual({ ok: true, value }));
});

describe('validateField rejects', () => {
  it.each<[string, ReturnType<typeof text>, unknown, string]>([
    ['too short', text({ minLength: 2 }), '😀', '"Text" must be text, at least 2 characters.'],
    ['too long', text({ maxLength: 1 }), 'ab', '"Text" must be text, at most 1 character.'],
    [
      'not as long as it must be',
      text({ minLength: 3, maxLength: 3 }),
      'ab',
      '"Text" must be text, 3 characters.',
    ],
    [
      'out of bounds',
      text({ minLength: 1, maxLength: 3 }),
      'abcd',
      '"Text" must be text, 1 to 3 characters.',
    ],
    ['no match', text({ pattern: '^a$' }), 'b', '"Text" must be text that matches ^a$.'],
    [
      'no mail',
      text({ format: 'email' }),
      'a@b@c',
      '"Text" must be an email address such as name@example.com.',
    ],
    ['no address', text({ format: 'uri' }), '/etc', '"Text" must be an address such as https://example.com.'],
    ['no such day', text({ format: 'date' }), '2023-02-29', '"Text" must be a date such as 2026-01-31.'],
    ['no day', text({ format: 'date' }), '1.2.2023', '"Text" must be a date such as 2026-01-31.'],
    [
      'no such hour',
      text({ format: 'date-time' }),
      '2024-02-29T25:00:00Z',
      '"Text" must be a date and time such as 2026-01-31T14:30:00Z.',
    ],
    [
      'no zone',
      text({ format: 'date-time' }),
      '2024-02-29T10:00:00',
      '"Text" must be a date and time such as 2026-01-31T14:30:00Z.',
    ],
    ['no number', number(), '12a', '"Number" must be a number.'],
    ['an empty number', number(), '', '"Number" must be a number.'],
    ['infinite', number(), 'Infinity', '"Number" must be a number.'],
    ['too great for a number', number(), '1e999', '"Number" must be a number.'],
    ['of another base', number(), '0x10', '"Number" must be a number.'],
    ['too little', number({ minimum: 1 }), '0.9', '"Number" must be a number of at least 1.'],
    ['too much', number({ maximum: 1 }), '1.1', '"Number" must be a number of at most 1.'],
    ['broken', integer({ minimum: 1, maximum: 8 }), '1.5', '"Count" must be a whole number from 1 to 8.'],
    ['not exact', integer(), '9007199254740993', '"Count" must be a whole number.'],
    ['not on or off', aField({ type: 'boolean', title: 'On?' }), 'true', '"On?" must be yes or no.'],
    ['not offered', colour, 'green', '"Colour" must be one of red, blue.'],
    ['not all offered', tools(), ['a', 'x'], '"Tools" must be any of a, b, c.'],
    ['too few', tools({ minItems: 2 }), ['a'], '"Tools" must be at least 2 of a, b, c.'],
    ['too many', tools({ maxItems: 1 }), ['a', 'b'], '"Tools" must be at most 1 of a, b, c.'],
    ['not so many', tools({ minItems: 1, maxItems: 2 }), [], '"Tools" must be 1 to 2 of a, b, c.'],
    ['of another type', text(), 7, '"Text" must be text.'],
    [
      'of an unsupported type',
      aField({ type: 'blob', title: 'Blob' }),
      'x',
      '"Blob" must be a value of an unsupported type (blob).',
    ],
  ])('%s', (_, field, given, problem) => expect(validateField(field, given)).toEqual({ ok: false, problem }));
});

describe('a pattern of the agent', () => {
  it.each<[string, string, string]>([
    ['is invalid', '(', 'x'],
    ['would never finish', '^(a+)+$', `${'a'.repeat(60)}!`],
    ['would never finish otherwise', '^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(80)],
    ['is huge', 'a'.repeat(5_000_000), 'a'],
    ['is nested too deeply', '(?:'.repeat(3_000), 'a'],
  ])('that %s counts as matched, within the time limit', (_, pattern, given) => {
    const before = cpuTime();
    expect(matchesPattern(pattern, given)).toBe(true);
    expect(cpuTime() - before).toBeLessThan(4_000);
  });

  it('that timed out is not tried again', () => {
    const pattern = '^(b+)+$';
    matchesPattern(pattern, `${'b'.repeat(60)}!`);
    const before = cpuTime();
    for (let count = 0; count < 100; count += 1) matchesPattern(pattern, `${'b'.repeat(60)}!`);
    expect(cpuTime() - before).toBeLessThan(1_000);
  });

  it('has no access to the host', () => {
    expect(matchesPattern("^(?:')*;process.exit$", 'x')).toBe(false);
  });
});
