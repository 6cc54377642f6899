import { describe, expect, it } from 'vitest';
import {
  answer,
  DialectHarness,
  notification,
  refusal,
  request,
  update,
  type Wire,
} from '../../../support/dialects/dialect-harness.ts';

const cancelled = { outcome: { outcome: 'cancelled' } };
const selected = (optionId: unknown) => ({ outcome: { outcome: 'selected', optionId } });
const ask = (params: Wire) => request(7, 'session/request_permission', { sessionId: 's1', ...params });
const kindsOf = ([message]: readonly unknown[]) =>
  (message as { params: { options: readonly { kind: unknown }[] } }).params.options.map(({ kind }) => kind);
const ofTool = (fields: Wire) =>
  update({ sessionUpdate: 'tool_call', toolCallId: 't', title: 'x', ...fields });
const toolOf = ([message]: readonly unknown[]) => (message as { params: { update: Wire } }).params.update;

describe('an unknown permission option never allows anything', () => {
  it.each<[string, Wire]>([
    ['a kind of the future', { optionId: 'a', name: 'Allow', kind: 'allow_session' }],
    ['a kind in capitals', { optionId: 'a', name: 'Allow', kind: 'ALLOW' }],
    ['a kind that is no word', { optionId: 'a', name: 'Allow', kind: { allow: true } }],
    ['a kind every object has', { optionId: 'a', name: 'Allow', kind: 'constructor' }],
    ['a label that only contains the word', { id: '1', label: 'Do not allow' }],
    ['an id that only contains the word', { id: 'allow_nothing', label: 'Hm' }],
    ['an id and a label that contradict each other', { id: 'allow', label: 'Deny' }],
    ['the same the other way round', { id: 'deny', label: 'Always allow' }],
    ['nothing to go by', { id: '1', label: 'Continue' }],
    ['an id every object has', { id: 'constructor', label: 'toString' }],
  ])('%s is shown as a rejection and marked', (_, option) => {
    const talk = new DialectHarness();
    const [message] = talk.receive(ask({ options: [option] }));
    expect(message).toMatchObject({
      params: { options: [{ kind: 'reject_once', _meta: { 'acp.nvim/kind': option.kind ?? 'unknown' } }] },
    });
  });

  it('an unknown option is never chosen for a user who did not answer', () => {
    const odd = { id: 'trust', label: 'Trust this folder' };
    const talk = new DialectHarness();
    talk.receive(ask({ id: 'p', description: 'Run', options: [odd] }));
    expect(talk.respond(7, cancelled)).toEqual(refusal(7, -32800, 'Request cancelled'));
    talk.receive(ask({ id: 'p', description: 'Run', options: [odd, { id: 'deny', label: 'Deny' }] }));
    expect(talk.respond(7, cancelled)).toEqual(answer(7, { optionId: 'deny' }));
  });

  it('an id that is also used for allowing is never chosen for a user who did not answer', () => {
    const talk = new DialectHarness();
    const options = [
      { optionId: 'x', kind: 'reject_once', label: 'No' },
      { optionId: 'x', kind: 'allow_once', label: 'Yes' },
    ];
    talk.receive(ask({ title: 'Run', options }));
    expect(talk.respond(7, cancelled)).toEqual(refusal(7, -32800, 'Request cancelled'));
  });

  it('rejecting once is preferred to rejecting always', () => {
    const talk = new DialectHarness();
    const options = [
      { optionId: 'never', kind: 'reject_always', label: 'Never' },
      { optionId: 'no', kind: 'reject_once', label: 'No' },
    ];
    talk.receive(ask({ title: 'Run', options }));
    expect(talk.respond(7, cancelled)).toEqual(answer(7, { selectedOptionId: 'no' }));
  });

  it.each([selected(5), selected(undefined), { outcome: { outcome: 'granted', optionId: 'once' } }, {}])(
    'an unknown outcome rejects: %j',
    (result) => {
      const talk = new DialectHarness();
      talk.receive(ask({ permissionId: 'p', title: 'Edit', kind: 'edit' }));
      expect(talk.respond(7, result)).toEqual(answer(7, { decision: 'reject', cancelled: true }));
    },
  );

  it('A: an option that was not offered rejects', () => {
    const talk = new DialectHarness();
    talk.receive(ask({ permissionId: 'p', title: 'Edit', kind: 'edit' }));
    expect(talk.respond(7, selected('forever'))).toEqual(answer(7, { decision: 'reject' }));
  });

  it('an option that says always never becomes allow_once', () => {
    const options = [
      { id: 'allow', label: 'Always allow' },
      { id: 'always', label: 'Allow' },
    ];
    expect(kindsOf(new DialectHarness().receive(ask({ options })))).toEqual(['allow_always', 'allow_always']);
  });
});

describe('an unknown status never becomes completed', () => {
  it.each(['paused', 'COMPLETED', 'completed!', 'finished', 'constructor', 1, true, ['done']])(
    '%j',
    (status) => {
      const talk = new DialectHarness();
      expect(toolOf(talk.receive(ofTool({ status }))).status).toEqual(status);
      const plan = { sessionUpdate: 'plan', entries: [{ content: 'x', priority: 'low', status }] };
      expect(toolOf(talk.receive(update(plan)))).toEqual(plan);
    },
  );

  it.each(['no', 0, {}])('E: a tool result with isError %j', (isError) => {
    const content = { toolResult: { callId: 't', output: 'x', isError } };
    const heard = new DialectHarness().receive(
      notification('session/update', { sessionId: 's1', type: 'tool_result', content }),
    );
    expect(toolOf(heard)).not.toHaveProperty('status');
  });
});

describe('a missing path is never invented', () => {
  it.each<[string, unknown]>([
    ['a page', { uri: 'https://a.example/etc/passwd' }],
    ['a page in a text', 'https://a.example/etc/passwd'],
    ['a file elsewhere', { uri: 'file://host/a' }],
    ['a hidden slash', { uri: 'file:///a%2Fb' }],
    ['no address', { uri: '/a' }],
    ['nothing', {}],
    ['no text', ''],
    ['a number', 5],
  ])('%s', (_, location) => {
    const message = ofTool({ kind: 'read', locations: [location] });
    expect(new DialectHarness().receive(message)[0]).toBe(message);
  });

  it.each<Wire>([{ file_path: 'a' }, { path: '../a' }, { file_path: 5 }, { command: '/bin/sh' }])(
    'D: rawInput %j has no location',
    (rawInput) => {
      const message = ofTool({ rawInput });
      expect(new DialectHarness().receive(message)[0]).toBe(message);
    },
  );

  it.each<Wire>([{ newContent: 'x' }, { path: 5, newContent: 'x' }])('A: diff %j is none', (diff) => {
    const message = ofTool({ kind: 'edit', diff });
    expect(new DialectHarness().receive(message)[0]).toBe(message);
  });

  it.each(['fs/read_text_file', 'fs/write_text_file'])('%s without a path', (method) => {
    const message = request(7, method, { sessionId: 's1', uri: 'file:///a', content: 'x' });
    expect(new DialectHarness().receive(message)[0]).toBe(message);
  });
});

it('a message cannot change Object.prototype', () => {
  const wire =
    JSON.parse(`{"jsonrpc":"2.0","id":7,"method":"terminal/create","params":{"__proto__":{"polluted":1},
    "sessionId":"s1","command":"ls","env":{"__proto__":"x","A":"1"},"outputBytesLimit":1}}`);
  const [message] = new DialectHarness().receive(wire) as [{ params: Wire }];
  expect(Object.getPrototypeOf(message.params)).toBe(Object.prototype);
  expect(({} as Wire).polluted).toBeUndefined();
  expect(message.params.env).toEqual([
    { name: '__proto__', value: 'x' },
    { name: 'A', value: '1' },
  ]);
});
