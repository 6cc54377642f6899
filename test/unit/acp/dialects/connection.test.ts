import { expect, it } from 'vitest';
import { PipedConnection } from '../../../support/agents/piped-connection.ts';
import { waitFor } from '../../../support/wait.ts';

it('translates an update of another dialect and keeps its place between the others', async () => {
  const piped = new PipedConnection();
  const chunk = (text: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
  piped.send(
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

it('answers a permission request in the dialect of the request', async () => {
  const outcome = { outcome: { outcome: 'selected', optionId: 'yes' } };
  const piped = new PipedConnection({ handlers: { 'session/request_permission': () => outcome } });
  const options = [{ id: 'yes', label: 'Allow' }];
  piped.send({
    id: 7,
    method: 'session/request_permission',
    params: { id: 'p', sessionId: 's', tool: 'bash', description: 'ls', options },
  });
  await waitFor(() => piped.written.length > 0);
  expect(piped.written).toMatchObject([{ id: 7, result: { optionId: 'yes' } }]);
});

it.each([
  ['the agent closes it', (piped: PipedConnection) => piped.input.end()],
  ['we dispose it', (piped: PipedConnection) => piped.connection.dispose()],
])('logs once how often each dialect rule was applied when %s', async (_, end) => {
  const piped = new PipedConnection();
  const event = (text: string) => ({ sessionId: 's', type: 'text', content: { text } });
  piped.send(
    { method: 'session/update', params: event('one') },
    { method: 'session/update', params: event('two') },
    '{"method":"session/update","params":{"session_id":"s","update":{}}}',
  );
  await waitFor(() => piped.updates.length === 3);
  end(piped);
  await waitFor(() => piped.log.lines.some((line) => line.startsWith('info dialect rules applied')));
  piped.connection.dispose();
  expect(piped.log.lines.filter((line) => line.startsWith('info dialect rule'))).toEqual([
    'info dialect rule applied: E: type and content',
    'info dialect rule applied: B,E: no jsonrpc',
    'info dialect rule applied: any: snake_case keys',
    'info dialect rules applied: E: type and content ×2; B,E: no jsonrpc ×1; any: snake_case keys ×1',
  ]);
});

it('logs no dialect rules for an agent that follows the specification', async () => {
  const piped = new PipedConnection();
  piped.send({
    method: 'session/update',
    params: { sessionId: 's', update: { sessionUpdate: 'plan', entries: [] } },
  });
  await waitFor(() => piped.updates.length === 1);
  piped.connection.dispose();
  expect(piped.log.lines.filter((line) => line.includes('dialect'))).toEqual([]);
});
