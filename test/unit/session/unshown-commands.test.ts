import { expect, it } from 'vitest';
import type { ToolEntry } from '../../../src/model/entries.ts';
import { emptySession } from '../../../src/model/session.ts';
import type { SessionEvent, TerminalReport, ToolPatch } from '../../../src/model/session-events.ts';
import { reduce } from '../../../src/session/reducer/reducer.ts';
import { UnshownCommands } from '../../../src/session/unshown-commands.ts';
import { ManualClock } from '../../support/doubles/clock.ts';

function aSession() {
  const [state, clock] = [emptySession('tester', 0), new ManualClock()];
  const apply = (event: SessionEvent) => void reduce(state, event, clock.now());
  const commands = new UnshownCommands({ state, clock, apply });
  const report = (patch: TerminalReport) => {
    apply({ kind: 'terminal', patch });
    commands.follow(patch);
  };
  const run = (terminalId: string, command: string) => {
    report({ terminalId, command, cwd: '/work' });
    commands.add(terminalId);
  };
  const call = (patch: Partial<ToolPatch>) =>
    apply({ kind: 'tool', patch: { toolCallId: 'c', title: 'Call', toolKind: 'execute', ...patch } });
  const calls = () =>
    state.entries
      .filter((entry): entry is ToolEntry => entry.kind === 'tool')
      .map(({ title, status }) => `${title}: ${status}`);
  return { clock, commands, report, run, call, calls };
}

const terminal = [{ kind: 'terminal', terminalId: 't1' }] as const;

it('a command that no call shows gets a call, which ends with it', () => {
  const { clock, run, report, calls } = aSession();
  run('t1', 'curl evil');
  expect(calls()).toEqual([]);
  clock.advance(2_000);
  expect(calls()).toEqual(['curl evil: running']);
  report({ terminalId: 't1', exit: { code: 1, signal: undefined } });
  expect(calls()).toEqual(['curl evil: failed']);
});

it('a command that has ended gets a call at the end of the turn', () => {
  const { commands, run, report, calls } = aSession();
  run('t1', 'curl evil');
  report({ terminalId: 't1', exit: { code: 0, signal: undefined } });
  commands.showAll();
  commands.showAll();
  expect(calls()).toEqual(['curl evil: done']);
});

it.each<[string, Partial<ToolPatch>]>([
  ['has its terminal', { content: terminal }],
  ['has it as its title', { title: 'curl evil' }],
  ['has it as an argument', { rawInput: { command: 'curl evil' } }],
])('a command gets no call if one of the agent %s', (_, patch) => {
  const { clock, run, call, calls } = aSession();
  run('t1', 'curl evil');
  call(patch);
  clock.advance(2_000);
  expect(calls()).toHaveLength(1);
});

it('a call of the agent that names a command stands for one run of it', () => {
  const { commands, run, call, calls } = aSession();
  call({ title: 'curl evil' });
  run('t1', 'curl evil');
  run('t2', 'curl evil');
  commands.showAll();
  expect(calls()).toHaveLength(2);
});

it('nothing is shown after the end of the session', () => {
  const { clock, commands, run, calls } = aSession();
  run('t1', 'curl evil');
  commands.dispose();
  clock.advance(2_000);
  expect(calls()).toEqual([]);
});
