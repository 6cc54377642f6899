import { describe, expect } from 'vitest';
import { busyOptions } from '../support/faults/busy-options.ts';
import { HostRig, type Step } from '../support/faults/host-rig.ts';
import { it } from '../support/nvim/it.ts';

const scenes: readonly (readonly [string, readonly Step[], string])[] = [
  [
    'text is streamed and files are written',
    [
      ['write', 'open.txt', 1],
      ['stream', 200, 1],
      ['write', 'open.txt', 2],
      ['write', 'closed.txt', 2],
    ],
    '-w1 ',
  ],
  [
    'a command runs',
    [
      ['terminal', 'seq 30000'],
      ['terminal', 'sleep 0.3'],
      ['stream', 5],
    ],
    'seq 30000',
  ],
];

describe('a host that is stopped and continued', () => {
  it.for(scenes)('loses nothing while %s', async ([, steps, sign], { start }) => {
    const rig = new HostRig(await start(busyOptions()));
    const { nvim } = rig;
    await rig.open();
    const token = await rig.send(steps);
    await rig.waitForText(sign.startsWith('-') ? `${token}${sign}` : sign);
    const pid = (await rig.pid())!;
    process.kill(pid, 'SIGSTOP');
    await nvim.input('<C-w>bi');
    const later = rig.nextToken();
    await nvim.input(`${later}<C-s>a draft<Esc>`);
    await nvim.lua(
      "vim.api.nvim_buf_call(vim.fn.bufnr('closed.txt', true), function() vim.cmd('silent checktime') end)",
    );
    const answer = await nvim.askHost('host.status');
    expect(answer, 'the host does not answer').toBeNull();
    await rig.expectNoTrouble();
    process.kill(pid, 'SIGCONT');
    await rig.waitForText(`${later}-end`);
    await rig.waitUntilIdle();
    const [now] = await rig.shown();
    const streamed = steps
      .filter(([kind]) => kind === 'stream')
      .reduce((sum, [, count]) => sum + Number(count), 0);
    expect(new Set(now!.text.match(new RegExp(`\\b${token}-w\\d+`, 'g'))).size).toBe(streamed);
    expect(now!.text.match(new RegExp(`\\b${later}\\b(?!-)`, 'g'))).toHaveLength(1);
    expect(now!.draft).toBe('a draft');
    await rig.expectWholeFiles();
    await rig.expectNoTrouble();
    await nvim.quit('qa!');
  });
});
