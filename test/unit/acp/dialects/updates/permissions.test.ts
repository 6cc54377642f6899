import { describe, expect, it } from 'vitest';
import { decodePermissionTool } from '../../../../../src/acp/decode/update.ts';
import {
  answer,
  DialectHarness,
  refusal,
  request,
  update,
  type Wire,
  wrapped,
} from '../../../../support/dialects/dialect-harness.ts';
import { violationsOfCall } from '../../../../support/schema.ts';

interface Row {
  readonly rule: string;
  readonly wire: Wire;
  readonly toolCall: Wire;
  readonly options: readonly Wire[];
  /** The chosen option, and the result that the agent receives. */
  readonly chosen: readonly [optionId: string, reply: Wire];
  /** The result that the agent receives when no option was chosen. */
  readonly cancelled: Wire;
}

const option = (optionId: string, name: string, kind: string) => ({ optionId, name, kind });
const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });
const cancelled = { outcome: { outcome: 'cancelled' } };
const cancelledError = refusal(7, -32800, 'Request cancelled');
const ask = (params: Wire) => request(7, 'session/request_permission', params);

const rows: readonly Row[] = [
  {
    rule: 'A: permissionId without options',
    wire: { permissionId: 'p1', title: 'Edit a', kind: 'edit', content: [{ type: 'text', text: 'why' }] },
    toolCall: { toolCallId: 'p1', title: 'Edit a', kind: 'edit', content: [wrapped('why')] },
    options: [
      option('once', 'Allow once', 'allow_once'),
      option('always', 'Always allow', 'allow_always'),
      option('reject', 'Reject', 'reject_once'),
    ],
    chosen: ['always', answer(7, { decision: 'always' })],
    cancelled: answer(7, { decision: 'reject', cancelled: true }),
  },
  {
    rule: 'A: permissionId without options',
    wire: { permissionId: 'p1', toolCallId: 't1', title: 'Run', kind: 'execute' },
    toolCall: { toolCallId: 't1', title: 'Run', kind: 'execute' },
    options: [
      option('once', 'Allow once', 'allow_once'),
      option('always', 'Always allow', 'allow_always'),
      option('reject', 'Reject', 'reject_once'),
    ],
    chosen: ['reject', answer(7, { decision: 'reject' })],
    cancelled: answer(7, { decision: 'reject', cancelled: true }),
  },
  {
    rule: 'B: title, description and label',
    wire: {
      title: 'Delete old logs?',
      description: 'Older than 30 days',
      options: [
        { optionId: 'yes', kind: 'allow_once', label: 'Allow once' },
        { optionId: 'no', kind: 'reject_once', label: 'Cancel' },
      ],
    },
    toolCall: { toolCallId: 'perm-7', title: 'Delete old logs?', content: [wrapped('Older than 30 days')] },
    options: [option('yes', 'Allow once', 'allow_once'), option('no', 'Cancel', 'reject_once')],
    chosen: ['yes', answer(7, { selectedOptionId: 'yes' })],
    cancelled: answer(7, { selectedOptionId: 'no' }),
  },
  {
    rule: 'B: title, description and label',
    wire: { title: 'Go?', options: [{ optionId: 'yes', kind: 'allow_once', label: 'Go' }] },
    toolCall: { toolCallId: 'perm-7', title: 'Go?' },
    options: [option('yes', 'Go', 'allow_once')],
    chosen: ['yes', answer(7, { selectedOptionId: 'yes' })],
    cancelled: cancelledError,
  },
  {
    rule: 'D: message and label',
    wire: {
      message: 'Allow reading /etc/passwd?',
      options: [
        { optionId: 'opt_1', kind: 'allow', label: 'Allow' },
        { optionId: 'opt_2', kind: 'allow_always', label: 'Always allow' },
        { optionId: 'opt_3', kind: 'deny', label: 'Deny' },
        { optionId: 'opt_4', kind: 'deny_always', label: 'Never' },
      ],
    },
    toolCall: { toolCallId: 'perm-7', title: 'Allow reading /etc/passwd?' },
    options: [
      option('opt_1', 'Allow', 'allow_once'),
      option('opt_2', 'Always allow', 'allow_always'),
      option('opt_3', 'Deny', 'reject_once'),
      option('opt_4', 'Never', 'reject_always'),
    ],
    chosen: ['opt_2', answer(7, selected('opt_2'))],
    cancelled: answer(7, cancelled),
  },
  {
    rule: 'E: options with id',
    wire: {
      id: 'perm_123',
      tool: 'bash',
      description: 'Execute: npm install express',
      options: [
        { id: 'once', label: 'Allow Once' },
        { id: 'always', label: 'Always Allow' },
        { id: 'deny', label: 'Deny' },
      ],
    },
    toolCall: {
      toolCallId: 'perm_123',
      title: 'Execute: npm install express',
      name: 'bash',
      kind: 'execute',
    },
    options: [
      option('once', 'Allow Once', 'allow_once'),
      option('always', 'Always Allow', 'allow_always'),
      option('deny', 'Deny', 'reject_once'),
    ],
    chosen: ['once', answer(7, { optionId: 'once' })],
    cancelled: answer(7, { optionId: 'deny' }),
  },
  {
    rule: 'E: options with id',
    wire: { id: 'p', tool: 'write', description: 'Write', options: [{ id: 'allow', label: 'Fine' }] },
    toolCall: { toolCallId: 'p', title: 'Write', name: 'write', kind: 'edit' },
    options: [option('allow', 'Fine', 'allow_once')],
    chosen: ['allow', answer(7, { optionId: 'allow' })],
    cancelled: cancelledError,
  },
  {
    rule: 'any: permission without toolCall',
    wire: { options: [{ optionId: 'x', kind: 'allow_once', label: 'Go' }] },
    toolCall: { toolCallId: 'perm-7' },
    options: [option('x', 'Go', 'allow_once')],
    chosen: ['x', answer(7, selected('x'))],
    cancelled: answer(7, cancelled),
  },
];

describe.each(rows)('permission request $rule: $wire.title$wire.message$wire.description', (row) => {
  const asking = () => {
    const talk = new DialectHarness();
    return { talk, heard: talk.receive(ask({ sessionId: 's1', ...row.wire })) };
  };

  it('becomes a canonical request', () => {
    const { talk, heard } = asking();
    const isNamed = 'toolCallId' in row.wire;
    const toolCall = isNamed ? row.toolCall : { ...row.toolCall, _meta: { 'acp.nvim/asked': true } };
    const params = { sessionId: 's1', toolCall, options: row.options };
    expect(heard).toEqual([ask(params)]);
    expect(talk.rules).toContain(row.rule);
    expect(violationsOfCall('session/request_permission', params)).toEqual([]);
  });

  it('is marked as only asked about unless it has a toolCallId', () => {
    const [request] = asking().heard as readonly { params: { toolCall: unknown } }[];
    const isAskedOnly = decodePermissionTool(request!.params.toolCall)?.isAskedOnly ?? false;
    expect(isAskedOnly).toBe(!('toolCallId' in row.wire));
  });

  it('is answered in its own shape', () => {
    const [optionId, reply] = row.chosen;
    expect(asking().talk.respond(7, selected(optionId))).toEqual(reply);
  });

  it('is rejected in its own shape', () => {
    expect(asking().talk.respond(7, cancelled)).toEqual(row.cancelled);
  });

  it('is answered once, and an error is not changed', () => {
    const { talk } = asking();
    const error = refusal(7, -32603);
    expect(talk.dialects.outbound(error)).toBe(error);
    const late = answer(7, selected('x'));
    expect(talk.dialects.outbound(late)).toBe(late);
  });
});

it.each([
  ['once', 'allow_once'],
  ['allow', 'allow_once'],
  ['allow_once', 'allow_once'],
  ['Allow Once', 'allow_once'],
  ['always', 'allow_always'],
  ['allow_always', 'allow_always'],
  ['Always allow', 'allow_always'],
  ['deny', 'reject_once'],
  ['deny-once', 'reject_once'],
  ['reject', 'reject_once'],
  ['reject_once', 'reject_once'],
  ['No', 'reject_once'],
  ['reject_always', 'reject_always'],
  ['Always reject', 'reject_always'],
  ['Always deny', 'reject_always'],
  ['deny_always', 'reject_always'],
])('E: option without kind: %s', (word, kind) => {
  const options = [
    { id: word, label: 'Hm' },
    { id: '1', label: word },
  ];
  const [heard] = new DialectHarness().receive(ask({ options })) as [{ params: Wire }];
  expect(heard.params.options).toEqual([option(word, 'Hm', kind), option('1', word, kind)]);
});

it('a permission request without options and without permissionId is not changed', () => {
  const message = ask({ sessionId: 's1', title: 'Edit' });
  expect(new DialectHarness().receive(message)[0]).toBe(message);
});

describe('canonical permission requests', () => {
  const toolCall = { toolCallId: 't1', title: 'Run' };
  const yes = option('yes', 'Yes', 'allow_once');

  it('C: are answered in canonical form', () => {
    const talk = new DialectHarness();
    const message = ask({ sessionId: 's1', toolCall, options: [yes] });
    expect(talk.receive(message)[0]).toBe(message);
    const reply = answer(7, selected('yes'));
    expect(talk.dialects.outbound(reply)).toBe(reply);
  });

  it('with labels and ids beside a toolCall are answered in canonical form', () => {
    const talk = new DialectHarness();
    const heard = talk.receive(
      ask({ tool_call: { toolCallId: 't1', status: 'running' }, options: [{ id: 'allow', label: 'Yes' }] }),
    );
    const tool = { toolCallId: 't1', status: 'in_progress' };
    const options = [option('allow', 'Yes', 'allow_once')];
    expect(heard).toEqual([ask({ sessionId: 's1', toolCall: tool, options })]);
    const reply = answer(7, selected('allow'));
    expect(talk.dialects.outbound(reply)).toBe(reply);
  });

  it.each<[string, readonly Wire[]]>([
    ['of two sorts', [yes, { id: 'no', label: 'No' }]],
    ['with both ids', [{ ...yes, id: '1' }]],
    ['with names', [yes]],
  ])('with options %s are answered in canonical form, also without a toolCall', (_, options) => {
    const talk = new DialectHarness();
    talk.receive(ask({ sessionId: 's1', title: 'Run', options }));
    expect(talk.respond(7, selected('yes'))).toEqual(answer(7, selected('yes')));
  });

  it('that reuse a request id are answered in canonical form', () => {
    const talk = new DialectHarness();
    talk.receive(ask({ sessionId: 's1', permissionId: 'p1', title: 'Edit' }));
    talk.receive(ask({ sessionId: 's1', toolCall, options: [yes] }));
    expect(talk.respond(7, cancelled)).toEqual(answer(7, cancelled));
  });

  it('A: make their tool call known', () => {
    const talk = new DialectHarness();
    talk.receive(ask({ sessionId: 's1', permissionId: 'p1', toolCallId: 't1', title: 'Edit a' }));
    const params = { sessionId: 's1', toolCall: { toolCallId: 't1', status: 'completed' } };
    expect(talk.receive({ jsonrpc: '2.0', method: 'session/update', params })).toEqual([
      update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' }),
    ]);
  });
});
