import { expect, it } from 'vitest';
import { asksNothing } from '../../../../src/model/settings/permissive-modes.ts';

it.each<[string, string | boolean, boolean]>([
  ['mode', 'bypassPermissions', true],
  ['mode', 'yolo', true],
  ['mode', 'full-access', true],
  ['mode', 'agent-full-access', true],
  ['mode', 'https://example.org/session-modes#autopilot', true],
  ['allow_all', 'on', true],
  ['auto_approve', true, true],
  ['auto_approve', false, false],
  ['mode', 'plan', false],
  ['mode', 'acceptEdits', false],
  ['mode', 'auto', false],
  ['fast', true, false],
])('%s = %s: asks nothing is %s', (id, value, expected) => expect(asksNothing({ id }, value)).toBe(expected));
