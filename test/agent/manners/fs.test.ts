import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { quirksOf } from '../../../src/acp/quirks.ts';
import { it, type Workshop } from '../../support/agent-it.ts';
import { type Encounter, meet } from '../../support/encounter.ts';
import { speech, stage, update } from '../../support/stage.ts';
import { withoutBuffers } from '../../support/workspace.ts';

/** An agent that is offered files and terminals, and a file it may speak of. */
async function offered(workshop: Workshop, agentInfo = { name: 'puppet', version: '1' }) {
  const encounter = await meet(workshop, {
    workspace: withoutBuffers(workshop.leash),
    answers: { initialize: { protocolVersion: 1, agentInfo } },
  });
  await encounter.begin();
  const at = (name: string) => path.join(workshop.folder, name);
  const ask = (method: string, params: object) => encounter.agent.ask(method, { sessionId: 's1', ...params });
  return { encounter, at, ask };
}

describe.concurrent('fs', () => {
  it('manner 29: refuses a write that it never offered, and the turn goes on', async ({ workshop }) => {
    const params = { sessionId: 's1', path: '/shop/list.txt', content: 'milk' };
    const played = stage(
      workshop,
      { expect: 'session/prompt', say: [{ id: 0, method: 'fs/write_text_file', params }] },
      { expect: 'answer', say: [speech('Then I write it myself.')] },
    );
    played.session.send('go');
    await played.shows('Then I write it myself.');
    expect(played.answers).toMatchObject([{ id: 0, error: { code: -32601 } }]);
  });

  it('manner 29: writes a file for an agent that writes it as well', async ({ workshop }) => {
    const { ask, at } = await offered(workshop);
    fs.writeFileSync(at('list.txt'), 'milk\n');
    expect((await ask('fs/write_text_file', { path: at('list.txt'), content: 'milk\n' })).result).toEqual({});
    expect(fs.readFileSync(at('list.txt'), 'utf8')).toBe('milk\n');
  });

  it('manner 30: knows of gemini that a missing file has to be empty', () => {
    expect(quirksOf('gemini-cli').emptyForMissingFile).toBe(true);
    expect(quirksOf('scripted').emptyForMissingFile).toBeUndefined();
    expect(quirksOf('constructor')).toEqual({});
  });

  it.for<[string, string, object]>([
    ['an empty one for gemini', 'gemini-cli', { result: { content: '' } }],
    ['an error for all others', 'puppet', { error: { code: -32002 } }],
  ])('manner 30: answers a missing file with %s', async ([, name, answer], { workshop }) => {
    const { ask, at } = await offered(workshop, { name, version: '1' });
    expect(await ask('fs/read_text_file', { path: at('none.txt') })).toMatchObject(answer);
  });

  it('manner 31: is quiet about a missing file that is asked for again and again', async ({ workshop }) => {
    const { ask, at, encounter } = await offered(workshop);
    const before = encounter.chat;
    for (const name of ['.bakery/RULES.md', 'RULES.md', '../RULES.md']) {
      expect((await ask('fs/read_text_file', { path: at(name) })).error?.code).toBe(-32002);
    }
    expect(encounter.chat).toEqual(before);
    expect(encounter.state.questions).toEqual([]);
  });

  it('manner 31: takes a limit, and what qwen says of a write besides', async ({ workshop }) => {
    const { ask, at } = await offered(workshop);
    const params = { path: at('a.txt'), content: 'one\ntwo\n', _meta: { bom: false, encoding: 'utf-8' } };
    expect((await ask('fs/write_text_file', params)).result).toEqual({});
    const read = await ask('fs/read_text_file', { path: at('a.txt'), limit: 1000 });
    expect(read.result).toEqual({ content: 'one\ntwo\n' });
  });

  it('manner 27: answers those who poll and those who wait, and shows the output after the release', async ({
    workshop,
  }) => {
    const { ask, encounter } = await offered(workshop);
    const created = ask('terminal/create', {
      command: 'sh',
      args: ['-c', 'read word; echo "got $word"'],
    });
    await encounter.choose('allow');
    const { terminalId } = (await created).result as { terminalId: string };
    const content = [{ type: 'terminal', terminalId }];
    encounter.agent.say(update('tool_call', { toolCallId: 'c1', title: 'wait', content }));
    const waiting = ask('terminal/wait_for_exit', { terminalId });
    expect((await ask('terminal/output', { terminalId })).result).toMatchObject({ truncated: false });
    await ask('terminal/kill', { terminalId });
    expect((await waiting).result).toMatchObject({ exitCode: null });
    expect((await ask('terminal/release', { terminalId })).result).toEqual({});
    expect((await ask('terminal/output', { terminalId })).error?.code).toBe(-32002);
    await shows(encounter, 'read word');
  });
});

async function shows(encounter: Encounter, text: string): Promise<void> {
  await encounter.until(() => encounter.openChat.join('\n').includes(text), text);
}
