import { describe, expect, it } from 'vitest';
import { promptState } from '../../../../src/app/prompt/prompt-state.ts';
import type { SessionEvent } from '../../../../src/model/session-events.ts';
import { aSession, isReady } from '../../../support/builders.ts';

const started: SessionEvent = { kind: 'turn_started', text: 'go' };
const suggested: SessionEvent = { kind: 'suggestions', suggestions: ['run\n  the\ttests', 'commit'] };
const agent = { name: 'tester', title: 'Tester', capabilities: { steering: true } };
const canSteer: SessionEvent = { kind: 'agent_ready', agent };

describe('what the prompt shows', () => {
  it.each<[string, SessionEvent[], object]>([
    ['an idle agent', [isReady], { isRunning: false, canSteer: false, queued: [], isPaused: false }],
    ['a running turn', [isReady, started], { isRunning: true, canSteer: false }],
    ['a turn that takes prompts', [canSteer, started], { isRunning: true, canSteer: true }],
    [
      'a turn that is being stopped',
      [canSteer, started, { kind: 'cancel_requested' }],
      { isRunning: true, canSteer: false },
    ],
    [
      'queued prompts',
      [
        isReady,
        started,
        { kind: 'prompt_queued', id: '1', text: 'a' },
        { kind: 'prompt_queued', id: '2', text: 'a', isHeld: true },
      ],
      { queued: ['1', '2'].map((id) => ({ id, text: 'a', item: '- a' })), isPaused: true },
    ],
    [
      'a prompt that is offered to the turn',
      [canSteer, started, { kind: 'prompt_queued', text: 'a', isOffered: true }],
      { queued: [] },
    ],
    ['a suggestion, in one line', [isReady, suggested], { suggestion: 'run the tests' }],
  ])('of %s', (_, events, expected) => expect(promptState(aSession(...events))).toMatchObject(expected));

  it.each<[string, SessionEvent[]]>([
    ['a turn runs', [isReady, suggested, started]],
    ['a turn has ended since', [isReady, suggested, started, { kind: 'turn_ended', stopReason: 'end_turn' }]],
    ['the agent withdraws it', [isReady, suggested, { kind: 'suggestions', suggestions: [] }]],
    ['a prompt is queued', [isReady, suggested, { kind: 'prompt_queued', text: 'a' }]],
    ['it is blank', [isReady, { kind: 'suggestions', suggestions: [' \n '] }]],
    ['it is very long', [isReady, { kind: 'suggestions', suggestions: ['x'.repeat(501)] }]],
  ])('is no suggestion when %s', (_, events) =>
    expect(promptState(aSession(...events))).not.toHaveProperty('suggestion'),
  );
});
