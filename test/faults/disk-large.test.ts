import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { busyOptions } from '../support/faults/busy-options.ts';
import { HostRig } from '../support/faults/host-rig.ts';
import { it } from '../support/nvim/it.ts';
import type { Sandbox } from '../support/nvim/sandbox.ts';

const fileCount = 100;
const fileBytes = 2_000_000;
/** Of the host, in MB; an idle host has about 70. */
const maxMemory = 350;
/** Processor time of the host, in seconds. */
const maxSeconds = 4;

/** Writes 200 MB of conversations, as the host would. */
function writeTranscripts(sandbox: Sandbox): void {
  const folder = path.join(sandbox.env.XDG_STATE_HOME!, 'nvim', 'acp');
  fs.mkdirSync(folder, { recursive: true });
  const line = (event: object) => `\n${JSON.stringify({ at: Date.now() - 60_000, event })}`;
  const answer = line({ kind: 'chunk', role: 'agent', text: 'Words of an answer.\n'.repeat(400) });
  const turn = `${line({ kind: 'turn_started', text: 'go on' })}${answer}${line({ kind: 'turn_ended', stopReason: 'end_turn' })}`;
  const body = turn.repeat(Math.floor(fileBytes / turn.length));
  for (let file = 0; file < fileCount; file += 1) {
    const opened = line({
      kind: 'session_opened',
      sessionId: `old-${file}`,
      agent: 'busy',
      cwd: sandbox.cwd,
    });
    const asked = line({ kind: 'turn_started', text: `conversation ${file}` });
    const end = line({ kind: 'chunk', role: 'agent', text: `the last words of ${file}` });
    fs.writeFileSync(path.join(folder, `20260101-000000-1-${file}.jsonl`), `${opened}${asked}${body}${end}`);
  }
}

function usageOf(pid: number): { readonly seconds: number; readonly peakMegabytes: number } {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  const peak = /VmHWM:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { seconds: (user! + system!) / 100, peakMegabytes: Number(peak) / 1024 };
}

it('200 MB of transcripts are listed, and one is opened, in bounded time and memory', {
  timeout: 60_000,
}, async ({ start }) => {
  const options = busyOptions();
  writeTranscripts(options.sandbox);
  const rig = new HostRig(await start(options));
  const { nvim } = rig;
  await rig.open();
  const pid = (await rig.pid())!;
  const before = usageOf(pid);
  await nvim.command('AcpSessions');
  await nvim.waitFor(() => nvim.lua('return #rig.pickers > 0 and #rig.pickers[1].items > 99'), 'the list');
  const listed = usageOf(pid);
  await nvim.lua('local picker = rig.pickers[1] picker.answer(picker.items[#picker.items], #picker.items)');
  await rig.waitForText(/the last words of \d+/);
  await rig.waitUntilIdle();
  const opened = usageOf(pid);
  await rig.converse();
  const report = `list ${(listed.seconds - before.seconds).toFixed(2)} s, open ${(opened.seconds - listed.seconds).toFixed(2)} s, peak ${Math.round(opened.peakMegabytes)} MB`;
  expect(opened.seconds - before.seconds, report).toBeLessThan(maxSeconds);
  expect(opened.peakMegabytes, report).toBeLessThan(maxMemory);
  await rig.expectNoTrouble();
  await nvim.quit('qa!');
});
