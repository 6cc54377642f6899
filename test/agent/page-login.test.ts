import { describe, expect } from 'vitest';
import { it, type Workshop } from '../support/agent-it.ts';
import { waitFor } from '../support/wait.ts';

async function aLogin(workshop: Workshop) {
  const { agent, sink } = await workshop.open('page-login.mjs');
  sink.conclude = async () => ({ action: 'accept' });
  sink.choose = ({ withdrawn }) =>
    new Promise((resolve) => {
      withdrawn.addEventListener('abort', () => resolve(undefined));
    });
  return { agent, sink };
}

describe.concurrent('a login that ends on a page', () => {
  it('shows the page and goes on when the agent says so', async ({ workshop }) => {
    const { agent, sink } = await aLogin(workshop);
    const login = agent.authenticate('any');
    await waitFor(() => sink.asked.length === 1);
    agent.notify('_test/done', {});
    await login;
    expect(sink.elicited).toMatchObject([{ elicitation: { kind: 'page', url: 'https://login.test/start' } }]);
    expect(sink.asked[0]?.withdrawn.aborted).toBe(true);
  });

  it('goes on when the user says so', async ({ workshop }) => {
    const { agent, sink } = await aLogin(workshop);
    sink.choose = async () => 'done';
    await agent.authenticate('any');
  });

  it.for<[string, 'decline' | 'accept', string | undefined]>([
    ['does not open the page', 'decline', undefined],
    ['stops it', 'accept', 'stop'],
    ['closes the question', 'accept', undefined],
  ])('fails when the user %s', async ([, action, answer], { workshop }) => {
    const { agent, sink } = await aLogin(workshop);
    sink.conclude = async () => ({ action });
    sink.choose = async () => answer;
    await expect(agent.authenticate('any')).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('may be complete before it is answered', async ({ workshop }) => {
    const { agent } = await workshop.open('page-login.mjs', 'silent');
    await agent.authenticate('any');
  });
});
