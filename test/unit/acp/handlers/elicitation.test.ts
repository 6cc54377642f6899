import { describe, expect, it } from 'vitest';
import { decodeElicitation, decodeScope, Elicitations } from '../../../../src/acp/handlers/elicitation.ts';
import type { ElicitationOutcome } from '../../../../src/model/form.ts';
import { PipedConnection } from '../../../support/agents/piped-connection.ts';
import { SinkDouble } from '../../../support/doubles/sink.ts';

const form = (fields = {}) => ({
  sessionId: 's1',
  message: 'Who?',
  mode: 'form',
  requestedSchema: { properties: {} },
  ...fields,
});
const page = (fields = {}) => ({
  sessionId: 's1',
  message: 'Go.',
  mode: 'url',
  url: 'https://example.com',
  elicitationId: 'e1',
  ...fields,
});

describe('decodeElicitation', () => {
  it('shows the normalised URL that is opened', () => {
    expect(decodeElicitation(page({ url: 'HTTPS://EXAMPLE.com:443/a b' }))).toEqual({
      kind: 'page',
      message: 'Go.',
      url: 'https://example.com/a%20b',
      pageId: 'e1',
    });
  });
});

describe('an elicitation', () => {
  it.each<[object, string]>([
    [form({ message: 7 }), 'message must be a string, not 7'],
    [form({ mode: undefined }), 'mode must be a string, but is missing'],
    [form({ mode: 'voice' }), 'mode must be "form" or "url", not "voice"'],
    [form({ mode: '_own' }), 'mode must be "form" or "url", not "_own"'],
    [form({ requestedSchema: 'x' }), 'requestedSchema must be an object, not "x"'],
    [form({ requestedSchema: { properties: [] } }), 'requestedSchema.properties must be an object, not []'],
    [page({ url: 'example.com' }), 'url must be an absolute URL, not "example.com"'],
    [page({ url: {} }), 'url must be a string, not an object'],
    [page({ elicitationId: undefined }), 'elicitationId must be a string, but is missing'],
  ])('is rejected with the name of the invalid parameter: %j', (params, message) => {
    expect(() => decodeElicitation(params as Record<string, unknown>)).toThrow(message);
  });

  it.each<[object, string]>([
    [{}, 'exactly one of sessionId and requestId'],
    [{ sessionId: 's', requestId: 1 }, 'exactly one of sessionId and requestId'],
    [{ sessionId: 7 }, 'sessionId must be a string, not 7'],
    [{ requestId: {} }, 'requestId must be a string or a number, not an object'],
  ])('is rejected if its scope is invalid: %j', (params, message) => {
    expect(() => decodeScope(params as Record<string, unknown>)).toThrow(message);
  });

  it.each<[object, object]>([
    [{ sessionId: 's', requestId: null }, { sessionId: 's' }],
    [{ requestId: 0 }, { requestId: 0 }],
  ])('is accepted with the scope %j', (params, scope) => {
    expect(decodeScope(params as Record<string, unknown>)).toEqual(scope);
  });
});

describe('elicitation/create', () => {
  function aWire() {
    const sink = new SinkDouble();
    sink.conclude = async () => ({ action: 'accept' });
    const elicitations = new Elicitations(() => sink);
    const piped = new PipedConnection({
      handlers: { 'elicitation/create': (params, withdrawn) => elicitations.create(params, withdrawn) },
      listeners: { 'elicitation/complete': (params) => elicitations.complete(params) },
    });
    const ask = (params: object) => {
      piped.send({ id: 1, method: 'elicitation/create', params });
      return piped.answer(1);
    };
    return { sink, piped, ask };
  }

  it.each<[ElicitationOutcome, object]>([
    [
      {
        action: 'accept',
        answers: new Map<string, string[] | number>([
          ['a', ['b']],
          ['n', 1],
        ]),
      },
      { action: 'accept', content: { a: ['b'], n: 1 } },
    ],
    [
      { action: 'accept', answers: new Map() },
      { action: 'accept', content: {} },
    ],
    [{ action: 'accept' }, { action: 'accept' }],
    [{ action: 'decline' }, { action: 'decline' }],
    [{ action: 'cancel' }, { action: 'cancel' }],
  ])('answers the outcome %j', async (outcome, result) => {
    const { sink, ask } = aWire();
    sink.conclude = async () => outcome;
    expect((await ask(form({ toolCallId: 't1' }))).result).toEqual(result);
    expect(sink.elicited).toMatchObject([{ toolCallId: 't1' }]);
  });

  it('rejects an unknown mode without asking the user', async () => {
    const { sink, ask } = aWire();
    expect((await ask(form({ mode: 'voice' }))).error).toMatchObject({ code: -32602 });
    expect(sink.elicited).toEqual([]);
  });

  it.each<[string, ElicitationOutcome, readonly string[], number]>([
    ['is reported', { action: 'accept' }, ['e1'], 1],
    ['is reported once', { action: 'accept' }, ['e1', 'e1'], 1],
    ['is ignored for another id', { action: 'accept' }, ['e2', '', 'constructor'], 0],
    ['is ignored if the page was declined', { action: 'decline' }, ['e1'], 0],
  ])('completion of a page %s', async (_, outcome, ids, count) => {
    const { sink, piped, ask } = aWire();
    sink.conclude = async () => outcome;
    await ask(page());
    for (const elicitationId of ids)
      piped.send({ method: 'elicitation/complete', params: { elicitationId } });
    await piped.allAnswers();
    expect(sink.events).toEqual(Array(count).fill({ kind: 'page_done', pageId: 'e1' }));
  });

  it('accepts the id of a request instead of a session', async () => {
    const sent: unknown[] = [];
    const piped = new PipedConnection({ onRequestSent: (id, params) => sent.push([id, params]) });
    void piped.connection.request('session/prompt', { sessionId: 's1' });
    piped.connection.notify('session/cancel', { sessionId: 's1' });
    await piped.allAnswers();
    expect(sent).toEqual([[piped.written[0]?.id, { sessionId: 's1' }]]);
  });
});
