import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'rolldown';
import { describe, expect } from 'vitest';
import { shellText } from '../../scripts/shell-text.mjs';
import { AgentProcess } from '../../src/acp/transports/stdio/agent-process.ts';
import { type AgentHarness, it } from '../support/agents/agent-harness.ts';
import { SinkDouble } from '../support/doubles/sink.ts';
import { descendants, isAlive, processesWith } from '../support/system/processes.ts';
import { waitFor } from '../support/wait.ts';

/** The agents of the test and every process they started. */
function everyone({ marker }: AgentHarness): readonly number[] {
  return processesWith(marker).map(({ pid }) => pid);
}

describe.concurrent('ending an agent', () => {
  it('closes stdin, which is enough for a well-behaved agent', async ({ harness }) => {
    const agent = harness.start('commands.mjs');
    await agent.ready;
    await agent.end();
    expect(everyone(harness)).toEqual([]);
    expect(await agent.gone, 'it was our wish').toBeUndefined();
  });

  it('kills an agent that ignores the end of stdin and SIGTERM', async ({ harness }) => {
    const agent = harness.start('ignores-sigterm.mjs');
    await agent.ready;
    await agent.end();
    expect(everyone(harness)).toEqual([]);
  });

  it('kills an agent that never answered', async ({ harness }) => {
    const agent = harness.start('silent.mjs');
    await waitFor(() => everyone(harness).length === 1);
    await agent.end();
    expect(everyone(harness)).toEqual([]);
  });

  it.for([['commands.mjs'], ['ignores-sigterm.mjs']])(
    'kills %s behind a wrapper that does not forward signals',
    async ([fixture], { harness }) => {
      const agent = harness.start('wrapper.sh', process.execPath, harness.path(fixture!));
      await agent.ready;
      expect(everyone(harness)).toHaveLength(2);
      await agent.end();
      expect(everyone(harness)).toEqual([]);
    },
  );

  it('kills the children of an agent that exited by itself', async ({ harness }) => {
    const script = 'sleep 600 & sleep 600 & exit 7';
    const agent = harness.launch({ ...harness.spec('x'), command: ['/bin/sh', '-c', script] });
    expect(await agent.gone).toMatchObject({ message: 'tester exited with code 7.' });
    await waitFor(() => everyone(harness).length === 0);
  });

  it('kills a child that ignores SIGTERM after its parent exited', async ({ harness }) => {
    const script = `(trap '' TERM; while :; do sleep 1; done) & echo; exit 0`;
    const agent = harness.launch({ ...harness.spec('x'), command: ['/bin/sh', '-c', script] });
    await agent.gone;
    await agent.end();
    expect(everyone(harness)).toEqual([]);
  });

  it('kills its programs in process sessions of their own', async ({ harness }) => {
    const agent = harness.start('daemons.mjs');
    await agent.ready;
    await waitFor(() => everyone(harness).length >= 3);
    await agent.end();
    expect(everyone(harness)).toEqual([]);
  });

  it('kills its programs in process sessions of their own after the agent exited by itself', async ({
    harness,
  }) => {
    const agent = harness.start('daemons.mjs');
    await agent.ready;
    await waitFor(() => everyone(harness).length >= 3);
    const [{ pid } = { pid: 0 }] = processesWith(harness.marker).filter(({ command }) =>
      command.includes('daemons.mjs'),
    );
    process.kill(pid, 'SIGKILL');
    await waitFor(() => everyone(harness).length === 0);
  });

  it('leaves it time for an orderly exit', async ({ harness }) => {
    const file = path.join(harness.folder, 'left');
    const agent = harness.start('slow-exit.mjs', file);
    await agent.ready;
    await agent.end();
    expect(fs.readFileSync(file, 'utf8')).toBe('ended in order');
  });

  it('leaves it no time if it is killed', async ({ harness }) => {
    const file = path.join(harness.folder, 'left');
    const agent = harness.start('slow-exit.mjs', file);
    await agent.ready;
    await agent.kill();
    expect(everyone(harness)).toEqual([]);
    expect(fs.existsSync(file)).toBe(false);
  });

  it('is idempotent and works before the first message', async ({ harness }) => {
    const agent = harness.start('ignores-sigterm.mjs');
    await Promise.all([agent.end(), agent.end(), agent.kill()]);
    await agent.end();
    expect(everyone(harness)).toEqual([]);
  });

  it('returns immediately if the program was never started', async ({ harness }) => {
    const agent = harness.launch({ ...harness.spec('x'), command: ['acp-no-such-agent'] });
    await agent.end();
    expect(await agent.gone).toBeUndefined();
  });

  it('does not end another agent', async ({ harness }) => {
    const [one, other] = [harness.start('commands.mjs'), harness.start('commands.mjs')];
    await Promise.all([one.ready, other.ready]);
    await one.end();
    expect(everyone(harness)).toHaveLength(1);
    const opening = { method: 'new', cwd: harness.folder } as const;
    expect(await other.openSession(opening, new SinkDouble())).toBe('s1');
  });
});

describe.concurrent('the stderr of an agent', () => {
  const run = async (harness: AgentHarness, script: string) => {
    const lines: string[] = [];
    const spec = { ...harness.spec('x'), command: [process.execPath, '-e', script] };
    const program = new AgentProcess(spec, harness.orphanGuard, (line) => lines.push(line));
    const reason = await program.gone();
    await waitFor(() => lines.length > 0);
    return { program, lines, reason };
  };

  it('is kept as its last lines without empty ones', async ({ harness }) => {
    const { program } = await run(harness, 'console.error("a\\n\\n  \\nb\\nc")');
    await waitFor(() => program.lastStderr(2).includes('c'));
    expect(program.lastStderr(2)).toEqual(['b', 'c']);
  });

  it('is kept if its last line has no newline', async ({ harness }) => {
    const { lines } = await run(harness, 'process.stderr.write("no newline ä")');
    expect(lines).toEqual(['no newline ä']);
  });

  it('is limited in size', async ({ harness }) => {
    const script = 'process.stderr.write("x".repeat(5e6) + "\\n"); process.stderr.write("end\\n")';
    const { lines } = await run(harness, script);
    expect(lines).toEqual(['end']);
  });
});

describe('OrphanGuard', () => {
  it('ends the added groups, and no others, when its process is killed', async ({ harness }) => {
    const holder = await startHolder(harness);
    const { added, removed, marked } = holder.pids;
    const children = descendants(added);
    expect(children.length).toBeGreaterThan(0);
    holder.process.kill('SIGKILL');
    await waitFor(() => [added, marked, ...children].every((pid) => !isAlive(pid)));
    expect(isAlive(removed)).toBe(true);
    process.kill(-removed, 'SIGKILL');
    await waitFor(() => everyone(harness).length === 0, {
      describe: () => JSON.stringify(processesWith(harness.marker)),
    });
  });

  it('starts its shell again when that was killed', async ({ harness }) => {
    const holder = await startHolder(harness);
    const { added, removed, marked } = holder.pids;
    const shells = () =>
      processesWith(harness.marker).flatMap(({ pid, command }) =>
        command.startsWith('/bin/sh -c # Ends') ? [pid] : [],
      );
    const [killed = 0] = shells();
    process.kill(killed, 'SIGKILL');
    await waitFor(() => shells().some((pid) => pid !== killed));
    // The shell can be seen before it is told of the groups.
    holder.process.kill('SIGUSR2');
    await once(holder.process.stdout, 'data');
    holder.process.kill('SIGKILL');
    await waitFor(() => [added, marked].every((pid) => !isAlive(pid)));
    expect(isAlive(removed)).toBe(true);
    process.kill(-removed, 'SIGKILL');
    await waitFor(() => everyone(harness).length === 0);
  });

  it('stops its shell when the last group has ended', async ({ harness }) => {
    const agent = harness.start('commands.mjs');
    await agent.ready;
    const shell = descendants(process.pid).filter((pid) => !everyone(harness).includes(pid));
    await agent.end();
    await waitFor(() => shell.every((pid) => !isAlive(pid)));
  });

  async function startHolder(harness: AgentHarness) {
    const file = path.join(harness.folder, 'orphan-guard.mjs');
    const input = path.resolve(import.meta.dirname, '../../src/system/orphan-guard.ts');
    const output = { file, format: 'esm' } as const;
    await build({ input, platform: 'node', plugins: [shellText], output, logLevel: 'silent' });
    const env = { ...process.env, ...harness.env };
    const child = spawn(process.execPath, [harness.path('orphan-guard-holder.mjs'), file], { env });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return {
      process: child,
      pids: JSON.parse(line.toString()) as { added: number; removed: number; marked: number },
    };
  }
});
