import { describe, expect, it } from 'vitest';
import type { SessionEvent, TerminalReport } from '../../../../src/model/session-events.ts';
import { reduce } from '../../../../src/session/reducer/reducer.ts';
import { aSession, aToolCall, aTurn } from '../../../support/builders.ts';

const report = (patch: Partial<TerminalReport>): SessionEvent => ({
  kind: 'terminal',
  patch: { terminalId: 't1', ...patch },
});
const named = (terminalId: string) => aToolCall({ content: [{ kind: 'terminal', terminalId }] });
const done = { code: 0, signal: undefined };

describe('a terminal of the plugin', () => {
  it('is stored before a call names it, and keeps fields that an update leaves out', () => {
    const state = aSession(
      report({ command: 'ls', cwd: '/work' }),
      report({ text: 'a' }),
      report({ exit: done }),
    );
    expect(state.terminals.get('t1')).toEqual({
      terminalId: 't1',
      command: 'ls',
      cwd: '/work',
      text: 'a',
      exit: done,
    });
  });

  it('changes only the call that shows it', () => {
    const state = aTurn('go', named('t1'), aToolCall({ toolCallId: 'call-2', title: 'other' }));
    expect(reduce(state, report({ text: 'more' }), 0)).toMatchObject([{ toolCallId: 'call-1' }]);
  });

  it('changes no entry if no call names it', () => {
    const state = aTurn('go', named('t9'));
    expect(reduce(state, report({ text: 'more' }), 0)).toEqual([]);
  });

  it('still changes its call after the agent is gone', () => {
    const state = aTurn('go', named('t1'), { kind: 'agent_gone' }, { kind: 'agent_starting' });
    expect(reduce(state, report({ exit: done }), 0)).toMatchObject([{ toolCallId: 'call-1' }]);
  });

  it('that is unknown leaves the rest of its call intact', () => {
    const state = aTurn('go', named('t9'), aToolCall({ title: 'New title', status: 'done' }));
    expect(state.tools.get('call-1')).toMatchObject({ title: 'New title', status: 'done' });
  });
});
