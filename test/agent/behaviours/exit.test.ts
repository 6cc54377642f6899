import { describe, expect } from 'vitest';
import { it } from '../../support/agents/agent-harness.ts';
import { processesWith } from '../../support/system/processes.ts';
import { waitFor } from '../../support/wait.ts';

const child = (script: string) =>
  `require('node:child_process').spawn('sh', ['-c', '${script}'], { stdio: 'ignore' });`;

describe.concurrent('exit', () => {
  it.for<[string, string, number]>([
    ['exits at the end of stdin', 'process.stdin.resume()', 1],
    ['exits on SIGTERM only', 'setInterval(() => undefined, 1_000)', 1],
    ['ignores both', 'setInterval(() => undefined, 1_000); process.on("SIGTERM", () => undefined)', 1],
    ['leaves a child', `${child('exec sleep 600')}process.stdin.on('end', () => process.exit()).resume()`, 2],
    [
      'leaves a child that ignores SIGTERM',
      `${child('trap "" TERM; while :; do sleep 1; done')}process.stdin.on('end', () => process.exit()).resume()`,
      2,
    ],
  ])(
    'behaviour 44: ends an agent that %s, with every process it started',
    async ([, code, count], { harness }) => {
      const agent = harness.launch({ ...harness.spec('x'), command: [process.execPath, '-e', code] });
      await waitFor(() => processesWith(harness.marker).length >= count);
      await agent.end();
      expect(processesWith(harness.marker)).toEqual([]);
    },
  );
});
