import { describe, expect, it } from 'vitest';
import { AcpError } from '../../../src/base/errors.ts';
import { textPrompt } from '../../../src/model/prompt.ts';
import { aChunk } from '../../support/builders.ts';
import { settle } from '../../support/doubles/deferred.ts';
import { aSession, exited, notices, prompts, type SessionParts } from '../../support/session-parts.ts';

/** A session whose agent takes prompts into the running turn. */
async function aSteerableTurn(steering = true): Promise<SessionParts> {
  const parts = aSession();
  parts.session.start();
  await parts.launcher.last.becomeReady('Tester', { steering });
  parts.session.send(textPrompt('go'));
  return parts;
}

const outline = ({ session }: SessionParts) =>
  session.state.entries.flatMap((entry) =>
    entry.kind === 'message' ? [`${entry.role}: ${entry.text}`] : [],
  );

describe('a prompt for the running turn', () => {
  it('stands where the agent has taken it', async () => {
    const parts = await aSteerableTurn();
    parts.session.report(aChunk('one '));
    parts.session.steer(textPrompt('left'));
    expect(parts.session.state.queue).toMatchObject([{ text: 'left', isOffered: true }]);
    parts.launcher.last.offers[0]?.resolve('injected');
    await settle();
    parts.session.report(aChunk('two'));
    expect(outline(parts)).toEqual(['user: go', 'agent: one ', 'user: left', 'agent: two']);
    expect(parts.session.state.queue).toEqual([]);
    expect(parts.session.state.entries[2]).toMatchObject({ isInjected: true });
    expect(prompts(parts)).toEqual(['prompt s1 go']);
  });

  it('is sent as the next prompt if the turn has ended', async () => {
    const parts = await aSteerableTurn();
    parts.session.steer(textPrompt('left'));
    parts.launcher.last.turns[0]?.resolve('end_turn');
    await settle();
    expect(prompts(parts), 'not before the agent has answered').toEqual(['prompt s1 go']);
    parts.launcher.last.offers[0]?.resolve('prompt_required');
    await settle();
    expect(prompts(parts)).toEqual(['prompt s1 go', 'prompt s1 left']);
    expect(notices(parts)).not.toContainEqual(expect.stringContaining('left'));
  });

  it('that is refused is queued, and a notice names it', async () => {
    const parts = await aSteerableTurn();
    parts.session.steer(textPrompt('left'));
    parts.launcher.last.offers[0]?.reject(new AcpError('agent_error', 'tester reports an error: no.'));
    await settle();
    expect(notices(parts)).toEqual([
      '"left" was not sent into the running turn and is queued: tester reports an error: no.',
    ]);
    expect(parts.session.state.queue).toEqual([textPrompt('left')]);
    parts.launcher.last.turns[0]?.resolve('end_turn');
    await settle();
    expect(prompts(parts)).toEqual(['prompt s1 go', 'prompt s1 left']);
  });

  it('is held when the agent dies', async () => {
    const parts = await aSteerableTurn();
    parts.session.report(aChunk('one'));
    parts.session.steer(textPrompt('left'));
    await parts.launcher.last.die(exited);
    expect(parts.session.state).toMatchObject({ phase: 'down', queue: [{ text: 'left', isHeld: true }] });
    expect(parts.session.state.queue[0]).not.toHaveProperty('isOffered');
    expect(notices(parts)).toContainEqual(expect.stringContaining('"left" was not sent'));
  });

  it('is held when the agent does not answer, because it may have taken it', async () => {
    const parts = await aSteerableTurn();
    parts.session.steer(textPrompt('left'));
    parts.clock.advance(10_000);
    expect(parts.session.state.queue).toEqual([{ ...textPrompt('left'), isHeld: true }]);
    expect(notices(parts)).toEqual([
      '"left" was not sent into the running turn and is queued: Tester has not answered',
    ]);
    parts.launcher.last.offers[0]?.resolve('injected');
    await settle();
    expect(parts.session.state.queue, 'a late answer').toEqual([]);
    expect(outline(parts)).toEqual(['user: go', 'user: left']);
  });

  it('is queued with a notice if the agent does not offer it', async () => {
    const parts = await aSteerableTurn(false);
    parts.session.steer(textPrompt('left'));
    expect(parts.launcher.last.offers).toEqual([]);
    expect(parts.session.state.queue).toEqual([textPrompt('left')]);
    expect(notices(parts)).toEqual([
      '"left" was not sent into the running turn and is queued: Tester takes no prompts during a turn.',
    ]);
  });

  it('is an ordinary prompt when no turn runs', async () => {
    const parts = await aSteerableTurn();
    parts.launcher.last.turns[0]?.resolve('end_turn');
    await settle();
    parts.session.steer(textPrompt('left'));
    expect(prompts(parts)).toEqual(['prompt s1 go', 'prompt s1 left']);
    expect(parts.launcher.last.offers).toEqual([]);
  });

  it('is returned with the prompt of a turn that fails without an answer', async () => {
    const parts = await aSteerableTurn();
    parts.session.steer(textPrompt('left'));
    parts.launcher.last.offers[0]?.resolve('injected');
    await settle();
    parts.launcher.last.turns[0]?.reject(new AcpError('agent_error', 'quota'));
    await settle();
    expect(parts.returned).toEqual(['go\n\nleft']);
  });

  it('does not make the prompt of the turn come back that was answered', async () => {
    const parts = await aSteerableTurn();
    parts.session.report(aChunk('half an'));
    parts.session.steer(textPrompt('left'));
    parts.launcher.last.offers[0]?.resolve('injected');
    await settle();
    parts.launcher.last.turns[0]?.reject(new AcpError('agent_error', 'quota'));
    await settle();
    expect(parts.returned).toEqual([]);
  });
});

describe('a queued prompt that is sent now', () => {
  it('stops the turn and follows it, before the others', async () => {
    const parts = await aSteerableTurn();
    for (const text of ['second', 'third']) parts.session.send(textPrompt(text));
    expect(parts.session.sendNow('third')).toBe(true);
    expect(parts.launcher.last.calls).toContain('cancel s1');
    expect(prompts(parts), 'not before the turn has ended').toEqual(['prompt s1 go']);
    parts.launcher.last.turns[0]?.resolve('cancelled');
    await settle();
    parts.launcher.last.turns[1]?.resolve('end_turn');
    await settle();
    expect(prompts(parts)).toEqual(['go', 'third', 'second'].map((text) => `prompt s1 ${text}`));
  });

  it('leaves the others held in a paused queue', async () => {
    const parts = await aSteerableTurn();
    for (const text of ['second', 'third']) parts.session.send(textPrompt(text));
    parts.session.cancel();
    parts.launcher.last.turns[0]?.resolve('cancelled');
    await settle();
    parts.session.sendNow('third');
    parts.launcher.last.turns[1]?.resolve('end_turn');
    await settle();
    expect(prompts(parts)).toEqual(['prompt s1 go', 'prompt s1 third']);
    expect(parts.session.state.queue).toEqual([{ ...textPrompt('second'), isHeld: true }]);
  });

  it('is not there any more', async () => {
    const parts = await aSteerableTurn();
    expect(parts.session.sendNow('go')).toBe(false);
    expect(parts.launcher.last.calls).not.toContain('cancel s1');
  });
});
