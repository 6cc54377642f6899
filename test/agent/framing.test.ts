import { describe, expect } from 'vitest';
import type { AgentSpec } from '../../src/ports/agent.ts';
import { it, SinkDouble, type Workshop } from '../support/agent-it.ts';

async function converse(workshop: Workshop, spec: AgentSpec) {
  const agent = workshop.launch(spec);
  await agent.ready;
  const sink = new SinkDouble();
  const sessionId = await agent.openSession({ how: 'new', cwd: workshop.folder }, sink);
  expect(await agent.prompt(sessionId, 'hello')).toBe('end_turn');
  return sink;
}

describe.concurrent('an agent that speaks in frames', () => {
  it('is spoken to in frames from the beginning when it is configured so', async ({ workshop }) => {
    const spec: AgentSpec = { ...workshop.spec('framed.mjs'), framing: 'content-length' };
    expect((await converse(workshop, spec)).text).toBe('ä€ ok');
  });

  it('is spoken to in frames once it has answered in one', async ({ workshop }) => {
    const sink = await converse(workshop, workshop.spec('framed.mjs', 'late'));
    expect(sink.text).toBe('ä€ ok');
    expect(sink.asked).toHaveLength(1);
  });
});

describe.concurrent('an agent that runs where folders have other names', () => {
  it('hears of its own, and we of ours', async ({ workshop }) => {
    const spec: AgentSpec = { ...workshop.spec('elsewhere.mjs'), paths: { '/srv/app': workshop.folder } };
    const sink = await converse(workshop, spec);
    const path = `${workshop.folder}/a.ts`;
    expect(sink.events[0]).toMatchObject({ kind: 'tool', patch: { locations: [{ path }] } });
    expect(JSON.stringify(sink.events[0])).not.toContain('/srv/app');
    expect(sink.asked[0]?.tool).toMatchObject({ locations: [{ path }] });
    expect(sink.text, 'a text is left alone').toBe('changed /srv/app/a.ts');
  });

  it('would be lost without', async ({ workshop }) => {
    const { name } = workshop.spec('elsewhere.mjs');
    await expect(converse(workshop, workshop.spec('elsewhere.mjs'))).rejects.toMatchObject({
      message: `${name} reports an error: there is no folder ${workshop.folder}`,
    });
  });
});
