import { describe, expect } from 'vitest';
import { call, callUpdate } from '../support/agents/messages.ts';
import { startScriptedChat } from '../support/agents/scripted-chat.ts';
import { transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import { goToCall, waitForTerminal } from '../support/nvim/terminal-buffer.ts';

const text = (words: string) => ({ content: [{ type: 'content', content: { type: 'text', text: words } }] });
const numbers = Array.from({ length: 500 }, (_, index) => `line ${index + 1}\n`).join('');

describe('output that an agent sends for a tool call', () => {
  it('is updated live for a command, and complete in a window', async ({ start }) => {
    const { nvim, agent, turn } = await startScriptedChat(start, { columns: 120, lines: 40 });
    const { end } = await turn(
      'go',
      call('c1', { title: 'make all', kind: 'execute', status: 'in_progress' }),
      callUpdate('c1', text('line 1\nline 2\n')),
    );
    await nvim.waitFor(async () => (await transcript(nvim)).includes('    line 2'), 'the first lines');
    agent.send(
      callUpdate('c1', { status: 'completed', ...text(numbers), rawOutput: { metadata: { exit: 3 } } }),
    );
    end();
    await waitForPhase(nvim, 'idle');
    const lines = await transcript(nvim);
    expect(lines.filter((line) => /make all|^ {4}line/.test(line))).toEqual([
      '✗ run     make all',
      ...[495, 496, 497, 498, 499, 500].map((line) => `    line ${line}`),
    ]);
    await goToCall(nvim, 'make all');
    await nvim.input('<CR>');
    await waitForTerminal(nvim, numbers.trim());
  });

  it('opens in a window for a terminal that only the agent has, whose folder is not known', async ({
    start,
  }) => {
    const { nvim, turn } = await startScriptedChat(start, { columns: 120, lines: 40 });
    const { end } = await turn(
      'go',
      call('c1', {
        ...{ title: 'make told', kind: 'execute', status: 'in_progress' },
        content: [{ type: 'terminal', terminalId: 't1' }],
        _meta: { terminal_info: { terminal_id: 't1' } },
      }),
      callUpdate('c1', { _meta: { terminal_output: { terminal_id: 't1', data: 'told by the agent\r\n' } } }),
    );
    await nvim.waitFor(async () => (await transcript(nvim)).includes('    told by the agent'), 'the output');
    await goToCall(nvim, 'make told');
    await nvim.input('<CR>');
    await waitForTerminal(nvim, /^told by the agent$/);
    expect(await nvim.lua('return vim.bo.buftype')).toBe('terminal');
    end();
    await waitForPhase(nvim, 'idle');
  });

  it('is complete in a window when it is too long for the chat', async ({ start }) => {
    const { nvim, turn } = await startScriptedChat(start, { columns: 120, lines: 40 });
    const { end } = await turn(
      'go',
      call('c1', { title: 'notes.md', kind: 'read', status: 'completed', ...text(numbers) }),
    );
    end();
    await waitForPhase(nvim, 'idle');
    await nvim.command('wincmd k');
    await nvim.command('call search("notes.md")');
    await nvim.input('<CR>');
    const rest = '    … 100 more lines · <CR> shows all';
    await nvim.waitFor(async () => (await transcript(nvim)).includes(rest), 'the way to the whole');
    await nvim.input('<CR>');
    await waitForTerminal(nvim, numbers.trim());
  });
});
