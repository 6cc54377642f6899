import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { Journal } from '../../../src/session/journal.ts';
import { it } from '../../support/agent-it.ts';
import { ManualClock } from '../../support/doubles.ts';
import { meet, speech } from '../../support/encounter.ts';
import { update } from '../../support/stage.ts';

const compaction = (status: string, fields: object = {}) =>
  update('compaction_update', { compactionId: 'k1', status, ...fields });

describe.concurrent('what an agent tells beside the conversation', () => {
  it('NOT-1: a notice is shown, changes nothing, and is not told again', async ({ workshop }) => {
    const encounter = await meet(workshop);
    const { agent, state, events } = encounter;
    const prompt = await encounter.prompt();
    agent.say(
      speech('one, '),
      update('notice', { severity: 'error', title: 'The quota is used up', description: 'Until noon.' }),
      update('notice', { severity: 'shrill', title: 'Unheard of' }),
      speech('two'),
    );
    await agent.isUnderstood();
    expect([state.phase, state.tools.size]).toEqual(['running', 0]);
    agent.reply(prompt, { stopReason: 'end_turn' });
    await encounter.phase('idle');
    const shown = encounter.chat.join('\n');
    for (const text of ['The quota is used up', 'Until noon.', 'Unheard of', 'one, two']) {
      expect(shown).toContain(text);
    }
    const file = path.join(workshop.folder, 'journal.jsonl');
    const journal = new Journal(file, new ManualClock(), workshop.log);
    for (const event of events) journal.record(event);
    journal.dispose();
    expect(fs.readFileSync(file, 'utf8')).not.toMatch(/quota|Unheard/);
    const kinds = [...journal.reader().records()].map(({ event }) => event.kind);
    expect(kinds.filter((kind) => kind === 'chunk' || kind === 'notice')).toEqual(['chunk']);
  });

  it('CMP-1: a compaction is one line that stays where it is, and takes nothing away', async ({
    workshop,
  }) => {
    const encounter = await meet(workshop);
    const { agent } = encounter;
    await encounter.turn(speech('before'), compaction('in_progress'), speech(', after', { messageId: 'm' }));
    const before = encounter.outline;
    expect(before).toEqual(['user: go', 'agent: before', 'compaction', 'agent: , after']);
    const summary = [{ type: 'text', text: 'We spoke.' }];
    for (const [status, fields] of [
      ['resting', {}],
      ['completed', { summary }],
    ] as const) {
      agent.say(compaction(status, fields));
      await agent.isUnderstood();
      expect(encounter.outline).toEqual(before);
      if (status === 'resting') expect(encounter.chat.join('\n')).toContain('resting');
    }
    agent.say(
      update('compaction_summary_chunk', { compactionId: 'k1', content: { type: 'text', text: ' More.' } }),
    );
    await agent.isUnderstood();
    expect(encounter.openChat.join('\n')).toContain('We spoke. More.');
  });
});
