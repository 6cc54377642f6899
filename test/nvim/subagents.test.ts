import { describe, expect } from 'vitest';
import { call, speech, update } from '../support/agents/messages.ts';
import { startScriptedChat } from '../support/agents/scripted-chat.ts';
import { drawn, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const line = (nvim: TestNvim) => nvim.lua<string>('return vim.api.nvim_get_current_line()');
const subagent = (sessionId: string, fields: object) => update('subagent_update', { sessionId, ...fields });
const childCall = (session: string, id: string) =>
  update('tool_call', { toolCallId: id, title: `"${id}"`, kind: 'search', status: 'completed' }, session);

async function waitForCalls(nvim: TestNvim, ...expected: readonly string[]): Promise<void> {
  const calls = async () => (await transcript(nvim)).filter((text) => /^ *[✓●⊘] (agent|search)/.test(text));
  await nvim.waitFor(async () => (await calls()).join('\n') === expected.join('\n'), expected.join(' | '));
  await drawn(nvim);
}

describe('a subagent', () => {
  it('has its calls below it while it works, and hides them at its end', async ({ start }) => {
    const { nvim, agent, turn } = await startScriptedChat(start, { columns: 160, lines: 30 });
    const { end } = await turn(
      'go',
      subagent('c1', { title: 'Explore', state: 'running' }),
      subagent('c2', { title: 'Test', state: 'running' }),
      speech('I wait for them.'),
      childCall('c1', 'a'),
      childCall('c2', 'b'),
      childCall('c1', 'c'),
    );
    await waitForCalls(
      nvim,
      '● agent   Explore',
      '  ✓ search  "a"',
      '  ✓ search  "c"',
      '● agent   Test',
      '  ✓ search  "b"',
    );
    agent.send(subagent('c1', { state: 'completed' }));
    await waitForCalls(nvim, '✓ agent   Explore', '● agent   Test', '  ✓ search  "b"');
    await nvim.input('<Esc><C-w>kgg]tza');
    await waitForCalls(
      nvim,
      '✓ agent   Explore',
      '  ✓ search  "a"',
      '  ✓ search  "c"',
      '● agent   Test',
      '  ✓ search  "b"',
    );
    for (const expected of ['  ✓ search  "a"', '  ✓ search  "c"', '● agent   Test', '  ✓ search  "b"']) {
      await nvim.input(']t');
      await nvim.waitFor(async () => (await line(nvim)) === expected, `]t: ${expected}`);
    }
    end();
    await waitForPhase(nvim, 'idle');
  });

  it('has the calls that name the call which started them', async ({ start }) => {
    const { nvim, turn } = await startScriptedChat(start, { columns: 160, lines: 30 });
    const startedBy = (parentToolUseId: string) => ({ _meta: { claudeCode: { parentToolUseId } } });
    const { end } = await turn(
      'go',
      call('t1', { title: 'Explore', kind: 'think', status: 'in_progress' }),
      speech('I wait for it.'),
      call('a', { title: '"a"', kind: 'search', status: 'completed', ...startedBy('t1') }),
    );
    await waitForCalls(nvim, '● agent   Explore', '  ✓ search  "a"');
    expect((await transcript(nvim)).indexOf('I wait for it.')).toBeGreaterThan(
      (await transcript(nvim)).indexOf('  ✓ search  "a"'),
    );
    end();
    await waitForPhase(nvim, 'idle');
  });

  it('is stopped with X from one of its calls, and the turn goes on', async ({ start }) => {
    const { nvim, agent, turn } = await startScriptedChat(start, { columns: 160, lines: 30 });
    const { end } = await turn(
      'go',
      subagent('c1', { title: 'Explore', state: 'running', capabilities: { cancel: {} } }),
      childCall('c1', 'a'),
    );
    await waitForCalls(nvim, '● agent   Explore', '  ✓ search  "a"');
    await nvim.input('<Esc><C-w>kgg2]tX');
    expect((await agent.receive('session/cancel')).params).toEqual({ sessionId: 'c1' });
    agent.send(subagent('c1', { state: 'cancelled' }));
    await waitForCalls(nvim, '⊘ agent   Explore');
    await waitForPhase(nvim, 'running');
    end();
    await waitForPhase(nvim, 'idle');
  });

  it('that can not be stopped alone is not stopped with X, which says so', async ({ start }) => {
    const { nvim, turn } = await startScriptedChat(start, { columns: 160, lines: 30 });
    const { end } = await turn('go', subagent('c1', { title: 'Explore', state: 'running' }));
    await waitForCalls(nvim, '● agent   Explore');
    await nvim.input('<Esc><C-w>kgg]tX');
    await nvim.waitFor(
      async () => (await nvim.messages()).includes('no running subagent here that can be stopped alone'),
      'the message',
    );
    await waitForPhase(nvim, 'running');
    end();
    await waitForPhase(nvim, 'idle');
  });
});

it('a plan in Markdown is drawn as Markdown, in the chat and in its window', async ({ start }) => {
  const { nvim, turn } = await startScriptedChat(start, { columns: 160, lines: 40 });
  const content = '# Steps\n\n- read **all** of it\n\n```lua\nprint(1)\n```';
  const { end } = await turn(
    'go',
    update('plan_update', { plan: { type: 'markdown', planId: 'p', content } }),
  );
  end();
  await waitForPhase(nvim, 'idle');
  await nvim.command('AcpPlan');
  const rows = () => nvim.screen.lines().map((text) => (text.split('│')[1] ?? '').trim());
  await nvim.waitFor(() => rows().filter((row) => row === '• read all of it').length === 2, 'both plans');
  expect(rows().filter((row) => row === 'Steps')).toHaveLength(2);
  expect(rows().some((row) => row.includes('```') || row.includes('**'))).toBe(false);
});
