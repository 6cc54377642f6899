import { describe, expect } from 'vitest';
import { type AgentHarness, it } from '../support/agents/agent-harness.ts';
import { waitFor } from '../support/wait.ts';

async function aLogin(harness: AgentHarness) {
  const { agent, sink } = await harness.open('browser-login.mjs');
  sink.conclude = async () => ({ action: 'accept' });
  sink.choose = ({ withdrawn }) =>
    new Promise((resolve) => {
      withdrawn.addEventListener('abort', () => resolve(undefined));
    });
  return { agent, sink };
}

describe.concurrent('a login on a web page', () => {
  it('shows the page and continues when the agent reports completion', async ({ harness }) => {
    const { agent, sink } = await aLogin(harness);
    const login = agent.authenticate('any');
    await waitFor(() => sink.asked.length === 1);
    agent.notify('_test/done', {});
    await login;
    expect(sink.elicited).toMatchObject([{ elicitation: { kind: 'page', url: 'https://login.test/start' } }]);
    expect(sink.asked[0]?.withdrawn.aborted).toBe(true);
  });

  it('continues when the user confirms', async ({ harness }) => {
    const { agent, sink } = await aLogin(harness);
    sink.choose = async () => 'done';
    await agent.authenticate('any');
    expect(sink.asked).toHaveLength(1);
  });

  it.for<[string, 'decline' | 'accept', string | undefined]>([
    ['does not open the page', 'decline', undefined],
    ['cancels it', 'accept', 'stop'],
    ['closes the question', 'accept', undefined],
  ])('fails when the user %s', async ([, action, answer], { harness }) => {
    const { agent, sink } = await aLogin(harness);
    sink.conclude = async () => ({ action });
    sink.choose = async () => answer;
    await expect(agent.authenticate('any')).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('succeeds when completion arrives before the response', async ({ harness }) => {
    const { agent, sink } = await harness.open('browser-login.mjs', 'silent');
    await agent.authenticate('any');
    expect(sink.asked).toEqual([]);
  });
});
