import { describe, expect } from 'vitest';
import type { TerminalService } from '../../../src/ports/terminals.ts';
import type { Services, Workspace } from '../../../src/ports/workspace.ts';
import { it } from '../../support/agents/agent-harness.ts';
import { cancelled, chosen, permission } from '../../support/agents/messages.ts';
import { aScenario } from '../../support/agents/session-scenario.ts';
import { answerWithoutBuffers, EditorDouble } from '../../support/doubles/editor.ts';
import { choose } from '../../support/nvim/choose.ts';
import { withoutTerminals } from '../../support/workspace/workspace.ts';

const takeBack = (requestId: unknown) => ({ method: '$/cancel_request', params: { requestId } });

/** Files on disk, none of which is open in the editor. */
function filesOnly(): Workspace {
  const editor = new EditorDouble();
  editor.call = answerWithoutBuffers;
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
    open: () => ({ ...(services as Services), abandon: () => undefined, end: async () => undefined }),
  };
}

describe.concurrent('a cancelled request', () => {
  it.for<[string, 'agent' | 'user']>([
    ['the agent is first', 'agent'],
    ['the user is first', 'user'],
  ])('CXL-1: is answered once if agent and user act at the same time: %s', async ([, first], { harness }) => {
    const scenario = aScenario(harness);
    await scenario.begin();
    const { agent, session } = scenario;
    await scenario.prompt();
    agent.send(permission(7));
    const { question } = await scenario.question();
    if (first === 'agent') {
      agent.send(takeBack(7), takeBack('7'), takeBack(8));
      await agent.waitUntilProcessed();
      choose(session, question.id, 'y');
    } else {
      choose(session, question.id, 'y');
      agent.send(takeBack(7));
    }
    session.cancel();
    await agent.waitUntilProcessed();
    expect(agent.answersTo(7)).toHaveLength(1);
    expect(agent.answersTo(7)[0]?.result).toEqual(first === 'agent' ? cancelled : chosen('y'));
  });

  it('CXL-2: is abandoned: its question is closed and its wait ends', async ({ harness }) => {
    let isWaitEnded = false;
    const workspace = endless(() => {
      isWaitEnded = true;
    });
    const scenario = aScenario(harness, { workspace });
    await scenario.begin();
    const { agent, state } = scenario;
    agent.send(
      { id: 1, method: 'terminal/wait_for_exit', params: { sessionId: 's1', terminalId: 't1' } },
      permission(2),
    );
    await scenario.question();
    agent.send(takeBack(1), takeBack(2));
    await Promise.all([agent.answerTo(1), agent.answerTo(2)]);
    expect(isWaitEnded).toBe(true);
    expect(state.questions).toEqual([]);
    expect(scenario.outline.at(-1)).toBe('asked: withdrawn');
  });

  it.for<[string, 'agent' | 'cancel']>([
    ['the agent cancels it', 'agent'],
    ['the turn is cancelled', 'cancel'],
  ])('CXL-3: is answered as cancelled when its question closes: %s', async ([, who], { harness }) => {
    const scenario = aScenario(harness, { workspace: filesOnly() });
    await scenario.begin();
    const { agent, session, state } = scenario;
    await scenario.prompt();
    agent.send({ id: 1, method: 'fs/read_text_file', params: { sessionId: 's1', path: '/etc/hostname' } });
    await scenario.question();
    if (who === 'agent') agent.send(takeBack(1));
    else session.cancel();
    expect((await agent.answerTo(1)).error?.code).toBe(-32800);
    expect(state.questions).toEqual([]);
  });

  it.for<[string, object]>([
    ['session/new', {}],
    ['session/load', { loadSession: true }],
  ])('CXL-4: can be a request of ours: %s', async ([method, capabilities], { harness }) => {
    const scenario = aScenario(harness, { capabilities, answers: { [method]: undefined } });
    const { agent, session } = scenario;
    if (method === 'session/load') session.continueSession('s1');
    session.start();
    const { id } = await agent.receive(method);
    session.cancel();
    expect((await agent.receive('$/cancel_request')).params).toEqual({ requestId: id });
  });
});
