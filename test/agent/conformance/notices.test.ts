import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { Journal } from '../../../src/session/journal/journal.ts';
import { it } from '../../support/agents/agent-harness.ts';
import { speech, update } from '../../support/agents/messages.ts';
import { aScenario } from '../../support/agents/session-scenario.ts';
import { ManualClock } from '../../support/doubles/clock.ts';

const compaction = (status: string, fields: object = {}) =>
  update('compaction_update', { compactionId: 'k1', status, ...fields });

describe.concurrent('updates outside of the conversation', () => {
  it('NOT-1: a notice is shown, changes nothing, and is not replayed', async ({ harness }) => {
    const scenario = aScenario(harness);
    const { agent, state, events } = scenario;
    const prompt = await scenario.prompt();
    agent.send(
      speech('one, '),
      update('notice', { severity: 'error', title: 'The quota is used up', description: 'Until noon.' }),
      update('notice', { severity: 'shrill', title: 'Unheard of' }),
      speech('two'),
    );
    await agent.waitUntilProcessed();
    expect([state.phase, state.tools.size]).toEqual(['running', 0]);
    agent.reply(prompt, { stopReason: 'end_turn' });
    await scenario.phase('idle');
    const shown = scenario.chat.join('\n');
    for (const text of ['The quota is used up', 'Until noon.', 'Unheard of', 'one, two']) {
      expect(shown).toContain(text);
    }
    const file = path.join(harness.folder, 'journal.jsonl');
    const journal = new Journal(file, new ManualClock(), harness.log);
    for (const event of events) journal.record(event);
    journal.dispose();
    expect(fs.readFileSync(file, 'utf8')).not.toMatch(/quota|Unheard/);
    const kinds = [...journal.reader().records()].map(({ event }) => event.kind);
    expect(kinds.filter((kind) => kind === 'chunk' || kind === 'notice')).toEqual(['chunk']);
  });

  it('CMP-1: a compaction is one line that keeps its place and removes nothing', async ({ harness }) => {
    const scenario = aScenario(harness);
    const { agent } = scenario;
    await scenario.turn(speech('before'), compaction('in_progress'), speech(', after', { messageId: 'm' }));
    const before = scenario.outline;
    expect(before).toEqual(['user: go', 'agent: before', 'compaction', 'agent: , after']);
    const summary = [{ type: 'text', text: 'We spoke.' }];
    for (const [status, fields] of [
      ['resting', {}],
      ['completed', { summary }],
    ] as const) {
      agent.send(compaction(status, fields));
      await agent.waitUntilProcessed();
      expect(scenario.outline).toEqual(before);
      if (status === 'resting') expect(scenario.chat.join('\n')).toContain('resting');
    }
    agent.send(
      update('compaction_summary_chunk', { compactionId: 'k1', content: { type: 'text', text: ' More.' } }),
    );
    await agent.waitUntilProcessed();
    expect(scenario.openChat.join('\n')).toContain('We spoke. More.');
  });
});
