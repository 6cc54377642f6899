import { describe, expect, it } from 'vitest';
import { Router } from '../../../src/acp/router.ts';
import type { ElicitationRequest, PermissionRequest, SessionSink } from '../../../src/ports/agent.ts';
import type { AgentEvent } from '../../../src/session/events.ts';
import type { Outcome } from '../../../src/session/form.ts';
import { aChunk, aPermission, aToolCall, aToolPatch } from '../../support/builders.ts';
import { aFormRequest, aPageRequest } from '../../support/forms.ts';

class SinkDouble implements SessionSink {
  readonly events: AgentEvent[] = [];
  readonly elicited: ElicitationRequest[] = [];
  readonly asked: PermissionRequest[] = [];
  report(event: AgentEvent): void {
    this.events.push(event);
  }
  ask(request: PermissionRequest): Promise<undefined> {
    this.asked.push(request);
    return Promise.resolve(undefined);
  }
  elicit(request: ElicitationRequest): Promise<Outcome> {
    this.elicited.push(request);
    return Promise.resolve({ action: 'cancel' });
  }
}

it('brings reports to the session they are about', () => {
  const router = new Router();
  const [one, other] = [new SinkDouble(), new SinkDouble()];
  router.attach('one', one);
  router.attach('other', other);
  router.route('one', aChunk('1'));
  router.route('other', aChunk('2'));
  expect([one.events, other.events]).toEqual([[aChunk('1')], [aChunk('2')]]);
});

it('keeps reports that come before their session is known, in order', () => {
  const router = new Router();
  const sink = new SinkDouble();
  for (const text of ['1', '2']) router.route('s', aChunk(text));
  router.route('never', aChunk('lost'));
  router.attach('s', sink);
  router.route('s', aChunk('3'));
  expect(sink.events).toEqual([aChunk('1'), aChunk('2'), aChunk('3')]);
});

it('keeps no more of them than memory can bear, and makes room when they are taken', () => {
  const router = new Router();
  const [one, other] = [new SinkDouble(), new SinkDouble()];
  for (let count = 0; count < 10_005; count += 1) router.route('one', aChunk('x'));
  router.beginOpening(one);
  router.attach('one', one);
  router.route('other', aChunk('y'));
  router.attach('other', other);
  expect([one.events.length, other.events.length]).toEqual([10_000, 1]);
});

it('no longer knows a session that was closed', () => {
  const router = new Router();
  const sink = new SinkDouble();
  router.attach('s', sink);
  router.detach('s');
  router.route('s', aChunk('late'));
  expect(sink.events).toEqual([]);
  expect(router.sinkOf('s')).toBeUndefined();
});

it('takes what a closed session and its helpers still say for nobody else’s', () => {
  const router = new Router();
  const [gone, other] = [new SinkDouble(), new SinkDouble()];
  router.attach('other', other);
  router.attach('gone', gone);
  router.adopt('helper', 'gone');
  router.detach('gone');
  for (const id of ['gone', 'helper']) router.route(id, aChunk('late'));
  expect(other.events).toEqual([]);
  expect(['gone', 'helper'].map((id) => router.sinkOf(id))).toEqual([undefined, undefined]);
  router.attach('gone', gone);
  router.route('gone', aChunk('again'));
  expect(gone.events).toEqual([aChunk('again')]);
});

it('asks the one that is being opened about an id that is not known yet', () => {
  const router = new Router();
  const [other, opening] = [new SinkDouble(), new SinkDouble()];
  router.attach('other', other);
  router.beginOpening(opening);
  expect(router.sinkOf('new')).toBe(opening);
});

it.each<[string, (router: Router) => void, string]>([
  ['opened last', () => undefined, 'other'],
  ['used last', (router) => router.favour('one'), 'one'],
  ['left', (router) => router.detach('other'), 'one'],
])('takes what names no session for the one %s', (_, act, expected) => {
  const router = new Router();
  for (const id of ['one', 'other']) router.attach(id, new SinkDouble());
  act(router);
  expect(router.current).toBe(expected);
});

describe('a session that nobody here opened', () => {
  function aRouter() {
    const router = new Router();
    const parent = new SinkDouble();
    router.attach('s', parent);
    const tools = () => parent.events.flatMap((event) => (event.kind === 'tool' ? [event.patch] : []));
    return { router, parent, tools };
  }

  it('is one line of the conversation used last, with what it says below', () => {
    const { router, tools } = aRouter();
    router.route('child', aChunk('I look '));
    router.route('child', aChunk('around.'));
    router.route('child', aChunk('a prompt of its parent', 'user'));
    expect(tools()).toEqual([
      {
        toolCallId: 'helper child',
        title: 'a helper of the agent',
        toolKind: 'think',
        status: 'done',
        content: [{ kind: 'text', text: 'I look ' }],
      },
      { toolCallId: 'helper child', content: [{ kind: 'text', text: 'I look around.' }] },
    ]);
  });

  it('keeps only the end of what it says when that is long', () => {
    const { router, tools } = aRouter();
    for (let count = 0; count < 100; count += 1) router.route('child', aChunk('x'.repeat(1_000)));
    router.route('child', aChunk('end'));
    const [content] = tools().at(-1)?.content ?? [];
    expect(content?.kind === 'text' && content.text.length).toBe(16_000);
    expect(content?.kind === 'text' && content.text.endsWith('end')).toBe(true);
  });

  it('shows its tool calls apart from those of others', () => {
    const { router, tools } = aRouter();
    router.route('child', aToolCall({ title: 'ls' }));
    expect(tools()).toEqual([aToolPatch({ toolCallId: 'child/call-1', title: 'ls' })]);
  });

  it('changes neither mode nor figures of the conversation', () => {
    const { router, parent } = aRouter();
    router.route('child', { kind: 'mode', mode: 'plan' });
    router.route('child', { kind: 'usage', usage: { used: 1, size: 2, cost: undefined } });
    expect(parent.events).toEqual([]);
  });

  it('asks through the conversation it belongs to', async () => {
    const { router, parent } = aRouter();
    await router.sinkOf('child')?.ask(aPermission());
    expect(parent.asked.map(({ tool }) => tool.toolCallId)).toEqual(['child/call-1']);
  });

  it('sends to pages and asks with forms through it too', async () => {
    const { router, parent } = aRouter();
    const child = router.sinkOf('child');
    await child?.elicit(aPageRequest(undefined, { toolCallId: 'call-1' }));
    await child?.elicit(aFormRequest());
    child?.report({ kind: 'page_done', pageId: 'page-1' });
    expect(parent.elicited.map(({ toolCallId }) => toolCallId)).toEqual(['child/call-1', undefined]);
    expect(parent.events).toEqual([{ kind: 'page_done', pageId: 'page-1' }]);
  });

  it('belongs to the one that names it', () => {
    const { router, tools } = aRouter();
    const other = new SinkDouble();
    router.attach('other', other);
    router.adopt('child', 's')?.describe({ title: 'Explorer', state: 'running' });
    router.route('child', aChunk('found'));
    expect(other.events).toEqual([]);
    expect(tools()[0]).toMatchObject({ title: 'Explorer', status: 'running' });
  });

  it('goes with its parent', () => {
    const { router, parent } = aRouter();
    router.route('child', aChunk('hello'));
    router.detach('s');
    router.route('child', aChunk('late'));
    expect(parent.events).toHaveLength(1);
  });

  it('is waited for while another is being opened, and then known for what it is', () => {
    const { router, parent } = aRouter();
    const opening = new SinkDouble();
    router.beginOpening(opening);
    router.route('new', aChunk('early'));
    router.route('child', aChunk('mine'));
    router.attach('new', opening);
    expect(opening.events).toEqual([aChunk('early')]);
    router.settleOpening(opening);
    expect(parent.events).toEqual([]);
    expect(opening.events.at(-1)).toMatchObject({ kind: 'tool' });
  });
});

it('asks the one that is being opened when there is no session yet', () => {
  const router = new Router();
  const opening = new SinkDouble();
  router.beginOpening(opening);
  router.settleOpening(opening);
  expect(router.sinkOf(undefined)).toBe(opening);
});

it('knows whose session one is: its own, that of its parent, or that of the last who had to do with the agent', () => {
  const router = new Router();
  const [one, other] = [new SinkDouble(), new SinkDouble()];
  router.attach('one', one);
  router.adopt('child', 'one');
  router.attach('other', other);
  const owners = ['one', 'child', 'other', 'nobody', undefined].map((id) => router.ownerOf(id));
  expect(owners).toEqual([one, one, other, other, other]);
  expect(owners[0]).toBe(one);
  expect(owners[1]).toBe(one);
});
