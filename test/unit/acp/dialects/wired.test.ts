import { expect, it } from 'vitest';
import { PipedConnection } from '../../../support/piped-connection.ts';
import { waitFor } from '../../../support/wait.ts';

it('understands an update of another dialect in its place between the others', async () => {
  const piped = new PipedConnection();
  const chunk = (text: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  piped.say(
    { method: 'session/update', params: { sessionId: 's', update: chunk('one') } },
    { method: 'session/update', params: { sessionId: 's', type: 'text', content: { text: 'two' } } },
    { method: 'session/update', params: { sessionId: 's', update: chunk('three') } },
  );
  await waitFor(() => piped.updates.length === 3);
  expect(piped.updates.map(({ update }) => update)).toMatchObject([
    chunk('one'),
    chunk('two'),
    chunk('three'),
  ]);
});

it('answers a permission request in the words it was asked in', async () => {
  const outcome = { outcome: { outcome: 'selected', optionId: 'yes' } };
  const piped = new PipedConnection({ handlers: { 'session/request_permission': () => outcome } });
  const options = [{ id: 'yes', label: 'Allow' }];
  piped.say({
    id: 7,
    method: 'session/request_permission',
    params: { id: 'p', sessionId: 's', tool: 'bash', description: 'ls', options },
  });
  await waitFor(() => piped.written.length > 0);
  expect(piped.written).toMatchObject([{ id: 7, result: { optionId: 'yes' } }]);
});
