import path from 'node:path';
import { expect, it } from 'vitest';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { Journal } from '../../../../src/session/journal/journal.ts';
import { searchJournal } from '../../../../src/session/journal/search.ts';
import { aChunk, aToolCall } from '../../../support/builders.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { aFolder } from '../../../support/system/temp.ts';

const opened: SessionEvent = { kind: 'session_opened', sessionId: 's1', agent: 'tester', cwd: '/work' };
const asked = (text: string): SessionEvent => ({ kind: 'turn_started', text });

async function found(query: string, ...events: readonly SessionEvent[]) {
  const file = path.join(aFolder(), 'one.jsonl');
  const journal = new Journal(file, new ManualClock(), new LogDouble());
  for (const event of [opened, ...events]) journal.record(event);
  journal.dispose();
  return (await searchJournal(file, query, 3)).map(({ role, line }) => `${role}: ${line}`);
}

it.each<[string, string, readonly SessionEvent[], readonly string[]]>([
  [
    'a prompt and an answer, the last one first',
    'login',
    [asked('fix the login'), aChunk('The login\nworks.')],
    ['agent: The login', 'user: fix the login'],
  ],
  [
    'words that are divided between chunks',
    'redirect',
    [aChunk('the redi'), aChunk('rect')],
    ['agent: the redirect'],
  ],
  ['any case for a lower-case query', 'readme', [asked('see README')], ['user: see README']],
  ['the exact case for a query with capitals', 'README', [asked('see readme')], []],
  ['no thoughts', 'secret', [aChunk('secret', 'thought')], []],
  ['no words across two messages', 'ab', [asked('a'), aToolCall({}), aChunk('b')], []],
  [
    'no words across two messages of the agent that follow each other',
    'network',
    [aChunk('No net', 'agent', 'm1'), aChunk('work.', 'agent', 'm1'), aChunk('I read it.', 'agent', 'm2')],
    ['agent: No network.'],
  ],
  [
    'a whole message whose chunks have something else between them',
    'redirect',
    [aChunk('the redi'), { kind: 'title', title: 'Login' }, aChunk('rect works')],
    ['agent: the redirect works'],
  ],
  [
    'a prompt that was sent into a running turn',
    'logout',
    [
      asked('fix it'),
      aChunk('I look.'),
      { kind: 'prompt_injected', text: 'the logout too' },
      aChunk('I do.'),
    ],
    ['user: the logout too'],
  ],
  ['no words of two speakers', 'ab', [asked('a'), aChunk('b')], []],
  [
    'at most the limit',
    'x',
    [asked('x1'), asked('x2'), asked('x3'), asked('x4')],
    ['user: x4', 'user: x3', 'user: x2'],
  ],
])('searchJournal finds %s', async (_, query, events, expected) => {
  expect(await found(query, ...events)).toEqual(expected);
});
