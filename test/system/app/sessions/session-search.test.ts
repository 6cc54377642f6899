import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SessionSearch } from '../../../../src/app/sessions/session-search.ts';
import { ManualClock } from '../../../support/doubles/clock.ts';
import { EditorDouble } from '../../../support/doubles/editor.ts';
import { aFolder } from '../../../support/system/temp.ts';

const day = (date: string) => Date.parse(`${date}T12:00`);

interface Said {
  readonly on: string;
  readonly text: string;
}

/** A journal that was written last when its last prompt was sent. */
function writeJournal(folder: string, agent: string, prompts: readonly Said[]): void {
  const file = path.join(folder, `${agent}.jsonl`);
  const opened = { kind: 'session_opened', sessionId: agent, agent, cwd: '/work' };
  const records = [
    { at: day(prompts[0]!.on), event: opened },
    ...prompts.map(({ on, text }) => ({ at: day(on), event: { kind: 'turn_started', text } })),
  ];
  fs.writeFileSync(file, records.map((record) => `\n${JSON.stringify(record)}`).join(''));
  const last = day(prompts.at(-1)!.on) / 1000;
  fs.utimesSync(file, last, last);
}

/** Sessions of two agents: a line of each in January, and one of `new` in March. */
function aStateFolder(): string {
  const folder = aFolder();
  writeJournal(folder, 'old', [{ on: '2026-01-10', text: 'the needle of old' }]);
  writeJournal(folder, 'new', [
    { on: '2026-01-11', text: 'an early needle' },
    { on: '2026-03-11', text: 'a late needle' },
  ]);
  return folder;
}

it.each<[string, readonly string[]]>([
  ['needle', ['a late needle', 'an early needle', 'the needle of old']],
  ['needle agent:old', ['the needle of old']],
  ['needle agent:new', ['a late needle', 'an early needle']],
  ['needle since:2026-02-01', ['a late needle']],
  ['needle since:2026-01-11', ['a late needle', 'an early needle']],
  ['needle since:2026-02-01 agent:old', []],
])(':AcpSearch %s lists nothing else', async (words, expected) => {
  const editor = new EditorDouble();
  const chats = { all: [], summaries: () => [] };
  await new SessionSearch({ editor, clock: new ManualClock(), chats }).show(aStateFolder(), words);
  const picker = editor.sent.find(({ op }) => op === 'picker.open')?.payload;
  const items = (picker?.items ?? []) as readonly { readonly label: string }[];
  expect(items.map(({ label }) => label.split(' · ')[0])).toEqual(expected);
});

it(':AcpSearch since: reads no session that is older, whatever times its lines have', async () => {
  const folder = aFolder();
  writeJournal(folder, 'old', [{ on: '2026-03-10', text: 'a needle of a wrong clock' }]);
  const january = day('2026-01-01') / 1000;
  fs.utimesSync(path.join(folder, 'old.jsonl'), january, january);
  const editor = new EditorDouble();
  const chats = { all: [], summaries: () => [] };
  await new SessionSearch({ editor, clock: new ManualClock(), chats }).show(
    folder,
    'needle since:2026-02-01',
  );
  expect(editor.sent.map(({ op }) => op)).toEqual(['user.notify']);
});
