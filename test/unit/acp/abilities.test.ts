import { expect, it } from 'vitest';
import { abilitiesFrom, requireAbility } from '../../../src/acp/abilities.ts';

it.each<[string, unknown, object]>([
  ['a flag that is true', { loadSession: true }, { load: true }],
  ['a flag that is something else', { loadSession: 'yes' }, { load: false }],
  [
    'an object',
    { sessionCapabilities: { list: {}, resume: {} } },
    { list: true, resume: true, delete: false },
  ],
  ['null', { sessionCapabilities: { close: null } }, { close: false }],
  ['a flag where an object is due', { sessionCapabilities: { close: true } }, { close: false }],
  ['nothing', undefined, { load: false, list: false, logout: false }],
  ['logging out', { auth: { logout: {} } }, { logout: true }],
])('reads %s', (_, capabilities, expected) => {
  expect(abilitiesFrom(capabilities)).toMatchObject(expected);
});

it('refuses what was not offered, and says what that is', () => {
  expect(() => requireAbility('Tester', {}, 'list')).toThrow(
    "Tester can't list its sessions: it does not offer session/list.",
  );
  expect(() => requireAbility('Tester', { list: true }, 'list')).not.toThrow();
});
