import { expect, it } from 'vitest';
import { isRecord } from '../../../../src/base/record.ts';
import { holdersIn, known, mutationOf, value, words } from '../../../support/dialects/arbitrary.ts';
import { results } from '../../../support/dialects/canonical-messages.ts';
import {
  DialectHarness,
  notification,
  request,
  update,
  type Wire,
} from '../../../support/dialects/dialect-harness.ts';
import { shortOrLong } from '../../../support/long.ts';
import { fc } from '../../../support/property.ts';

const numRuns = Number(process.env.ACP_FUZZ_RUNS ?? shortOrLong(1_500, 15_000));

const mutated = mutationOf(...known);

/** A connection with one pending request of every method, whose id is the method. */
function waiting(): DialectHarness {
  const talk = new DialectHarness();
  for (const [method] of results) talk.dialects.outbound(request(method, method, { sessionId: 's1' }));
  return talk;
}

const message = fc.oneof(value, mutated, fc.array(mutated, { maxLength: 3 }));
const idsIn = (messages: unknown) => [messages].flat().map((one) => (isRecord(one) ? one.id : undefined));
const isRequest = (one: unknown) => isRecord(one) && typeof one.method === 'string' && one.id !== undefined;
const requestsIn = (messages: unknown) => idsIn([messages].flat().filter(isRequest));

it('Dialects accepts any message, does not modify it, and loses no request and no id', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 4 }), (messages) => {
      const talk = waiting();
      for (const one of messages) {
        const heard = talk.receive(one);
        const ids = [...idsIn(one), undefined];
        expect(idsIn(heard).filter((id) => !ids.includes(id))).toEqual([]);
        expect(requestsIn(heard)).toEqual(requestsIn(one));
      }
      expect(talk.rules.filter((rule) => rule.startsWith('failed'))).toEqual([]);
    }),
    { numRuns },
  );
});

const option = fc.oneof(
  value,
  fc.record(
    {
      id: fc.oneof(fc.constantFrom(...words), value),
      optionId: fc.oneof(fc.constantFrom(...words), value),
      label: fc.oneof(fc.constantFrom(...words, 'Deny', 'Do not allow'), value),
      name: fc.string(),
      kind: fc.oneof(fc.constantFrom(...words, 'reject_once', 'reject_always', 'allow_always'), value),
    },
    { requiredKeys: [] },
  ),
);
const question = fc.record(
  {
    options: fc.array(option, { maxLength: 4 }),
    title: value,
    message: value,
    description: value,
    tool: value,
    id: value,
    toolCall: value,
  },
  { requiredKeys: ['options'] },
);

const consents: Readonly<Record<string, readonly unknown[]>> = {
  allow_once: ['allow_once', 'allow', 'once'],
  allow_always: ['allow_always', 'always', 'always_allow'],
};
const refusals: readonly unknown[] = [
  'reject_once',
  'reject_always',
  'reject',
  'deny',
  'deny_once',
  'deny_always',
  'no',
];
const spoken = (word: unknown) =>
  typeof word === 'string'
    ? word
        .trim()
        .toLowerCase()
        .replace(/[\s-]+/g, '_')
    : '';
const wordsOf = ({ kind, id, optionId, label, name, option_id }: Wire): readonly unknown[] =>
  kind === undefined || kind === null ? [id, optionId, option_id, label, name].map(spoken) : [kind];

it('Dialects makes an option allow something only if its own text says so', () => {
  fc.assert(
    fc.property(question, (params) => {
      const [heard] = new DialectHarness().receive(request(7, 'session/request_permission', params)) as [
        { params: Wire },
      ];
      const options = heard.params.options as readonly unknown[];
      const consenting = options.filter(
        (one, index) =>
          isRecord(one) &&
          String(one.kind).startsWith('allow') &&
          !wordsOf(params.options[index] as Wire).some((word) => consents[String(one.kind)]?.includes(word)),
      );
      expect(consenting).toEqual([]);
    }),
    { numRuns },
  );
});

it('Dialects answers only with an explicit rejection for a user who did not choose', () => {
  fc.assert(
    fc.property(question, (params) => {
      const talk = new DialectHarness();
      talk.receive(request(7, 'session/request_permission', params));
      const reply = talk.respond(7, { outcome: { outcome: 'cancelled' } }) as { id: unknown; result?: Wire };
      const { optionId, selectedOptionId, outcome } = reply.result ?? {};
      const chosen = optionId ?? selectedOptionId;
      expect(reply.id).toBe(7);
      if (outcome !== undefined) expect(outcome).toEqual({ outcome: 'cancelled' });
      if (chosen === undefined) return;
      const offered = params.options.filter(isRecord);
      const meant = offered.filter((one) => (one.optionId ?? one.option_id ?? one.id) === chosen);
      expect(meant.every((one) => wordsOf(one).some((word) => refusals.includes(word)))).toBe(true);
    }),
    { numRuns },
  );
});

const endings = ['completed', 'success', 'succeeded', 'done', 'complete', 'ok'];
const unknownStatus = fc
  .oneof(fc.string(), fc.constantFrom<unknown>(...words, 'Completed', null, 1, true, ['done']))
  .filter((word) => !endings.includes(word as string));

it('Dialects never turns another status into completed', () => {
  fc.assert(
    fc.property(unknownStatus, (status) => {
      const toolCall = { toolCallId: 't', id: 't', title: 'x', name: 'x', status };
      const entries = [{ content: 'x', title: 'x', status }];
      const heard = [
        update({ sessionUpdate: 'tool_call', ...toolCall }),
        update({ type: 'tool_call_update', ...toolCall }),
        update({ tool_call: toolCall }),
        update({ sessionUpdate: 'plan', entries }),
        notification('session/update', { toolCall, plan: { steps: entries } }),
        notification('session/update', { type: 'tool_call', content: { toolCall } }),
        request(7, 'session/request_permission', { toolCall, options: [] }),
      ].flatMap((one) => new DialectHarness().receive(one));
      const statuses = heard.flatMap((one) => [...holdersIn(one)]).filter((one) => 'status' in one);
      expect(statuses).toHaveLength(8);
      expect(statuses.map((one) => (one as Wire).status)).not.toContain('completed');
    }),
    { numRuns },
  );
});
