import { describe, expect, it } from 'vitest';
import { Elicitations, elicitationFrom, scopeFrom } from '../../../src/acp/elicitation.ts';
import type { ElicitationRequest, SessionSink } from '../../../src/ports/agent.ts';
import type { AgentEvent } from '../../../src/session/events.ts';
import type { Outcome } from '../../../src/session/form.ts';
import { PipedConnection } from '../../support/piped-connection.ts';

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

const property = (schema: unknown, required: unknown = []) => {
  const asked = elicitationFrom(form({ requestedSchema: { properties: { p: schema }, required } }));
  return asked.kind === 'form' ? asked.form.fields[0] : undefined;
};

describe('a form', () => {
  it.each<[string, unknown, object]>([
    [
      'a text with every rule',
      {
        type: 'string',
        title: 'T',
        description: 'D',
        minLength: 1,
        maxLength: 2,
        pattern: 'p',
        format: 'date',
        default: 'd',
      },
      {
        kind: 'text',
        title: 'T',
        description: 'D',
        minLength: 1,
        maxLength: 2,
        pattern: 'p',
        format: 'date',
        preset: 'd',
      },
    ],
    [
      'rules that are null',
      { type: 'string', minLength: null, enum: null, title: null },
      { kind: 'text', title: 'p', minLength: undefined },
    ],
    [
      'rules that are none',
      { type: 'string', minLength: '1', format: 7 },
      { kind: 'text', minLength: undefined, format: undefined },
    ],
    ['a title of nothing', { type: 'string', title: ' ' }, { title: 'p' }],
    [
      'a number',
      { type: 'number', minimum: 1, maximum: 2, default: 1.5 },
      { kind: 'number', minimum: 1, maximum: 2, preset: 1.5 },
    ],
    ['a whole number', { type: 'integer' }, { kind: 'integer' }],
    ['yes or no', { type: 'boolean', default: false }, { kind: 'switch', preset: false }],
    [
      'an enum',
      { type: 'string', enum: ['a', 7, 'b'] },
      { kind: 'choice', choices: [{ value: 'a', title: 'a' }, { value: 'b' }] },
    ],
    [
      'titled choices',
      {
        type: 'string',
        oneOf: [{ const: 'a', title: 'A', description: 'first' }, { const: 'b' }, { title: 'C' }],
      },
      {
        kind: 'choice',
        choices: [
          { value: 'a', title: 'A', description: 'first' },
          { value: 'b', title: 'b' },
        ],
      },
    ],
    [
      'several of an enum',
      { type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 1, maxItems: 2, default: ['a', 7] },
      { kind: 'choices', choices: [{ value: 'a' }], minItems: 1, maxItems: 2, preset: ['a'] },
    ],
    [
      'several of titled choices',
      { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
      { kind: 'choices', choices: [{ title: 'A' }] },
    ],
    ['a type unknown here', { type: 'file' }, { kind: 'unknown', type: 'file' }],
    [
      'a type of ours with other items',
      { type: 'array', items: { type: 'number', enum: [1] } },
      { kind: 'unknown' },
    ],
    ['a choice of nothing', { type: 'string', enum: [] }, { kind: 'unknown' }],
    ['no type', { enum: ['a'] }, { kind: 'unknown', type: 'no type' }],
    ['no property at all', 'text', { kind: 'unknown' }],
  ])('has a field: %s', (_, schema, expected) => expect(property(schema)).toMatchObject(expected));

  it('says which fields are needed, those it forgot to describe too', () => {
    const requestedSchema = {
      title: 'T',
      description: 'D',
      properties: { constructor: { type: 'string' }, b: { type: 'string' } },
      required: ['b', 'toString', 'toString'],
    };
    expect(elicitationFrom(form({ requestedSchema }))).toMatchObject({
      form: {
        title: 'T',
        description: 'D',
        fields: [
          { name: 'constructor', isRequired: false },
          { name: 'b', isRequired: true },
          { name: 'toString', kind: 'unknown', isRequired: true },
        ],
      },
    });
  });
});

describe('a page', () => {
  it('is known by the address that is opened', () => {
    expect(elicitationFrom(page({ url: 'HTTPS://EXAMPLE.com:443/a b' }))).toEqual({
      kind: 'page',
      message: 'Go.',
      url: 'https://example.com/a%20b',
      pageId: 'e1',
    });
  });
});

describe('what is wrong is told by its name', () => {
  it.each<[object, string]>([
    [form({ message: 7 }), 'message must be a string, not 7'],
    [form({ mode: undefined }), 'mode must be a string, and is missing'],
    [form({ mode: 'voice' }), 'mode must be "form" or "url", not "voice"'],
    [form({ mode: '_own' }), 'mode must be "form" or "url", not "_own"'],
    [form({ requestedSchema: 'x' }), 'requestedSchema must be an object'],
    [form({ requestedSchema: { properties: [] } }), 'requestedSchema.properties must be an object'],
    [page({ url: 'example.com' }), 'url must be a whole address, not "example.com"'],
    [page({ url: {} }), 'url must be a string, not an object'],
    [page({ elicitationId: undefined }), 'elicitationId must be a string, and is missing'],
  ])('%j', (params, message) => {
    expect(() => elicitationFrom(params as Record<string, unknown>)).toThrow(message);
  });

  it.each<[object, string]>([
    [{}, 'exactly one of sessionId and requestId'],
    [{ sessionId: 's', requestId: 1 }, 'exactly one of sessionId and requestId'],
    [{ sessionId: 7 }, 'sessionId must be a string, not 7'],
    [{ requestId: {} }, 'requestId must be a string or a number, not an object'],
  ])('%j', (params, message) => {
    expect(() => scopeFrom(params as Record<string, unknown>)).toThrow(message);
  });

  it.each<[object, object]>([
    [{ sessionId: 's', requestId: null }, { sessionId: 's' }],
    [{ requestId: 0 }, { requestId: 0 }],
  ])('%j is right', (params, scope) => {
    expect(scopeFrom(params as Record<string, unknown>)).toEqual(scope);
  });
});

class SinkDouble implements SessionSink {
  readonly events: AgentEvent[] = [];
  readonly elicited: ElicitationRequest[] = [];
  outcome: Outcome = { action: 'accept' };
  report(event: AgentEvent): void {
    this.events.push(event);
  }
  ask(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
  elicit(request: ElicitationRequest): Promise<Outcome> {
    this.elicited.push(request);
    return Promise.resolve(this.outcome);
  }
}

describe('on the wire', () => {
  function aWire() {
    const sink = new SinkDouble();
    const elicitations = new Elicitations(() => sink);
    const piped = new PipedConnection({
      handlers: { 'elicitation/create': (params, withdrawn) => elicitations.create(params, withdrawn) },
      listeners: { 'elicitation/complete': (params) => elicitations.complete(params) },
    });
    const ask = (params: object) => {
      piped.say({ id: 1, method: 'elicitation/create', params });
      return piped.answer(1);
    };
    return { sink, piped, ask };
  }

  it.each<[Outcome, object]>([
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
  ])('%j is answered', async (outcome, result) => {
    const { sink, ask } = aWire();
    sink.outcome = outcome;
    expect((await ask(form({ toolCallId: 't1' }))).result).toEqual(result);
    expect(sink.elicited).toMatchObject([{ toolCallId: 't1' }]);
  });

  it('a mode unknown here is an error of the agent, and nobody is asked', async () => {
    const { sink, ask } = aWire();
    expect((await ask(form({ mode: 'voice' }))).error).toMatchObject({ code: -32602 });
    expect(sink.elicited).toEqual([]);
  });

  it.each<[string, Outcome, readonly string[], number]>([
    ['is told', { action: 'accept' }, ['e1'], 1],
    ['is told once', { action: 'accept' }, ['e1', 'e1'], 1],
    ['of another is not', { action: 'accept' }, ['e2', '', 'constructor'], 0],
    ['is not when nobody went there', { action: 'decline' }, ['e1'], 0],
  ])('that a page has done its part %s', async (_, outcome, ids, count) => {
    const { sink, piped, ask } = aWire();
    sink.outcome = outcome;
    await ask(page());
    for (const elicitationId of ids) piped.say({ method: 'elicitation/complete', params: { elicitationId } });
    await piped.allAnswers();
    expect(sink.events).toEqual(Array(count).fill({ kind: 'page_done', pageId: 'e1' }));
  });

  it('our requests are known by their ids', async () => {
    const sent: unknown[] = [];
    const piped = new PipedConnection({ onRequestSent: (id, params) => sent.push([id, params]) });
    void piped.connection.request('session/prompt', { sessionId: 's1' });
    piped.connection.notify('session/cancel', { sessionId: 's1' });
    await piped.allAnswers();
    expect(sent).toEqual([[piped.written[0]?.id, { sessionId: 's1' }]]);
  });
});
