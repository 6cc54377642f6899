import { describe, expect, it } from 'vitest';
import { AcpError, type ErrorCode } from '../../../../src/base/errors.ts';
import { anUpdate, PipedConnection, type WireMessage } from '../../../support/agents/piped-connection.ts';
import { Deferred, settle } from '../../../support/doubles/deferred.ts';
import { waitFor } from '../../../support/wait.ts';

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
const updates = (from: number, to: number) => numbers(from, to).map((number) => anUpdate(number));

describe('the order of messages', () => {
  /** Records updates as they come, and a response when the code that awaits it continues. */
  function aWitness() {
    const seen: unknown[] = [];
    const piped = new PipedConnection({ onUpdate: ({ update }) => seen.push(update) });
    const request = async (name: string) => {
      await piped.connection.request('session/prompt', {});
      seen.push(name);
    };
    return { seen, piped, request };
  }

  it('is kept for 2,000 updates around a response', async () => {
    const { seen, piped, request } = aWitness();
    const answered = request('answer');
    piped.send(...updates(0, 1_000), { id: 0, result: {} }, ...updates(1_000, 2_000));
    await answered;
    expect(seen).toEqual([...numbers(0, 1_000), 'answer']);
    await waitFor(() => seen.length === 2_001);
    expect(seen).toEqual([...numbers(0, 1_000), 'answer', ...numbers(1_000, 2_000)]);
  });

  it('is kept for code that awaits a response several promises away', async () => {
    const { seen, piped, request } = aWitness();
    const far = async (steps: number): Promise<void> =>
      steps === 0 ? request('near') : far(steps - 1).then(async () => undefined);
    const answered = far(20).then(() => seen.push('far'));
    piped.send(anUpdate('before'), { id: 0, result: {} }, anUpdate('after'));
    await answered;
    await waitFor(() => seen.includes('after'));
    expect(seen).toEqual(['before', 'near', 'far', 'after']);
  });

  it('is kept for an error response', async () => {
    const { seen, piped, request } = aWitness();
    const failed = request('answer').catch(() => seen.push('failure'));
    piped.send(anUpdate(1), { id: 0, error: { code: -32603, message: 'no' } }, anUpdate(2));
    await failed;
    await waitFor(() => seen.length === 3);
    expect(seen).toEqual([1, 'failure', 2]);
  });

  it('is kept between several responses, requests and notifications', async () => {
    const seen: unknown[] = [];
    const piped = new PipedConnection({
      onUpdate: ({ update }) => seen.push(update),
      handlers: { ask: ({ name }) => seen.push(name) },
    });
    for (const name of ['first', 'second'])
      void piped.connection.request('x', {}).then(() => seen.push(name));
    piped.send(
      anUpdate(1),
      { method: '_unknown/notification' },
      anUpdate(2),
      { id: 1, result: {} },
      anUpdate(3),
      { id: 'q', method: 'ask', params: { name: 'question' } },
      anUpdate(4),
      { id: 0, result: {} },
      anUpdate(5),
    );
    await waitFor(() => seen.includes(5));
    expect(seen).toEqual([1, 2, 'second', 3, 'question', 4, 'first', 5]);
  });

  it.each<[string, WireMessage]>([
    ['of an answered request', { method: '$/cancel_request', params: { requestId: 77 } }],
    ['without an id', { method: '$/cancel_request', params: {} }],
    ['with the id null', { method: '$/cancel_request', params: { requestId: null } }],
    ['without params', { method: '$/cancel_request' }],
    ['in the form of LSP', { method: '$/cancelRequest', params: { id: 77 } }],
    ['in the form of LSP, without params', { method: '$/cancelRequest' }],
  ])('is kept after a cancellation %s', async (_, withdrawal) => {
    const { seen, piped, request } = aWitness();
    void request('answer');
    piped.send(anUpdate(1), withdrawal, { id: 0, result: {} }, anUpdate(2));
    await waitFor(() => seen.includes(2));
    expect(seen).toEqual([1, 'answer', 2]);
  });

  it('applies an update synchronously when no message is waiting', () => {
    const { seen, piped } = aWitness();
    piped.input.emit('data', Buffer.from(`${JSON.stringify(anUpdate(1))}\n${JSON.stringify(anUpdate(2))}\n`));
    expect(seen).toEqual([1, 2]);
  });
});

describe('session/update', () => {
  it('is logged if it can not be applied, and the next one is applied', async () => {
    const seen: unknown[] = [];
    const piped = new PipedConnection({
      onUpdate: ({ update }) => {
        if (update === 'bad') throw new Error('too bad');
        seen.push(update);
      },
    });
    const answer = piped.connection.request('x', {});
    piped.send(anUpdate('bad'), { id: 0, result: 1 }, anUpdate('good'));
    expect(await answer).toBe(1);
    await waitFor(() => seen.length === 1);
    expect(piped.log.lines.join()).toContain('too bad');
  });

  it.each([
    ['without params', { method: 'session/update' }],
    ['with a list for params', { method: 'session/update', params: [1] }],
    ['with a text for params', { method: 'session/update', params: 'x' }],
  ])('%s is ignored', async (_, broken) => {
    const piped = new PipedConnection();
    piped.send(broken, anUpdate('next'));
    await waitFor(() => piped.updates.length > 0);
    expect(piped.updates).toEqual([{ sessionId: 's1', update: 'next' }]);
    expect(await piped.allAnswers()).toEqual([]);
  });

  it('is ignored after the connection was disposed', async () => {
    const piped = new PipedConnection();
    piped.send(anUpdate('before'));
    await waitFor(() => piped.updates.length === 1);
    piped.connection.dispose();
    piped.send(anUpdate('after'));
    await settle();
    expect(piped.updates.map(({ update }) => update)).toEqual(['before']);
  });
});

describe('an invalid message', () => {
  it.each([
    ['a log line', 'Starting up…'],
    ['half a message', '{"jsonrpc":"2.0","id":7,"method":"x"'],
    ['a list that is not a batch', '[1, {"id":7,"method":"x"}]'],
    ['a string', '"id"'],
    ['a number', '7'],
  ])('is logged and not answered: %s', async (_, line) => {
    const piped = new PipedConnection();
    const answer = piped.connection.request('x', {});
    piped.send(line, { id: 0, result: 'ok' });
    expect(await answer).toBe('ok');
    expect(await piped.allAnswers()).toEqual([]);
    expect(piped.log.lines.join()).toContain(line.slice(0, 10));
  });

  it.each<[string, object]>([
    ['an empty object', {}],
    ['a method that is not a string', { method: 5, id: 9 }],
    ['a response without a request', { id: 99, result: {} }],
    ['a response with the id null', { id: null, error: { code: -32700, message: 'Parse error' } }],
    ['a request whose id is an object', { id: {}, method: 'x' }],
  ])('does not stop the stream: %s', async (_, message) => {
    const piped = new PipedConnection();
    const answer = piped.connection.request('x', {});
    piped.send(message as WireMessage, anUpdate(1), { id: 0, result: 'ok' });
    expect(await answer).toBe('ok');
    expect(piped.updates).toHaveLength(1);
  });
});

it.each(['null', '9007199254740993', '-9007199254740993', '123456789012345678901234567890', '1e999'])(
  'a request with the id %s is answered with it',
  async (id) => {
    const piped = new PipedConnection({ handlers: { 'fs/read': () => ({ id: 1 }) } });
    const written: string[] = [];
    piped.output.on('data', (text: Buffer) => written.push(String(text)));
    piped.send(`{"jsonrpc":"2.0","params":{"id":9007199254740999},"id":${id},"method":"fs/read"}`);
    await waitFor(() => written.length > 0);
    expect(written.join('')).toBe(`{"jsonrpc":"2.0","id":${id},"result":{"id":1}}\n`);
  },
);

it('an update with the id null is an update', async () => {
  const piped = new PipedConnection();
  piped.send({ id: null, ...anUpdate('told') });
  await waitFor(() => piped.updates.length > 0);
  expect(await piped.allAnswers()).toEqual([]);
});

it('a batch is handled message by message', async () => {
  const piped = new PipedConnection();
  piped.send('[{"jsonrpc":"2.0","id":7,"method":"x"},{"jsonrpc":"2.0","id":8,"method":"y"}]');
  await piped.answer(8);
  expect((await piped.allAnswers()).map(({ id, error }) => [id, error?.code])).toEqual([
    [7, -32601],
    [8, -32601],
  ]);
});

it('a response without an id settles the only pending request', async () => {
  const piped = new PipedConnection();
  const answer = piped.connection.request('x', {});
  piped.send({ result: { fine: true } });
  expect(await answer).toEqual({ fine: true });
});

describe('a request to the agent', () => {
  it('is settled by the first response; a second one is ignored', async () => {
    const piped = new PipedConnection();
    const answer = piped.connection.request('x', {});
    piped.send({ id: 0, result: 'first' }, { id: 0, result: 'second' }, anUpdate('after'));
    expect(await answer).toBe('first');
    await waitFor(() => piped.updates.length === 1);
  });

  it.each<[string, WireMessage, unknown]>([
    ['null', { id: 0, result: null }, null],
    ['a result with an error that is null', { id: 0, result: 1, error: null as never }, 1],
  ])('accepts %s as a response', async (_, message, expected) => {
    const piped = new PipedConnection();
    const answer = piped.connection.request('x', {});
    piped.send(message);
    expect(await answer).toBe(expected);
  });

  it('is rejected by a response without result and error', async () => {
    const piped = new PipedConnection();
    const answer = piped.connection.request('x', {});
    piped.send({ id: 0 });
    await expect(answer).rejects.toThrow(/neither a result nor an error/);
  });

  it('is rejected when the connection is disposed', async () => {
    const piped = new PipedConnection();
    const answer = piped.connection.request('x', {});
    piped.connection.dispose();
    await expect(answer).rejects.toThrow(/disposed/);
  });

  it('is written before later ones', async () => {
    const piped = new PipedConnection();
    for (const method of ['a', 'b']) void piped.connection.request(method, {}).catch(() => undefined);
    piped.connection.notify('c', {});
    await waitFor(() => piped.written.length === 3);
    expect(piped.written.map(({ method }) => method)).toEqual(['a', 'b', 'c']);
  });

  it.each<[string, (piped: PipedConnection) => void]>([
    ['the agent closed its output', ({ input }) => void input.end()],
    ['the agent closed its input', ({ output }) => void output.destroy()],
    ['it was disposed', ({ connection }) => connection.dispose()],
  ])('is rejected, and notifications are dropped, after %s', async (_, close) => {
    const piped = new PipedConnection();
    close(piped);
    await settle();
    expect(() => piped.connection.notify('session/cancel', {})).not.toThrow();
    await expect(piped.connection.request('x', {})).rejects.toThrow();
  });
});

it('a message is handled even if the traffic listener throws', async () => {
  const piped = new PipedConnection({
    onMessage: () => {
      throw new Error('broken');
    },
  });
  piped.send({ method: 'session/update', params: { sessionId: 's1' } });
  await settle();
  expect(piped.updates).toEqual([{ sessionId: 's1' }]);
  expect(piped.log.lines).toEqual([expect.stringContaining('broken')]);
});

describe('a request of the agent', () => {
  const echo = { echo: (params: object) => params };

  it.each<[string, unknown]>([
    ['0', 0],
    ['a number', 12_345],
    ['a negative number', -1],
    ['a string', 'f47ac10b-58cc-4372-a567-0e02b2c3d479'],
    ['an empty string', ''],
    ['a string that looks like a number', '0'],
  ])('is answered with the same id: %s', async (_, id) => {
    const piped = new PipedConnection({ handlers: echo });
    piped.send({ id, method: 'echo', params: { a: 1 } });
    expect(await piped.answer(id)).toEqual({ jsonrpc: '2.0', id, result: { a: 1 } });
  });

  it.each([
    'fs/read_text_file',
    'terminal/create',
    '_qwencode/start_turn',
    'craft/drainMidTurnQueue',
    'session/update',
    'toString',
    '__proto__',
  ])('for the unsupported method %s is answered -32601', async (method) => {
    const piped = new PipedConnection({ handlers: echo });
    piped.send({ id: 5, method, params: {} });
    expect(await piped.answer(5)).toMatchObject({ error: { code: -32601 } });
  });

  it.each<[string, object]>([
    ['missing', {}],
    ['null', { params: null }],
    ['a string', { params: 'x' }],
    ['a number', { params: 5 }],
    ['an empty list', { params: [] }],
    ['a list', { params: [1, 2] }],
    ['a list of one object', { params: [{ a: 1 }] }],
  ])('with invalid params (%s) is answered -32602', async (_, fields) => {
    const piped = new PipedConnection({ handlers: echo });
    piped.send({ id: 5, method: 'echo', ...fields });
    expect(await piped.answer(5)).toMatchObject({ error: { code: -32602 } });
  });

  it.each<[ErrorCode, number]>([
    ['bad_params', -32602],
    ['not_found', -32002],
    ['cancelled', -32800],
    ['bug', -32603],
  ])('that fails with %s is answered %i and the message', async (code, expected) => {
    const handlers = {
      fail: () => {
        throw new AcpError(code, 'there is no such thing');
      },
    };
    const piped = new PipedConnection({ handlers });
    piped.send({ id: 5, method: 'fail', params: {} });
    const { error } = await piped.answer(5);
    expect(error?.code).toBe(expected);
    expect(error?.message).toContain('there is no such thing');
  });

  it('whose handler throws is answered -32603 and logged', async () => {
    const handlers = { fail: () => Promise.reject(new TypeError('x is not a function')) };
    const piped = new PipedConnection({ handlers });
    piped.send({ id: 5, method: 'fail', params: {} });
    expect(await piped.answer(5)).toMatchObject({ error: { code: -32603 } });
    expect(piped.log.lines.join()).toContain('x is not a function');
  });

  it('is answered null when the handler returns undefined', async () => {
    const piped = new PipedConnection({ handlers: { quiet: () => undefined } });
    piped.send({ id: 5, method: 'quiet', params: {} });
    expect(await piped.answer(5)).toEqual({ jsonrpc: '2.0', id: 5, result: null });
  });

  it('is answered exactly once among many requests of every kind', async () => {
    const piped = new PipedConnection({
      handlers: {
        ...echo,
        late: async (params) => settle().then(() => params),
        fail: () => Promise.reject(new AcpError('not_found', 'no')),
      },
    });
    const methods = ['echo', 'late', 'fail', 'unknown'];
    const requests = numbers(0, 400).map((id) => ({ id, method: methods[id % 4]!, params: {} }));
    piped.send(...requests);
    const answers = await piped.allAnswers();
    const ids = answers.map(({ id }) => id as number).sort((one, other) => one - other);
    expect(ids).toEqual(numbers(0, 400));
  });

  it('may be answered after later requests', async () => {
    const first = new Deferred<unknown>();
    const handlers = { first: () => first.promise, second: () => 2 };
    const piped = new PipedConnection({ handlers });
    piped.send({ id: 1, method: 'first', params: {} }, { id: 2, method: 'second', params: {} });
    await piped.answer(2);
    first.resolve(1);
    await piped.answer(1);
    expect(piped.answers.map(({ id }) => id)).toEqual([2, 1]);
  });
});

describe('$/cancel_request', () => {
  function aPatientHandler() {
    const signals: AbortSignal[] = [];
    const ask = (_params: object, withdrawn: AbortSignal) =>
      new Promise((resolve) => {
        signals.push(withdrawn);
        withdrawn.addEventListener('abort', () => resolve('withdrawn'));
      });
    return { piped: new PipedConnection({ handlers: { ask } }), signals };
  }

  it.each([0, 7, 'a-text'])('cancels request %s, which is answered once', async (id) => {
    const { piped, signals } = aPatientHandler();
    piped.send({ id, method: 'ask', params: {} });
    await waitFor(() => signals.length === 1);
    expect(signals[0]?.aborted).toBe(false);
    piped.send({ method: '$/cancel_request', params: { requestId: id } });
    expect(await piped.answer(id)).toMatchObject({ result: 'withdrawn' });
    piped.send({ method: '$/cancel_request', params: { requestId: id } });
    expect(await piped.allAnswers()).toHaveLength(1);
  });

  it('cancels a request that came in the same read', async () => {
    const { piped } = aPatientHandler();
    piped.send(
      { id: 3, method: 'ask', params: {} },
      { method: '$/cancel_request', params: { requestId: 3 } },
    );
    expect(await piped.answer(3)).toMatchObject({ result: 'withdrawn' });
  });

  it('does not cancel other requests', async () => {
    const { piped, signals } = aPatientHandler();
    piped.send({ id: 1, method: 'ask', params: {} }, { id: 2, method: 'ask', params: {} });
    piped.send({ method: '$/cancel_request', params: { requestId: 2 } });
    await piped.answer(2);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
  });
});

describe('cancelling a request to the agent', () => {
  it('sends its id to the agent and rejects immediately', async () => {
    const piped = new PipedConnection();
    const giveUp = new AbortController();
    const asked = piped.connection.request('session/list', {}, giveUp.signal);
    giveUp.abort();
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
    await waitFor(() => piped.written.length === 2);
    const [request, notification] = piped.written;
    expect(notification).toEqual({
      jsonrpc: '2.0',
      method: '$/cancel_request',
      params: { requestId: request?.id },
    });
  });

  it('ignores a response that comes afterwards', async () => {
    const piped = new PipedConnection();
    const giveUp = new AbortController();
    const asked = piped.connection.request('session/list', {}, giveUp.signal);
    giveUp.abort();
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
    piped.send({ id: 0, error: { code: -32800, message: 'cancelled' } }, anUpdate('after'));
    await waitFor(() => piped.updates.length === 1);
  });

  it('before it was sent sends nothing', async () => {
    const piped = new PipedConnection();
    await expect(piped.connection.request('x', {}, AbortSignal.abort())).rejects.toMatchObject({
      code: 'cancelled',
    });
    await settle();
    expect(piped.written).toEqual([]);
  });

  it('after its response sends nothing', async () => {
    const piped = new PipedConnection();
    const giveUp = new AbortController();
    const asked = piped.connection.request('x', {}, giveUp.signal);
    piped.send({ id: 0, result: 'yes' });
    expect(await asked).toBe('yes');
    giveUp.abort();
    await settle();
    expect(piped.written).toHaveLength(1);
  });
});
