import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { FileService } from '../../src/ports/files.ts';
import { it, SinkDouble } from '../support/agent-it.ts';
import { processesWith } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';

const megabyte = 'x'.repeat(1024 * 1024);

/** Has one file, and counts how often it is read. */
class CountingSink extends SinkDouble {
  reads = 0;
  readonly services = {
    files: {
      read: async () => {
        this.reads += 1;
        return megabyte;
      },
    } as Partial<FileService> as FileService,
  };
}

describe('an agent that does not read its answers', () => {
  it('is not read from either, and can be ended', async ({ workshop }) => {
    workshop.offers = { files: true, terminals: false };
    const blocked = path.join(workshop.folder, 'blocked');
    const agent = workshop.start('unread.mjs', blocked);
    const sink = new CountingSink();
    const sessionId = await agent.openSession({ how: 'new', cwd: workshop.folder }, sink);
    const turn = agent.prompt(sessionId, 'go').catch((error: unknown) => error);
    await waitFor(() => fs.existsSync(blocked), { timeout: 15_000, describe: () => `${sink.reads} reads` });
    expect(sink.reads).toBeLessThan(200);
    await agent.end();
    await turn;
    expect(processesWith(workshop.marker)).toEqual([]);
  });
});
