import { describe, expect } from 'vitest';
import { stopReasonOf } from '../../support/tour/client.ts';
import { FakeEditor, openWithEverything } from '../../support/tour/editor.ts';
import { it } from '../../support/tour/it.ts';
import { textOf, toolStates } from '../../support/tour/updates.ts';

const isChunk = ({ params }: { params?: { update?: unknown } }) =>
  (params?.update as { sessionUpdate?: string } | undefined)?.sessionUpdate === 'agent_message_chunk';

describe('cancelling the tour', () => {
  it.for([['slow 10000'], ['long 10000000']] as const)(
    'stops %s in the middle',
    async ([word], { folder, start }) => {
      const client = start();
      const sessionId = await client.open(folder);
      const prompt = client.startPrompt(sessionId, word);
      await client.until(isChunk);
      client.notify('session/cancel', { sessionId });
      expect(stopReasonOf(await client.response(prompt))).toBe('cancelled');
      expect(client.received.at(-1)?.id).toBe(prompt);
    },
  );

  it('ends a prompt that hangs, and the next prompt works', async ({ folder, start }) => {
    const client = start();
    const sessionId = await client.open(folder);
    const prompt = client.startPrompt(sessionId, 'hang');
    client.notify('session/cancel', { sessionId });
    expect(stopReasonOf(await client.response(prompt))).toBe('cancelled');
    expect(await client.prompt(sessionId, 'hello')).toBe('end_turn');
  });

  it('does not wait for the answer to a question, and cancels the question', async ({ folder, start }) => {
    const { client, sessionId, editor } = await openWithEverything(start, folder);
    editor.choice = undefined;
    const prompt = client.startPrompt(sessionId, 'permission');
    const question = await client.until(({ method }) => method === 'session/request_permission');
    client.notify('session/cancel', { sessionId });
    expect(stopReasonOf(await client.response(prompt))).toBe('cancelled');
    const withdrawal = client.received.find(({ method }) => method === '$/cancel_request');
    expect(withdrawal?.params).toEqual({ requestId: question.id });
  });

  it('releases the terminal before the turn ends', async ({ folder, start }) => {
    const { answers } = new FakeEditor();
    const client = start({
      answers: { ...answers, 'terminal/wait_for_exit': () => new Promise(() => undefined) },
    });
    const sessionId = await client.open(folder, { terminal: true });
    const prompt = client.startPrompt(sessionId, 'run sleep 100');
    await client.until(({ method }) => method === 'terminal/wait_for_exit');
    client.notify('session/cancel', { sessionId });
    const end = await client.response(prompt);
    expect(stopReasonOf(end)).toBe('cancelled');
    const release = client.received.findIndex(({ method }) => method === 'terminal/release');
    expect(release).toBeGreaterThan(0);
    expect(release).toBeLessThan(client.received.indexOf(end));
    // The client closes open tool calls itself; a late update would mark the command as failed.
    expect(toolStates(client.updates)).toEqual({ 'tour-1-call-1': ['pending', 'in_progress'] });
  });

  it('also works by cancelling the request', async ({ folder, start }) => {
    const client = start();
    const sessionId = await client.open(folder);
    const prompt = client.startPrompt(sessionId, 'slow 10000');
    await client.until(isChunk);
    client.notify('$/cancel_request', { requestId: prompt });
    expect(stopReasonOf(await client.response(prompt))).toBe('cancelled');
  });

  it('is ignored by the command deaf', async ({ folder, start }) => {
    const client = start();
    const sessionId = await client.open(folder);
    const prompt = client.startPrompt(sessionId, 'deaf');
    client.notify('session/cancel', { sessionId });
    const { error } = await client.response(client.startPrompt(sessionId, 'hello'));
    expect(error?.message).toContain('busy');
    expect(client.received.filter(({ id }) => id === prompt)).toEqual([]);
  });
});

describe('a second prompt to the tour', () => {
  it('is rejected while its session is busy', async ({ folder, start }) => {
    const client = start();
    const sessionId = await client.open(folder);
    client.startPrompt(sessionId, 'hang');
    const { error } = await client.response(client.startPrompt(sessionId, 'hello'));
    expect(error).toMatchObject({ code: -32600, message: expect.stringContaining('tour-1 is busy') });
  });

  it('is answered in another session', async ({ folder, start }) => {
    const client = start();
    client.startPrompt(await client.open(folder), 'hang');
    const { result } = await client.request('session/new', { cwd: folder, mcpServers: [] });
    expect(await client.prompt(String(result?.sessionId), 'hello')).toBe('end_turn');
  });
});

describe('failures of the tour', () => {
  it('error answers with an error, and the session continues', async ({ folder, start }) => {
    const client = start();
    const sessionId = await client.open(folder);
    const { error } = await client.response(client.startPrompt(sessionId, 'error'));
    expect(error).toMatchObject({ code: -32603, message: expect.stringContaining('part of the tour') });
    expect(await client.prompt(sessionId, 'hello')).toBe('end_turn');
  });

  it('crash exits in the middle of its answer with two lines on stderr', async ({ folder, start }) => {
    const client = start();
    const sessionId = await client.open(folder);
    const prompt = client.startPrompt(sessionId, 'crash');
    expect(await client.exited).toBe(41);
    expect(textOf(client.updates)).toBe('I will exit in the middle of this');
    expect(client.stderr.trimEnd().split('\n')).toHaveLength(2);
    expect(client.received.filter(({ id }) => id === prompt)).toEqual([]);
  });

  it.for(['hang', 'deaf', 'slow 10000'])('%s exits at the end of stdin', async (word, { folder, start }) => {
    const client = start();
    client.startPrompt(await client.open(folder), word);
    expect(await client.end()).toBe(0);
  });

  it('invalid input is ignored', async ({ folder, start }) => {
    const client = start();
    const sessionId = await client.open(folder);
    client.writeLine('this is no JSON');
    expect(await client.prompt(sessionId, 'hello')).toBe('end_turn');
    expect(client.stderr).toContain('this is no JSON');
  });
});
