import path from 'node:path';
import { expect, it } from 'vitest';
import { keptConversations } from '../../../../src/app/prompt/conversations.ts';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { Journal } from '../../../../src/session/journal/journal.ts';
import { aChunk, aToolCall } from '../../../support/builders.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { aFolder } from '../../../support/system/temp.ts';

it('an earlier conversation has the messages, tool calls and prompts that its chat has shown', async () => {
  const folder = aFolder();
  const log = new LogDouble();
  const journal = new Journal(path.join(folder, 'one.jsonl'), new ManualClock(), log);
  const events: readonly SessionEvent[] = [
    { kind: 'session_opened', sessionId: 's1', agent: 'tester', cwd: '/work' },
    { kind: 'turn_started', text: 'Fix the login' },
    aChunk('I look at ', 'agent', 'm1'),
    aChunk('the file.', 'agent', 'm1'),
    aChunk('It is short.', 'agent', 'm2'),
    aToolCall({ title: 'login.ts', toolKind: 'edit' }),
    { kind: 'prompt_injected', text: 'The logout too' },
    aChunk('Both work.', 'agent', 'm3'),
  ];
  for (const event of events) journal.record(event);
  journal.dispose();
  const [kept] = await keptConversations(path.join(folder, 'another.attachments'), log);
  expect(kept?.read().text.split(/\n+/)).toEqual([
    ...['# Fix the login', '## User', 'Fix the login'],
    ...['## tester', 'I look at the file.', '## tester', 'It is short.', '## tester', '(edit: login.ts)'],
    ...['## User', 'The logout too', '## tester', 'Both work.', ''],
  ]);
});
