import { describe, expect } from 'vitest';
import { it } from '../../support/agent-it.ts';
import { call, done, permission, speech, stage, turn, update } from '../../support/stage.ts';

describe.concurrent('framing', () => {
  it('manner 1: never reads what an agent writes to stderr as a message', async ({ workshop }) => {
    const disguised = JSON.stringify({ jsonrpc: '2.0', ...speech('not meant for you') });
    const pretty = JSON.stringify({ loaded: ['a', 'b'], in: { ms: 5 } }, undefined, 2);
    const noise = `== banner ==\n${pretty}\n${disguised}\n`;
    const played = stage(workshop, { stderr: noise }, turn(speech('Hello.')));
    await played.prompt();
    expect(played.lines()).toEqual(['You', 'go', '', 'Scripted', 'Hello.']);
    expect(workshop.log.lines.join('\n')).toContain('== banner ==');
  });

  it('manner 2: answers under the very id it was asked with, 0 and a text included', async ({ workshop }) => {
    const ids = [0, 'f1d2c3b4-0000-4000-8000-5a6b7c8d9e0f'];
    const played = stage(
      workshop,
      { expect: 'session/prompt', say: ids.map((id) => permission(id, { toolCallId: `c-${id}` })) },
      { expect: 'answer' },
      { expect: 'answer', say: [speech('Both came.')] },
    );
    played.session.send('go');
    await played.answer('y');
    await played.answer('n');
    await played.shows('Both came.');
    expect(played.answers.map(({ id }) => id)).toEqual(ids);
  });

  it('manner 3: answers requests outside of the protocol at once, and the turn goes on', async ({
    workshop,
  }) => {
    const played = stage(
      workshop,
      {
        expect: 'session/prompt',
        say: [
          { id: 1, method: 'vendor/drainQueue', params: { sessionId: 's1' } },
          { id: 2, method: '_vendor/start_turn', params: {} },
        ],
      },
      { expect: 'answer' },
      { expect: 'answer', say: [speech('So I go on.')] },
    );
    played.session.send('go');
    await played.shows('So I go on.');
    expect(played.answers).toMatchObject([
      { id: 1, error: { code: -32601 } },
      { id: 2, error: { code: -32601 } },
    ]);
  });

  it('manner 4: passes over notifications it does not know', async ({ workshop }) => {
    const played = stage(
      workshop,
      {
        expect: 'initialize',
        reply: { protocolVersion: 1 },
        after: [{ method: '_auth/status_update', params: { state: 'unknown' } }],
      },
      turn(
        { method: 'vendor/notify/session/mode-update', params: { sessionId: 's1', mode: 'x' } },
        { method: '_vendor/end_turn', params: { sessionId: 's1' } },
        speech('Hello.'),
      ),
    );
    await played.prompt();
    expect(played.lines().slice(-1)).toEqual(['Hello.']);
    expect(played.answers).toEqual([]);
  });

  it('manner 4: closes the question that an agent takes back', async ({ workshop }) => {
    const played = stage(
      workshop,
      {
        expect: 'session/prompt',
        say: [call('c1', { title: 'Send the letter' }), permission(7, { toolCallId: 'c1' })],
      },
      { expect: 'session/cancel', say: [{ method: '$/cancel_request', params: { requestId: 7 } }] },
      { expect: 'answer', say: [update('session_info_update', { title: 'answered' })] },
    );
    played.session.send('go');
    await played.question();
    played.session.cancel();
    await played.until(() => played.session.state.title === 'answered', 'answer');
    expect(played.session.state.questions).toEqual([]);
    expect(played.answers).toEqual([
      { jsonrpc: '2.0', id: 7, result: { outcome: { outcome: 'cancelled' } } },
    ]);
  });

  it('manner 4: closes it also when nobody has cancelled anything', async ({ workshop }) => {
    const played = stage(workshop, {
      expect: 'session/prompt',
      say: [
        permission('q', { toolCallId: 'c1', title: 'Send the letter' }),
        { method: '$/cancel_request', params: { requestId: 'q' } },
      ],
      reply: done,
    });
    await played.prompt();
    expect(played.lines().join('\n')).toContain('asked  taken back');
    expect(played.session.state.questions).toEqual([]);
  });
});
