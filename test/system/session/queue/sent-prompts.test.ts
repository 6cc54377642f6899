import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { sentPrompts } from '../../../../src/session/queue/sent-prompts.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { aFolder } from '../../../support/system/temp.ts';

const begun: SessionEvent = { kind: 'turn_started', id: '1', text: 'go', isUnsent: true };
const sent: SessionEvent = { kind: 'prompt_sent' };
const queued: SessionEvent = { kind: 'prompt_queued', id: '1', text: 'go' };
const waits: SessionEvent = { kind: 'queue_changed', prompts: [{ id: '1', text: 'go' }] };

it.each<[string, readonly SessionEvent[], readonly string[]]>([
  ['the agent got', [queued, begun, sent], ['1']],
  ['that only waits', [queued], []],
  ['whose files are being looked at', [queued, begun], []],
  ['of an earlier version', [{ kind: 'turn_started', id: '1', text: 'go' }], ['1']],
  ['that went into a turn', [{ kind: 'prompt_injected', id: '1', text: 'go' }], ['1']],
  ['that waits for a login', [begun, sent, waits], []],
  ['that was sent after a login', [begun, sent, waits, begun, sent], ['1']],
  ['after another one', [begun, sent, { ...begun, id: '2' }, sent], ['1', '2']],
])('a prompt %s', (_, events, expected) => {
  const file = path.join(aFolder(), 'a.jsonl');
  fs.writeFileSync(file, events.map((event) => `\n${JSON.stringify({ at: 1, event })}`).join(''));
  expect([...sentPrompts(file, new LogDouble())]).toEqual(expected);
});

it('reads a journal that is gone as one without prompts', () => {
  expect([...sentPrompts(path.join(aFolder(), 'none.jsonl'), new LogDouble())]).toEqual([]);
});
