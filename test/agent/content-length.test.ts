import { describe, expect } from 'vitest';
import { textPrompt } from '../../src/model/prompt.ts';
import type { AgentSpec } from '../../src/ports/agent.ts';
import { type AgentHarness, it } from '../support/agents/agent-harness.ts';
import { SinkDouble } from '../support/doubles/sink.ts';

async function converse(harness: AgentHarness, spec: AgentSpec) {
  const agent = harness.launch(spec);
  await agent.ready;
  const sink = new SinkDouble();
  const sessionId = await agent.openSession({ method: 'new', cwd: harness.folder }, sink);
  expect(await agent.prompt(sessionId, textPrompt('hello'))).toBe('end_turn');
  return sink;
}

describe.concurrent('an agent with Content-Length framing', () => {
  it('receives frames from the start if it is configured so', async ({ harness }) => {
    const spec: AgentSpec = { ...harness.spec('content-length.mjs'), framing: 'content-length' };
    expect((await converse(harness, spec)).text).toBe('ä€ ok');
  });

  it('receives frames after it has sent one', async ({ harness }) => {
    const sink = await converse(harness, harness.spec('content-length.mjs', 'late'));
    expect(sink.text).toBe('ä€ ok');
    expect(sink.asked).toHaveLength(1);
  });
});

describe.concurrent('an agent with mapped paths', () => {
  it('receives its own paths, and we receive ours', async ({ harness }) => {
    const spec: AgentSpec = { ...harness.spec('mapped-paths.mjs'), paths: { '/srv/app': harness.folder } };
    const sink = await converse(harness, spec);
    const path = `${harness.folder}/a.ts`;
    expect(sink.events[0]).toMatchObject({ kind: 'tool', patch: { locations: [{ path }] } });
    expect(JSON.stringify(sink.events[0])).not.toContain('/srv/app');
    expect(sink.asked[0]?.tool).toMatchObject({ locations: [{ path }] });
    expect(sink.text, 'a text is left alone').toBe('changed /srv/app/a.ts');
  });

  it('fails without the mapping', async ({ harness }) => {
    await expect(converse(harness, harness.spec('mapped-paths.mjs'))).rejects.toMatchObject({
      message: `Fixture reports an error: there is no folder ${harness.folder}`,
    });
  });
});
