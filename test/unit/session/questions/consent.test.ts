import { describe, expect, it } from 'vitest';
import type { PermissionRequest } from '../../../../src/ports/agent.ts';
import type { PolicyDecision, Verdict } from '../../../../src/ports/permissions.ts';
import type { ConsentRequest } from '../../../../src/ports/workspace.ts';
import { Consent, questionCancelled } from '../../../../src/session/questions/consent.ts';

const wish: ConsentRequest = { kind: 'edit', subject: '/etc/hosts', action: { paths: ['/etc/hosts'] } };

/** A consent whose user gives this answer. */
function aConsent(answer: string | undefined, { rule = undefined as Verdict | undefined, count = 3 } = {}) {
  const asked: PermissionRequest[] = [];
  const actions: unknown[] = [];
  const judged: unknown[] = [];
  const decisions: (PolicyDecision | undefined)[] = [];
  const reported: unknown[] = [];
  const consent = new Consent({
    cancelCount: () => count,
    report: ({ toolCallId, status }) => reported.push([toolCallId, status]),
    decide: (action) => {
      judged.push(action);
      return rule && { verdict: rule, reasons: [], isByRule: true };
    },
    ask: async (request, action, decision) => {
      asked.push(request);
      actions.push(action);
      decisions.push(decision);
      return answer;
    },
  });
  return { consent, asked, actions, judged, decisions, reported };
}

describe('the question for a consent', () => {
  const ask = async (fields: Partial<ConsentRequest>) => {
    const { consent, asked } = aConsent('allow');
    await consent.request({ ...wish, ...fields });
    return asked[0]!;
  };

  it('names the subject, its kind and nothing more', async () => {
    const { tool } = await ask({});
    expect(tool).toMatchObject({ title: '/etc/hosts', toolKind: 'edit', content: [] });
  });

  it('shows the further facts below the subject', async () => {
    const { tool } = await ask({ subject: 'make', details: ['in /etc', 'with CC=tcc'] });
    expect(tool.title).toBe('make\nin /etc\nwith CC=tcc');
  });

  it('marks the lines of a subject or fact with several, so that none looks like another fact', async () => {
    const { tool } = await ask({ subject: 'a\nin /tmp', details: ['in /etc\nb', 'c'] });
    expect(tool.title).toBe('│ a\n│ in /tmp\n│ in /etc\n│ b\nc');
  });

  it('shows the change before the reason', async () => {
    const { tool } = await ask({ reason: 'it is protected', change: { oldText: 'a', newText: 'b' } });
    expect(tool.content).toEqual([
      { kind: 'diff', path: '/etc/hosts', oldText: 'a', newText: 'b' },
      { kind: 'text', text: 'it is protected' },
    ]);
  });

  it('shows a reason without a change', async () => {
    expect((await ask({ reason: 'it is protected' })).tool.content).toEqual([
      { kind: 'text', text: 'it is protected' },
    ]);
  });

  it('offers to allow it once or to reject it', async () => {
    expect((await ask({})).options).toEqual([
      { id: 'allow', name: 'Allow once', kind: 'allow_once' },
      { id: 'reject', name: 'Reject', kind: 'reject_once' },
    ]);
  });

  it('offers "always" between the two', async () => {
    const always = { name: 'Allow all in /etc', remember: () => undefined };
    expect((await ask({ always })).options).toEqual([
      { id: 'allow', name: 'Allow once', kind: 'allow_once' },
      { id: 'always', name: 'Allow all in /etc', kind: 'allow_always' },
      { id: 'reject', name: 'Reject', kind: 'reject_once' },
    ]);
  });

  it('has an id that the agent can not guess', async () => {
    const [one, other] = [await ask({}), await ask({})];
    expect(one.tool.toolCallId).toMatch(/^consent [\da-f-]{36}$/);
    expect(other.tool.toolCallId).not.toBe(one.tool.toolCallId);
  });

  it('is withdrawn with the request of the agent', async () => {
    const { signal } = new AbortController();
    expect((await ask({ withdrawn: signal })).withdrawn).toBe(signal);
  });

  it('is never withdrawn if the agent can not cancel its request', async () => {
    expect((await ask({})).withdrawn.aborted).toBe(false);
  });
});

describe('the answer', () => {
  it.each([
    ['allow', true, 'done', 0],
    ['always', true, 'done', 1],
    ['reject', false, 'failed', 0],
    ['anything else', false, 'failed', 0],
  ])('"%s" gives %s', async (answer, isAllowed, status, times) => {
    const { consent, asked, reported } = aConsent(answer);
    let remembered = 0;
    const remember = () => {
      remembered += 1;
    };
    expect(await consent.request({ ...wish, always: { name: 'Always', remember } })).toBe(isAllowed);
    expect(reported).toEqual([[asked[0]!.tool.toolCallId, status]]);
    expect(remembered).toBe(times);
  });

  it('"always" is a consent also where it was not offered', async () => {
    expect(await aConsent('always').consent.request(wish)).toBe(true);
  });

  it('that never came ends the call as cancelled', async () => {
    const { consent, asked, reported } = aConsent(undefined);
    await expect(consent.request(wish)).rejects.toThrow(questionCancelled('/etc/hosts').message);
    expect(reported).toEqual([[asked[0]!.tool.toolCallId, 'cancelled']]);
  });
});

describe('a rule', () => {
  it.each<[Verdict, boolean]>([
    ['allow', true],
    ['deny', false],
  ])('with the verdict %s answers without a question', async (rule, isAllowed) => {
    const { consent, asked, judged } = aConsent('reject', { rule });
    expect(await consent.request(wish)).toBe(isAllowed);
    expect(asked).toEqual([]);
    expect(judged).toEqual([{ kind: 'edit', paths: ['/etc/hosts'] }]);
  });

  it('that asks leaves the decision to the user, who is asked about the same', async () => {
    const { consent, actions, decisions } = aConsent('allow', { rule: 'ask' });
    expect(await consent.request(wish)).toBe(true);
    expect(actions).toEqual([{ kind: 'edit', paths: ['/etc/hosts'] }]);
    expect(decisions).toMatchObject([{ verdict: 'ask' }]);
  });

  it('is not needed', async () => {
    const consent = new Consent({
      cancelCount: () => 0,
      report: () => undefined,
      ask: async () => 'allow',
    });
    expect(await consent.request(wish)).toBe(true);
  });
});

describe('a request that was made before the questions were cancelled', () => {
  it('is cancelled before a rule can allow it, and the user is not asked', async () => {
    const { consent, asked, judged } = aConsent('allow', { rule: 'allow', count: 3 });
    await expect(consent.request({ ...wish, since: 2 })).rejects.toMatchObject({
      code: 'cancelled',
      message: 'the question about /etc/hosts was cancelled before the user answered',
    });
    expect([...asked, ...judged]).toEqual([]);
  });

  it.each([
    ['made since then', 3],
    ['made at an unknown time', undefined],
  ])('is another than one that was %s', async (_, since) => {
    expect(await aConsent('allow', { count: 3 }).consent.request({ ...wish, since })).toBe(true);
  });
});
