import { expect, it } from 'vitest';
import { parseSearch } from '../../../../src/app/sessions/search-query.ts';

it.each([
  ['login redirect', { text: 'login redirect' }],
  ['login agent:claude', { text: 'login', agent: 'claude' }],
  ['since:2026-11-01  a  b', { text: 'a b', since: new Date(2026, 10, 1).getTime() }],
  ['agent:', { text: 'agent:' }],
  ['https://a.b', { text: 'https://a.b' }],
])('parseSearch reads %s', (words, expected) => expect(parseSearch(words)).toEqual(expected));

it.each(['yesterday', '2026-1-1', '2026-13-45'])('parseSearch refuses the date %s', (date) => {
  expect(() => parseSearch(`x since:${date}`)).toThrow(`"${date}" is no date; write since:2026-01-31`);
});
