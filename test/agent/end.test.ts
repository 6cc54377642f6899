import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'rolldown';
import { describe, expect } from 'vitest';
import { AgentProcess } from '../../src/acp/agent-process.ts';
import { it, SinkDouble, type Workshop } from '../support/agent-it.ts';
import { descendants, isAlive, processesWith } from '../support/processes.ts';
import { waitFor } from '../support/wait.ts';

/** Everyone the agents of the test have started, themselves included. */
function everyone({ marker }: Workshop): readonly number[] {
  return processesWith(marker).map(({ pid }) => pid);
}

describe.concurrent('the end of an agent', () => {
  it('that is polite comes with the end of its input', async ({ workshop }) => {
    const agent = workshop.start('speaking.mjs');
    await agent.ready;
    await agent.end();
    expect(everyone(workshop)).toEqual([]);
    expect(await agent.gone, 'it was our wish').toBeUndefined();
  });

  it('comes to one that ignores the end of its input and SIGTERM', async ({ workshop }) => {
    const agent = workshop.start('stubborn.mjs');
    await agent.ready;
    await agent.end();
    expect(everyone(workshop)).toEqual([]);
  });

  it('comes to one that never answered', async ({ workshop }) => {
    const agent = workshop.start('silent.mjs');
    await waitFor(() => everyone(workshop).length === 1);
    await agent.end();
    expect(everyone(workshop)).toEqual([]);
  });

  it.for([['speaking.mjs'], ['stubborn.mjs']])(
    'comes to %s behind a wrapper that keeps signals to itself',
    async ([fixture], { workshop }) => {
      const agent = workshop.start('wrapper.sh', process.execPath, workshop.path(fixture!));
      await agent.ready;
      expect(everyone(workshop)).toHaveLength(2);
      await agent.end();
      expect(everyone(workshop)).toEqual([]);
    },
  );

  it('comes to the children of one that died of itself', async ({ workshop }) => {
    const script = 'sleep 600 & sleep 600 & exit 7';
    const agent = workshop.launch({ ...workshop.spec('x'), command: ['/bin/sh', '-c', script] });
    expect(await agent.gone).toMatchObject({ message: 'tester exited with code 7.' });
    await waitFor(() => everyone(workshop).length === 0);
  });

  it('comes to a child that ignores SIGTERM after its parent has gone', async ({ workshop }) => {
    const script = `(trap '' TERM; while :; do sleep 1; done) & echo; exit 0`;
    const agent = workshop.launch({ ...workshop.spec('x'), command: ['/bin/sh', '-c', script] });
    await agent.gone;
    await agent.end();
    expect(everyone(workshop)).toEqual([]);
  });

  it('comes to its programs in sessions of their own', async ({ workshop }) => {
    const agent = workshop.start('daemons.mjs');
    await agent.ready;
    await waitFor(() => everyone(workshop).length >= 3);
    await agent.end();
    expect(everyone(workshop)).toEqual([]);
  });

  it('comes to its programs in sessions of their own when it died of itself', async ({ workshop }) => {
    const agent = workshop.start('daemons.mjs');
    await agent.ready;
    await waitFor(() => everyone(workshop).length >= 3);
    const [{ pid } = { pid: 0 }] = processesWith(workshop.marker).filter(({ command }) =>
      command.includes('daemons.mjs'),
    );
    process.kill(pid, 'SIGKILL');
    await waitFor(() => everyone(workshop).length === 0);
  });

  it('leaves it the time to end in order', async ({ workshop }) => {
    const file = path.join(workshop.folder, 'left');
    const agent = workshop.start('tidy.mjs', file);
    await agent.ready;
    await agent.end();
    expect(fs.readFileSync(file, 'utf8')).toBe('ended in order');
  });

  it('leaves it no time when it is ended by force', async ({ workshop }) => {
    const file = path.join(workshop.folder, 'left');
    const agent = workshop.start('tidy.mjs', file);
    await agent.ready;
    agent.kill();
    await agent.end();
    expect(everyone(workshop)).toEqual([]);
    expect(fs.existsSync(file)).toBe(false);
  });

  it('may be asked for many times, and before anything was said', async ({ workshop }) => {
    const agent = workshop.start('stubborn.mjs');
    agent.dispose();
    await Promise.all([agent.end(), agent.end()]);
    agent.dispose();
    expect(everyone(workshop)).toEqual([]);
  });

  it('of one that was never there is at once', async ({ workshop }) => {
    const agent = workshop.launch({ ...workshop.spec('x'), command: ['acp-no-such-agent'] });
    await agent.end();
    expect(await agent.gone).toBeUndefined();
  });

  it('of one does not end another', async ({ workshop }) => {
    const [one, other] = [workshop.start('speaking.mjs'), workshop.start('speaking.mjs')];
    await Promise.all([one.ready, other.ready]);
    await one.end();
    expect(everyone(workshop)).toHaveLength(1);
    const opening = { how: 'new', cwd: workshop.folder } as const;
    expect(await other.openSession(opening, new SinkDouble())).toBe('s1');
  });
});

describe.concurrent('what an agent writes to stderr', () => {
  const run = async (workshop: Workshop, script: string) => {
    const lines: string[] = [];
    const spec = { ...workshop.spec('x'), command: [process.execPath, '-e', script] };
    const program = new AgentProcess(spec, workshop.leash, (line) => lines.push(line));
    const reason = await program.gone();
    await waitFor(() => lines.length > 0);
    return { program, lines, reason };
  };

  it('is kept to its last lines, without empty ones', async ({ workshop }) => {
    const { program } = await run(workshop, 'console.error("a\\n\\n  \\nb\\nc")');
    await waitFor(() => program.lastWords(2).includes('c'));
    expect(program.lastWords(2)).toEqual(['b', 'c']);
  });

  it('is kept when its last line has no end', async ({ workshop }) => {
    const { lines } = await run(workshop, 'process.stderr.write("no newline ä")');
    expect(lines).toEqual(['no newline ä']);
  });

  it('is not kept by the megabyte', async ({ workshop }) => {
    const script = 'process.stderr.write("x".repeat(5e6) + "\\n"); process.stderr.write("end\\n")';
    const { lines } = await run(workshop, script);
    expect(lines).toEqual(['end']);
  });
});

describe('the leash', () => {
  it('ends the groups it holds when its process is killed, and no others', async ({ workshop }) => {
    const holder = await startHolder(workshop);
    const { held, released, stray } = holder.pids;
    const children = descendants(held);
    expect(children.length).toBeGreaterThan(0);
    holder.process.kill('SIGKILL');
    await waitFor(() => [held, stray, ...children].every((pid) => !isAlive(pid)));
    expect(isAlive(released)).toBe(true);
    process.kill(-released, 'SIGKILL');
    await waitFor(() => everyone(workshop).length === 0, {
      describe: () => JSON.stringify(processesWith(workshop.marker)),
    });
  });

  it('lets go when its process ends in order', async ({ workshop }) => {
    const agent = workshop.start('speaking.mjs');
    await agent.ready;
    const shell = descendants(process.pid).filter((pid) => !everyone(workshop).includes(pid));
    await agent.end();
    await waitFor(() => shell.every((pid) => !isAlive(pid)));
  });

  async function startHolder(workshop: Workshop) {
    const bundle = path.join(workshop.folder, 'processes.mjs');
    const input = path.resolve(import.meta.dirname, '../../src/processes.ts');
    await build({ input, platform: 'node', output: { file: bundle, format: 'esm' }, logLevel: 'silent' });
    const env = { ...process.env, ...workshop.env };
    const child = spawn(process.execPath, [workshop.path('leashed.mjs'), bundle], { env });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    return {
      process: child,
      pids: JSON.parse(line.toString()) as { held: number; released: number; stray: number },
    };
  }
});
