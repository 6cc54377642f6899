import { describe, expect } from 'vitest';
import { converse, drawn, startChat, transcript } from '../support/chat.ts';
import { it } from '../support/it.ts';

describe('a command of the agent', () => {
  it('shows its end in the chat, and how it ended', async ({ start }) => {
    const nvim = await startChat(start, { columns: 120, lines: 40 });
    await converse(nvim, 'run for i in 1 2 3 4 5 6 7 8; do echo line $i; done; exit 3');
    await drawn(nvim);
    console.log((await transcript(nvim)).join('\n'));
    console.log(nvim.screen.text());
  });
});
