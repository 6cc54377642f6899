import { describe, expect, it } from 'vitest';
import { decodeCapabilities } from '../../../../src/acp/decode/capabilities.ts';
import { decodeSteering, steeringParams } from '../../../../src/acp/extensions/steering.ts';

describe('a prompt for the running turn', () => {
  it.each<[unknown, string]>([
    [{ outcome: 'injected' }, 'injected'],
    [{ outcome: 'startedNewTurn' }, 'injected'],
    [{ outcome: 'promptRequired', reason: 'noRunningTurn' }, 'prompt_required'],
  ])('is answered with %j', (answer, outcome) => expect(decodeSteering('tester', answer)).toBe(outcome));

  it.each([[{}], [null], [{ outcome: 'toString' }], [{ outcome: 1 }], ['injected']])(
    'is not taken when the answer is %j',
    (answer) => expect(() => decodeSteering('tester', answer)).toThrow('tester did not say'),
  );

  it('is not made a turn of its own by an agent that is idle', () => {
    const prompt = [{ type: 'text', text: 'go' }];
    expect(steeringParams('s1', prompt)).toEqual({
      sessionId: 's1',
      prompt,
      _meta: { steering: { idleBehavior: 'promptRequired' } },
    });
  });

  it.each<[unknown, boolean]>([
    [{ steering: { supported: true } }, true],
    [{ steering: { supported: 'yes' } }, false],
    [{ steering: true }, false],
    [undefined, false],
  ])('is offered by the _meta %j: %s', (meta, steering) =>
    expect(decodeCapabilities({}, meta)).toMatchObject({ steering }),
  );
});
