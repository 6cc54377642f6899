import { describe, expect } from 'vitest';
import { it } from '../../support/agent-it.ts';
import { processesWith } from '../../support/processes.ts';
import { waitFor } from '../../support/wait.ts';

const child = (script: string) =>
  `require('node:child_process').spawn('sh', ['-c', '${script}'], { stdio: 'ignore' });`;

describe.concurrent('exit', () => {
  it.for<[string, string, number]>([
    ['ends with its input', 'process.stdin.resume()', 1],
    ['ends on SIGTERM only', 'setInterval(() => undefined, 1_000)', 1],
    ['ends on neither', 'setInterval(() => undefined, 1_000); process.on("SIGTERM", () => undefined)', 1],
    ['leaves a child', `${child('exec sleep 600')}process.stdin.on('end', () => process.exit()).resume()`, 2],
    [
      'leaves a child that ignores SIGTERM',
      `${child('trap "" TERM; while :; do sleep 1; done')}process.stdin.on('end', () => process.exit()).resume()`,
      2,
    ],
  ])('manner 44: ends an agent that %s, with all it started', async ([, code, count], { workshop }) => {
    const agent = workshop.launch({ ...workshop.spec('x'), command: [process.execPath, '-e', code] });
    await waitFor(() => processesWith(workshop.marker).length >= count);
    await agent.end();
    expect(processesWith(workshop.marker)).toEqual([]);
  });
});
