import { expect, it } from 'vitest';
import { decodeCapabilities, requireCapability } from '../../../../src/acp/decode/capabilities.ts';

it.each<[string, unknown, object]>([
  ['a flag that is true', { loadSession: true }, { load: true }],
  ['a flag that is something else', { loadSession: 'yes' }, { load: false }],
  [
    'an object',
    { sessionCapabilities: { list: {}, resume: {} } },
    { list: true, resume: true, delete: false },
  ],
  ['null', { sessionCapabilities: { close: null } }, { close: false }],
  ['a flag instead of an object', { sessionCapabilities: { close: true } }, { close: false }],
  ['nothing', undefined, { load: false, list: false, logout: false }],
  ['the logout capability', { auth: { logout: {} } }, { logout: true }],
])('decodeCapabilities reads %s', (_, capabilities, expected) => {
  expect(decodeCapabilities(capabilities)).toMatchObject(expected);
});

it('requireCapability names the missing capability and its method', () => {
  expect(() => requireCapability('Tester', {}, 'list')).toThrow(
    "Tester can't list its sessions: it does not support session/list.",
  );
  expect(() => requireCapability('Tester', { list: true }, 'list')).not.toThrow();
});
