import { expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { introLines } from '../../../../src/view/transcript/intro.ts';
import { aChunk, aSession } from '../../../support/builders.ts';
import { aMode } from '../../../support/session-events.ts';

const places = { cwd: '/home/me/shop', home: '/home/me' };
const opened: SessionEvent = { kind: 'session_opened', sessionId: 's', agent: 'tester', cwd: places.cwd };
const ready: SessionEvent = {
  kind: 'agent_ready',
  agent: { name: 'tester', title: 'Tester', version: '1.2\n3' },
};
const model = { ...aMode, id: 'model', category: 'model', current: 'large' };
const settings: SessionEvent = { kind: 'settings', settings: [aMode, model] };

const draw = (...events: SessionEvent[]) =>
  introLines(aSession(...events), places).map((pieces) => pieces.map(([text]) => text).join(''));

it.each<[string, SessionEvent[], string[]]>([
  ['names agent, version and folder', [opened, ready], ['Tester 1.2 3', '~/shop']],
  ['names model and mode', [opened, ready, settings], ['Tester 1.2 3', 'large · ask', '~/shop']],
  ['waits for the session', [ready], []],
  ['is gone once something was said', [opened, ready, aChunk('hello')], []],
  ['is gone once a prompt was sent', [opened, ready, { kind: 'turn_started', text: 'go' }], []],
])('the intro of a chat %s', (_, events, expected) => expect(draw(...events)).toEqual(expected));

it('the intro of a chat fits into a narrow window', () => {
  const lines = introLines(aSession(opened, ready, settings), {
    ...places,
    cwd: '/work/long/shop',
    width: 9,
  });
  expect(lines.map((pieces) => pieces.map(([text]) => text).join(''))).toEqual([
    'Tester',
    'large',
    '…ong/shop',
  ]);
});
