import { describe, expect, it } from 'vitest';
import { SessionRouter } from '../../../../src/acp/handlers/session-router.ts';
import { aChunk, aPermission, aToolCall, aToolPatch } from '../../../support/builders.ts';
import { SinkDouble } from '../../../support/doubles/sink.ts';
import { aFormRequest, aPageRequest } from '../../../support/forms.ts';

it('SessionRouter delivers events to the session with their id', () => {
  const router = new SessionRouter();
  const [one, other] = [new SinkDouble(), new SinkDouble()];
  router.attach('one', one);
  router.attach('other', other);
  router.route('one', aChunk('1'));
  router.route('other', aChunk('2'));
  expect([one.events, other.events]).toEqual([[aChunk('1')], [aChunk('2')]]);
});

it('SessionRouter holds events of a session that is being opened, in order', () => {
  const router = new SessionRouter();
  const sink = new SinkDouble();
  for (const text of ['1', '2']) router.route('s', aChunk(text));
  router.route('never', aChunk('lost'));
  router.attach('s', sink);
  router.route('s', aChunk('3'));
  expect(sink.events).toEqual([aChunk('1'), aChunk('2'), aChunk('3')]);
});

it.each<[string, number, string, number]>([
  ['number', 10_005, 'x', 10_000],
  ['size', 40, 'x'.repeat(1024 * 1024), 31],
])('SessionRouter limits the %s of held events, and reports what it dropped', (_, sent, text, kept) => {
  const router = new SessionRouter();
  const [one, other] = [new SinkDouble(), new SinkDouble()];
  for (let count = 0; count < sent; count += 1) router.route('one', aChunk(text));
  router.beginOpening(one);
  router.attach('one', one);
  router.route('other', aChunk('y'));
  router.attach('other', other);
  const title = `${sent - kept} updates that the agent sent before its session was open were dropped`;
  expect(one.events).toHaveLength(kept + 1);
  expect(one.events.at(-1)).toMatchObject({ kind: 'notice', title });
  expect(other.events).toEqual([aChunk('y')]);
});

it('SessionRouter limits the number of sessions that nobody opened', () => {
  const router = new SessionRouter();
  const sink = new SinkDouble();
  router.attach('s', sink);
  for (let count = 0; count < 50_000; count += 1) router.route(`unknown ${count}`, aChunk('x'));
  expect(sink.events).toHaveLength(1_000);
  router.route('unknown 0', aChunk('y'));
  expect(sink.events).toHaveLength(1_001);
});

it('SessionRouter drops events of a closed session', () => {
  const router = new SessionRouter();
  const sink = new SinkDouble();
  router.attach('s', sink);
  router.detach('s');
  router.route('s', aChunk('late'));
  expect(sink.events).toEqual([]);
  expect(router.sinkOf('s')).toBeUndefined();
});

it('SessionRouter gives events of a closed session and its subagents to no other session', () => {
  const router = new SessionRouter();
  const [gone, other] = [new SinkDouble(), new SinkDouble()];
  router.attach('other', other);
  router.attach('gone', gone);
  router.addSubagent('helper', 'gone');
  router.detach('gone');
  for (const id of ['gone', 'helper']) router.route(id, aChunk('late'));
  expect(other.events).toEqual([]);
  expect(['gone', 'helper'].map((id) => router.sinkOf(id))).toEqual([undefined, undefined]);
  router.attach('gone', gone);
  router.route('gone', aChunk('again'));
  expect(gone.events).toEqual([aChunk('again')]);
});

it('SessionRouter gives requests with an unknown id to the session that is being opened', () => {
  const router = new SessionRouter();
  const [other, opening] = [new SinkDouble(), new SinkDouble()];
  router.attach('other', other);
  router.beginOpening(opening);
  expect(router.sinkOf('new')).toBe(opening);
});

it.each<[string, (router: SessionRouter) => void, string]>([
  ['that was opened last', () => undefined, 'other'],
  ['that was used last', (router) => router.markUsed('one'), 'one'],
  ['that is still open', (router) => router.detach('other'), 'one'],
])('SessionRouter gives messages without a session id to the session %s', (_, act, expected) => {
  const router = new SessionRouter();
  for (const id of ['one', 'other']) router.attach(id, new SinkDouble());
  act(router);
  expect(router.currentSession).toBe(expected);
});

describe('a session that the agent opened for a subagent', () => {
  function aRouter() {
    const router = new SessionRouter();
    const parent = new SinkDouble();
    router.attach('s', parent);
    const tools = () => parent.events.flatMap((event) => (event.kind === 'tool' ? [event.patch] : []));
    return { router, parent, tools };
  }

  it('is shown as one tool call of the current session, with its text as content', () => {
    const { router, tools } = aRouter();
    router.route('child', aChunk('I look '));
    router.route('child', aChunk('around.'));
    router.route('child', aChunk('a prompt of its parent', 'user'));
    expect(tools()).toEqual([
      {
        toolCallId: 'helper child',
        title: 'Subagent',
        toolKind: 'think',
        status: 'done',
        subagent: { sessionId: 'child', canCancel: false },
        content: [{ kind: 'text', text: 'I look ' }],
      },
      { toolCallId: 'helper child', content: [{ kind: 'text', text: 'I look around.' }] },
    ]);
  });

  it('shows only the end of a long text', () => {
    const { router, tools } = aRouter();
    for (let count = 0; count < 100; count += 1) router.route('child', aChunk('x'.repeat(1_000)));
    router.route('child', aChunk('end'));
    const [content] = tools().at(-1)?.content ?? [];
    expect(content?.kind === 'text' && content.text.length).toBe(16_000);
    expect(content?.kind === 'text' && content.text.endsWith('end')).toBe(true);
  });

  it('has tool calls with ids of their own, below the call that stands for it', () => {
    const { router, tools } = aRouter();
    router.route('child', aToolCall({ title: 'ls' }));
    router.route('child', aToolCall({ toolCallId: 'call-2', parent: 'call-1' }));
    expect(tools().slice(1)).toEqual([
      aToolPatch({ toolCallId: 'child/call-1', title: 'ls', parent: 'helper child' }),
      aToolPatch({ toolCallId: 'child/call-2', parent: 'child/call-1' }),
    ]);
    expect(tools()[0]).toMatchObject({ toolCallId: 'helper child', title: 'Subagent' });
  });

  it.each<[string, unknown, boolean]>([
    ['an object', { cancel: {} }, true],
    ['true', { cancel: true }, true],
    ['nothing', {}, false],
    ['null', null, false],
  ])('can be stopped alone if its capability cancel is %s', (_, capabilities, canCancel) => {
    const { router, tools } = aRouter();
    const child = router.addSubagent('child');
    child?.applyUpdate({
      capabilities,
      state: 'running',
      _meta: { claudeCode: { parentToolUseId: 'task' } },
    });
    expect(tools().at(-1)).toMatchObject({
      status: 'running',
      parent: 'task',
      subagent: { sessionId: 'child', canCancel },
    });
    child?.applyUpdate({ title: 'Explorer' });
    expect(tools().at(-1)).toMatchObject({ title: 'Explorer', subagent: { canCancel } });
  });

  it('does not change the mode or the usage of its parent', () => {
    const { router, parent } = aRouter();
    router.route('child', { kind: 'mode', mode: 'plan' });
    router.route('child', { kind: 'usage', usage: { used: 1, size: 2, cost: undefined } });
    expect(parent.events).toEqual([]);
  });

  it('asks for permission through its parent', async () => {
    const { router, parent } = aRouter();
    await router.sinkOf('child')?.ask(aPermission());
    expect(parent.asked.map(({ tool }) => tool.toolCallId)).toEqual(['child/call-1']);
  });

  it('shows pages and forms through its parent', async () => {
    const { router, parent } = aRouter();
    const child = router.sinkOf('child');
    await child?.elicit(aPageRequest(undefined, { toolCallId: 'call-1' }));
    await child?.elicit(aFormRequest());
    child?.report({ kind: 'page_done', pageId: 'page-1' });
    expect(parent.elicited.map(({ toolCallId }) => toolCallId)).toEqual(['child/call-1', undefined]);
    expect(parent.events).toEqual([{ kind: 'page_done', pageId: 'page-1' }]);
  });

  it('belongs to the session of the subagent_update', () => {
    const { router, tools } = aRouter();
    const other = new SinkDouble();
    router.attach('other', other);
    router.addSubagent('child', 's')?.applyUpdate({ title: 'Explorer', state: 'running' });
    router.route('child', aChunk('found'));
    expect(other.events).toEqual([]);
    expect(tools()[0]).toMatchObject({ title: 'Explorer', status: 'running' });
  });

  it('is closed with its parent', () => {
    const { router, parent } = aRouter();
    router.route('child', aChunk('hello'));
    router.detach('s');
    router.route('child', aChunk('late'));
    expect(parent.events).toHaveLength(1);
  });

  it('is recognised after another session has been opened', () => {
    const { router, parent } = aRouter();
    const opening = new SinkDouble();
    router.beginOpening(opening);
    router.route('new', aChunk('early'));
    router.route('child', aChunk('mine'));
    router.attach('new', opening);
    expect(opening.events).toEqual([aChunk('early')]);
    router.endOpening(opening);
    expect(parent.events).toEqual([]);
    expect(opening.events.at(-1)).toMatchObject({ kind: 'tool' });
  });
});

it('SessionRouter gives requests without a session id to the session that is being opened', () => {
  const router = new SessionRouter();
  const opening = new SinkDouble();
  router.beginOpening(opening);
  router.endOpening(opening);
  expect(router.sinkOf(undefined)).toBe(opening);
});

it('SessionRouter.ownerOf returns the session itself, the parent of a subagent, or the last used session', () => {
  const router = new SessionRouter();
  const [one, other] = [new SinkDouble(), new SinkDouble()];
  router.attach('one', one);
  router.addSubagent('child', 'one');
  router.attach('other', other);
  const owners = ['one', 'child', 'other', 'nobody', undefined].map((id) => router.ownerOf(id));
  expect(owners).toEqual([one, one, other, other, other]);
  expect(owners[0]).toBe(one);
  expect(owners[1]).toBe(one);
});
