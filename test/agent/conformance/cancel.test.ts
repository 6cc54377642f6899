import { describe, expect } from 'vitest';
import type { TerminalService } from '../../../src/ports/terminals.ts';
import type { Services, Workspace } from '../../../src/ports/workspace.ts';
import { it } from '../../support/agent-it.ts';
import { choose } from '../../support/choose.ts';
import { EditorDouble } from '../../support/doubles.ts';
import { cancelled, chosen, meet, permission } from '../../support/encounter.ts';
import { withoutTerminals } from '../../support/workspace.ts';

const takeBack = (requestId: unknown) => ({ method: '$/cancel_request', params: { requestId } });

/** Files on disk, of an editor that has none of them open. */
function filesOnly(): Workspace {
  const editor = new EditorDouble();
  editor.call = async () => null;
  return withoutTerminals(editor);
}

/** Terminals whose commands never end by themselves. */
function endless(onWithdrawn: () => void): Workspace {
  const waitForExit: TerminalService['waitForExit'] = (_, withdrawn) =>
    new Promise((resolve) => {
      withdrawn.addEventListener('abort', () => {
        onWithdrawn();
        resolve({ code: undefined, signal: undefined });
      });
    });
  const services = { terminals: { waitForExit } as TerminalService };
  return {
    offers: { files: false, terminals: true },
    open: () => ({ ...(services as Services), abandon: () => undefined, dispose: () => undefined }),
  };
}

describe.concurrent('a request that is taken back', () => {
  it.for<[string, 'agent' | 'user']>([
    ['the agent is first', 'agent'],
    ['the user is first', 'user'],
  ])('CXL-1: is answered once when both decide at once: %s', async ([, first], { workshop }) => {
    const encounter = await meet(workshop);
    await encounter.begin();
    const { agent, session } = encounter;
    await encounter.prompt();
    agent.say(permission(7));
    const { question } = await encounter.question();
    if (first === 'agent') {
      agent.say(takeBack(7), takeBack('7'), takeBack(8));
      await agent.isUnderstood();
      choose(session, question.id, 'y');
    } else {
      choose(session, question.id, 'y');
      agent.say(takeBack(7));
    }
    session.cancel();
    await agent.isUnderstood();
    expect(agent.answersTo(7)).toHaveLength(1);
    expect(agent.answersTo(7)[0]?.result).toEqual(first === 'agent' ? cancelled : chosen('y'));
  });

  it('CXL-2: is not worked on any more: the question is closed, the wait ended', async ({ workshop }) => {
    let isWaitEnded = false;
    const workspace = endless(() => {
      isWaitEnded = true;
    });
    const encounter = await meet(workshop, { workspace });
    await encounter.begin();
    const { agent, state } = encounter;
    agent.say(
      { id: 1, method: 'terminal/wait_for_exit', params: { sessionId: 's1', terminalId: 't1' } },
      permission(2),
    );
    await encounter.question();
    agent.say(takeBack(1), takeBack(2));
    await Promise.all([agent.answerTo(1), agent.answerTo(2)]);
    expect(isWaitEnded).toBe(true);
    expect(state.questions).toEqual([]);
    expect(encounter.outline.at(-1)).toBe('asked: taken back');
  });

  it.for<[string, 'agent' | 'cancel']>([
    ['the agent takes it back', 'agent'],
    ['the turn is cancelled', 'cancel'],
  ])('CXL-3: is answered so when its question goes away: %s', async ([, who], { workshop }) => {
    const encounter = await meet(workshop, { workspace: filesOnly() });
    await encounter.begin();
    const { agent, session, state } = encounter;
    await encounter.prompt();
    agent.say({ id: 1, method: 'fs/read_text_file', params: { sessionId: 's1', path: '/etc/hostname' } });
    await encounter.question();
    if (who === 'agent') agent.say(takeBack(1));
    else session.cancel();
    expect((await agent.answerTo(1)).error?.code).toBe(-32800);
    expect(state.questions).toEqual([]);
  });

  it.for<[string, object]>([
    ['session/new', {}],
    ['session/load', { loadSession: true }],
  ])('CXL-4: can be one of ours: %s', async ([method, capabilities], { workshop }) => {
    const encounter = await meet(workshop, { capabilities, answers: { [method]: undefined } });
    const { agent, session } = encounter;
    if (method === 'session/load') session.goOnWith('s1');
    session.start();
    const { id } = await agent.hears(method);
    session.cancel();
    expect((await agent.hears('$/cancel_request')).params).toEqual({ requestId: id });
  });
});
