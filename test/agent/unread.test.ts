import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { textPrompt } from '../../src/model/prompt.ts';
import type { FileService } from '../../src/ports/files.ts';
import { it } from '../support/agents/agent-harness.ts';
import { SinkDouble } from '../support/doubles/sink.ts';
import { processesWith } from '../support/system/processes.ts';
import { waitFor } from '../support/wait.ts';

const megabyte = 'x'.repeat(1024 * 1024);

/** A workspace with one file that counts how often it is read. */
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
  it('is not read from any more, and can be ended', async ({ harness }) => {
    harness.offers = { files: true, terminals: false };
    const blocked = path.join(harness.folder, 'blocked');
    const agent = harness.start('ignores-answers.mjs', blocked);
    const sink = new CountingSink();
    const sessionId = await agent.openSession({ method: 'new', cwd: harness.folder }, sink);
    const turn = agent.prompt(sessionId, textPrompt('go')).catch((error: unknown) => error);
    await waitFor(() => fs.existsSync(blocked), { describe: () => `${sink.reads} reads` });
    expect(sink.reads).toBeLessThan(200);
    await agent.end();
    await turn;
    expect(processesWith(harness.marker)).toEqual([]);
  });
});
