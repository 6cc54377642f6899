import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { commands } from '../../../src/tour/commands.ts';
import { FakeEditor, openWithEverything } from '../../support/tour/editor.ts';
import { it } from '../../support/tour/it.ts';
import { shapeOf, textOf, toolStates } from '../../support/tour/updates.ts';

const said = 'agent_message_chunk';
const tool = ['tool_call', 'tool_call_update'];

/** The stop reason of each command and its updates after the title, with a client that supports everything. */
const turns: Readonly<Record<string, readonly [stopReason: string, shape: readonly string[]]>> = {
  hello: ['end_turn', [said]],
  help: ['end_turn', [said]],
  think: ['end_turn', ['agent_thought_chunk', said]],
  plan: ['end_turn', [said, 'plan', said]],
  tools: ['end_turn', [said, ...Array(6).fill(tool).flat(), said]],
  markdown: ['end_turn', [said]],
  unicode: ['end_turn', [said, ...tool]],
  title: ['end_turn', ['session_info_update', said]],
  usage: ['end_turn', ['usage_update', said]],
  notice: ['end_turn', ['notice', said]],
  resources: ['end_turn', [said]],
  read: ['end_turn', [...tool, said]],
  edit: ['end_turn', [...tool, said]],
  run: ['end_turn', [...tool, said]],
  ask: ['end_turn', [said]],
  form: ['end_turn', [said]],
  link: ['end_turn', [said]],
  permission: ['end_turn', [...tool, said]],
  questions: ['end_turn', [...tool, said]],
  many: ['end_turn', [...tool, said]],
  rules: ['end_turn', [said, ...tool, ...tool, ...tool, said]],
  'queue 1': ['end_turn', [said, ...tool, said]],
  suggest: ['end_turn', [said, 'session_info_update']],
  long: ['end_turn', [said]],
  'slow 3': ['end_turn', [said]],
  refuse: ['refusal', [said]],
  limit: ['max_tokens', [said]],
  tour: [
    'end_turn',
    [
      ...[said, 'agent_thought_chunk', said],
      ...['plan', said, ...tool, ...tool, said],
      ...['plan', said, ...tool, said],
      ...['plan', said, ...tool, said],
      ...['plan', said],
      ...['plan', said],
    ],
  ],
};
const elsewhere = ['error', 'crash', 'hang', 'deaf', 'steer'];

describe('the commands of the tour', () => {
  it('are all tested', () => {
    expect([...Object.keys(turns), ...elsewhere].map((prompt) => prompt.split(' ')[0]).sort()).toEqual(
      commands.map(({ name }) => name).sort(),
    );
  });

  it.for(Object.entries(turns))(
    'end their turn: %s',
    async ([word, [stopReason, shape]], { folder, start }) => {
      const { client, sessionId, editor } = await openWithEverything(start, folder);
      editor.files.set(path.join(folder, 'README.md'), '# Read me\n');
      fs.writeFileSync(path.join(folder, 'README.md'), '');
      await client.prompt(sessionId, 'hello');
      const before = client.updates.length;
      expect(await client.prompt(sessionId, word)).toBe(stopReason);
      expect(shapeOf(client.updates.slice(before))).toEqual(shape);
      expect(Object.values(toolStates(client.updates)).map((states) => states.at(-1))).not.toContain(
        'in_progress',
      );
    },
  );

  it.for(Object.entries(turns))(
    'work with a client without capabilities: %s',
    async ([word, [stopReason]], { folder, start }) => {
      const { answers } = new FakeEditor();
      const client = start({
        answers: { 'session/request_permission': answers['session/request_permission']! },
      });
      const sessionId = await client.open(folder);
      expect(await client.prompt(sessionId, word)).toBe(stopReason);
      expect(client.calls.filter((method) => method !== 'session/request_permission')).toEqual([]);
      expect(shapeOf(client.updates)).not.toContain('notice');
      expect(client.stderr).toBe('');
    },
  );

  it('are accepted with a slash and in capitals', async ({ folder, start }) => {
    const client = start();
    const sessionId = await client.open(folder);
    expect(await client.prompt(sessionId, '/REFUSE now')).toBe('refusal');
  });

  it('are all listed by help', async ({ folder, start }) => {
    const client = start();
    await client.prompt(await client.open(folder), 'help');
    const listed = [...textOf(client.updates).matchAll(/^- `(\w+)/gm)].map(([, name]) => name);
    expect(listed).toEqual(commands.map(({ name }) => name));
  });
});
