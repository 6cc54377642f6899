import { describe, expect } from 'vitest';
import { textPrompt } from '../../../src/model/prompt.ts';
import { it } from '../../support/agents/agent-harness.ts';
import { call, done, permission, speech, update } from '../../support/agents/messages.ts';
import { playSteps, turn } from '../../support/agents/session-scenario.ts';

describe.concurrent('framing', () => {
  it('behaviour 1: never reads stderr as messages', async ({ harness }) => {
    const disguised = JSON.stringify({ jsonrpc: '2.0', ...speech('not meant for you') });
    const pretty = JSON.stringify({ loaded: ['a', 'b'], in: { ms: 5 } }, undefined, 2);
    const noise = `== banner ==\n${pretty}\n${disguised}\n`;
    const scenario = playSteps(harness, { stderr: noise }, turn(speech('Hello.')));
    await scenario.promptAndWait();
    expect(scenario.chat).toEqual(['You', 'go', '', 'Tester', 'Hello.']);
    expect(harness.log.lines.join('\n')).toContain('== banner ==');
  });

  it('behaviour 2: answers with the id of the request, even if it is 0 or a string', async ({ harness }) => {
    const ids = [0, 'f1d2c3b4-0000-4000-8000-5a6b7c8d9e0f'];
    const scenario = playSteps(
      harness,
      { expect: 'session/prompt', say: ids.map((id) => permission(id, { toolCallId: `c-${id}` })) },
      { expect: 'answer' },
      { expect: 'answer', say: [speech('Both came.')] },
    );
    scenario.session.send(textPrompt('go'));
    await scenario.choose('y');
    await scenario.choose('n');
    await scenario.shows('Both came.');
    expect(scenario.answers.map(({ id }) => id)).toEqual(ids);
  });

  it('behaviour 3: answers unknown requests immediately, and the turn continues', async ({ harness }) => {
    const scenario = playSteps(
      harness,
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
    scenario.session.send(textPrompt('go'));
    await scenario.shows('So I go on.');
    expect(scenario.answers).toMatchObject([
      { id: 1, error: { code: -32601 } },
      { id: 2, error: { code: -32601 } },
    ]);
  });

  it('behaviour 4: ignores unknown notifications', async ({ harness }) => {
    const scenario = playSteps(
      harness,
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
    await scenario.promptAndWait();
    expect(scenario.chat.slice(-1)).toEqual(['Hello.']);
    expect(scenario.answers).toEqual([]);
  });

  it('behaviour 4: closes a question that the agent cancels', async ({ harness }) => {
    const scenario = playSteps(
      harness,
      {
        expect: 'session/prompt',
        say: [call('c1', { title: 'Send the letter' }), permission(7, { toolCallId: 'c1' })],
      },
      { expect: 'session/cancel', say: [{ method: '$/cancel_request', params: { requestId: 7 } }] },
      { expect: 'answer', say: [update('session_info_update', { title: 'answered' })] },
    );
    scenario.session.send(textPrompt('go'));
    await scenario.question();
    scenario.session.cancel();
    await scenario.until(() => scenario.session.state.title === 'answered', 'answer');
    expect(scenario.session.state.questions).toEqual([]);
    expect(scenario.answers).toEqual([
      { jsonrpc: '2.0', id: 7, result: { outcome: { outcome: 'cancelled' } } },
    ]);
  });

  it('behaviour 4: closes a question that the agent cancels without a cancelled turn', async ({
    harness,
  }) => {
    const scenario = playSteps(harness, {
      expect: 'session/prompt',
      say: [
        permission('q', { toolCallId: 'c1', title: 'Send the letter' }),
        { method: '$/cancel_request', params: { requestId: 'q' } },
      ],
      reply: done,
    });
    await scenario.promptAndWait();
    expect(scenario.chat.join('\n')).toContain('asked: Send the letter  withdrawn');
    expect(scenario.session.state.questions).toEqual([]);
  });
});
