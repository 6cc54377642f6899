import { describe, expect } from 'vitest';
import { openWithEverything } from '../support/tour-editor.ts';
import { it } from '../support/tour-it.ts';
import { chunksOf, textOf, toolStates } from '../support/tour-updates.ts';

describe('the tour', () => {
  it('says the same each time', async ({ folder, start }) => {
    const first = await openWithEverything(start, folder);
    await first.client.prompt(first.sessionId, 'tour');
    const second = await openWithEverything(start, folder);
    await second.client.prompt(second.sessionId, 'tour');
    expect(second.client.received).toEqual(first.client.received);
  });

  it('says less in brief mode and shows as much', async ({ folder, start }) => {
    const { client, sessionId } = await openWithEverything(start, folder);
    await client.prompt(sessionId, 'tour');
    const guided = client.updates;
    await client.request('session/set_mode', { sessionId, modeId: 'brief' });
    await client.prompt(sessionId, 'tour');
    const brief = client.updates.slice(guided.length);
    expect(textOf(brief).length).toBeLessThan(textOf(guided).length * 0.8);
    expect(Object.keys(toolStates(brief))).toHaveLength(Object.keys(toolStates(guided)).length);
  });

  it('tells newcomers the commands and keys they need', async ({ folder, start }) => {
    const { client, sessionId } = await openWithEverything(start, folder);
    await client.prompt(sessionId, 'tour');
    const text = textOf(client.updates);
    const needed = [
      ':AcpChat',
      ':AcpSend',
      ':AcpCancel',
      ':AcpRestart',
      ':checkhealth acp',
      ':help acp',
      '<CR>',
      '<C-c>',
      'za',
      '▸',
    ];
    expect(needed.filter((words) => !text.includes(words))).toEqual([]);
  });

  it('works a plan off in place', async ({ folder, start }) => {
    const client = start();
    await client.prompt(await client.open(folder), 'plan');
    const plans = client.updates.flatMap((update) =>
      update.sessionUpdate === 'plan' ? [update.entries] : [],
    );
    expect(plans.map((entries) => entries.map(({ status }) => status).join(' '))).toEqual([
      'in_progress pending pending',
      'completed in_progress pending',
      'completed completed in_progress',
      'completed completed completed',
    ]);
  });

  it('takes its tools through their states, one of them to failure', async ({ folder, start }) => {
    const client = start();
    await client.prompt(await client.open(folder), 'tools');
    const good = ['pending', 'in_progress', 'completed'];
    const bad = ['pending', 'in_progress', 'failed'];
    expect(Object.values(toolStates(client.updates))).toEqual([good, good, good, good, good, bad]);
  });

  it('pours exactly as many chunks of 40 characters as it is asked for', async ({ folder, start }) => {
    const client = start();
    expect(await client.prompt(await client.open(folder), 'long 5000')).toBe('end_turn');
    const chunks = chunksOf(client.updates);
    expect(chunks).toHaveLength(5000);
    expect(new Set(chunks.map(({ length }) => length))).toEqual(new Set([40]));
    expect(
      new Set(
        chunks
          .join('')
          .split('\n')
          .map(({ length }) => length),
      ),
    ).toEqual(new Set([79, 0]));
    expect(new Set(chunks).size).toBe(5000);
  });

  it('names the session after its first prompt only', async ({ folder, start }) => {
    const client = start();
    const sessionId = await client.open(folder);
    await client.prompt(sessionId, 'fix the login\nand more');
    await client.prompt(sessionId, 'hello');
    const titles = client.updates.flatMap((update) =>
      update.sessionUpdate === 'session_info_update' ? [update.title] : [],
    );
    expect(titles).toEqual(['Fix the login']);
  });

  it('says what it read when it knows no such word', async ({ folder, start }) => {
    const client = start();
    await client.prompt(await client.open(folder), 'fix the login');
    expect(textOf(client.updates)).toContain('`fix the login`');
    expect(textOf(client.updates)).toContain('`help`');
  });

  it('names what was attached', async ({ folder, start }) => {
    const client = start();
    const sessionId = await client.open(folder);
    const resource = { uri: 'file:///a.lua', text: 'one\ntwo' };
    const link = { type: 'resource_link', uri: 'file:///b.lua', name: 'b.lua' };
    const prompt = [{ type: 'resource', resource }, link, { type: 'text', text: 'resource' }];
    await client.request('session/prompt', { sessionId, prompt });
    expect(textOf(client.updates)).toContain('- file:///a.lua, 2 lines\n- file:///b.lua');
  });

  it('sends the characters a client has to make harmless', async ({ folder, start }) => {
    const client = start();
    await client.prompt(await client.open(folder), 'unicode');
    const text = textOf(client.updates);
    const sent = [
      '\u001b[2J',
      '\u0007',
      '\u0000',
      '\u009b',
      '\u202e',
      '\u2028',
      '\r',
      '\ud83d.',
      '漢字',
      'e\u0301',
      '\u{1f642}',
    ];
    expect(sent.filter((characters) => !text.includes(characters))).toEqual([]);
  });
});
