import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { quirksOf } from '../../../src/acp/decode/quirks.ts';
import { textPrompt } from '../../../src/model/prompt.ts';
import { type AgentHarness, it } from '../../support/agents/agent-harness.ts';
import { speech, update } from '../../support/agents/messages.ts';
import { aScenario, playSteps, type SessionScenario } from '../../support/agents/session-scenario.ts';
import { withoutBuffers } from '../../support/workspace/workspace.ts';

/** An agent that is offered files and terminals, and a file for its requests. */
async function offered(harness: AgentHarness, agentInfo = { name: 'tester', version: '1' }) {
  const scenario = aScenario(harness, {
    workspace: withoutBuffers(harness.orphanGuard),
    answers: { initialize: { protocolVersion: 1, agentInfo } },
  });
  await scenario.begin();
  const at = (name: string) => path.join(harness.folder, name);
  const ask = (method: string, params: object) =>
    scenario.agent.request(method, { sessionId: 's1', ...params });
  return { scenario, at, ask };
}

describe.concurrent('fs', () => {
  it('behaviour 29: rejects a write if writing was not offered, and the turn continues', async ({
    harness,
  }) => {
    const params = { sessionId: 's1', path: '/shop/list.txt', content: 'milk' };
    const scenario = playSteps(
      harness,
      { expect: 'session/prompt', say: [{ id: 0, method: 'fs/write_text_file', params }] },
      { expect: 'answer', say: [speech('Then I write it myself.')] },
    );
    scenario.session.send(textPrompt('go'));
    await scenario.shows('Then I write it myself.');
    expect(scenario.answers).toMatchObject([{ id: 0, error: { code: -32601 } }]);
  });

  it('behaviour 29: writes a file that the agent writes to disk as well', async ({ harness }) => {
    const { ask, at } = await offered(harness);
    fs.writeFileSync(at('list.txt'), 'milk\n');
    expect((await ask('fs/write_text_file', { path: at('list.txt'), content: 'milk\n' })).result).toEqual({});
    expect(fs.readFileSync(at('list.txt'), 'utf8')).toBe('milk\n');
  });

  it('behaviour 30: treats a missing file as empty for gemini', () => {
    expect(quirksOf('gemini-cli').readsMissingFileAsEmpty).toBe(true);
    expect(quirksOf('tester').readsMissingFileAsEmpty).toBeUndefined();
    expect(quirksOf('constructor')).toEqual({});
  });

  it.for<[string, string, object]>([
    ['an empty file for gemini', 'gemini-cli', { result: { content: '' } }],
    ['an error for other agents', 'tester', { error: { code: -32002 } }],
  ])('behaviour 30: answers a missing file with %s', async ([, name, answer], { harness }) => {
    const { ask, at } = await offered(harness, { name, version: '1' });
    expect(await ask('fs/read_text_file', { path: at('none.txt') })).toMatchObject(answer);
  });

  it('behaviour 31: shows nothing about a missing file that is read repeatedly', async ({ harness }) => {
    const { ask, at, scenario } = await offered(harness);
    const before = scenario.chat;
    for (const name of ['.bakery/RULES.md', 'RULES.md', '../RULES.md']) {
      expect((await ask('fs/read_text_file', { path: at(name) })).error?.code).toBe(-32002);
    }
    expect(scenario.chat).toEqual(before);
    expect(scenario.state.questions).toEqual([]);
  });

  it('behaviour 31: accepts a read limit and the extra fields of a write by qwen', async ({ harness }) => {
    const { ask, at } = await offered(harness);
    const params = { path: at('a.txt'), content: 'one\ntwo\n', _meta: { bom: false, encoding: 'utf-8' } };
    expect((await ask('fs/write_text_file', params)).result).toEqual({});
    const read = await ask('fs/read_text_file', { path: at('a.txt'), limit: 1000 });
    expect(read.result).toEqual({ content: 'one\ntwo\n' });
  });

  it('behaviour 27: answers polling and waiting agents, and shows the output after the release', async ({
    harness,
  }) => {
    const { ask, scenario } = await offered(harness);
    const created = ask('terminal/create', {
      command: 'sh',
      args: ['-c', 'read word; echo "got $word"'],
    });
    await scenario.choose('allow');
    const { terminalId } = (await created).result as { terminalId: string };
    const content = [{ type: 'terminal', terminalId }];
    scenario.agent.send(update('tool_call', { toolCallId: 'c1', title: 'wait', content }));
    const waiting = ask('terminal/wait_for_exit', { terminalId });
    expect((await ask('terminal/output', { terminalId })).result).toMatchObject({ truncated: false });
    await ask('terminal/kill', { terminalId });
    expect((await waiting).result).toMatchObject({ exitCode: null });
    expect((await ask('terminal/release', { terminalId })).result).toEqual({});
    expect((await ask('terminal/output', { terminalId })).error?.code).toBe(-32002);
    await shows(scenario, 'read word');
  });
});

async function shows(scenario: SessionScenario, text: string): Promise<void> {
  await scenario.until(() => scenario.openChat.join('\n').includes(text), text);
}
