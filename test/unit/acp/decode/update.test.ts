import { describe, expect, it } from 'vitest';
import { contentText } from '../../../../src/acp/decode/content.ts';
import {
  decodePermissionOptions,
  decodePermissionTool,
  decodeToolPatch,
  decodeUpdate,
} from '../../../../src/acp/decode/update.ts';
import type { AgentEvent } from '../../../../src/model/session-events.ts';
import { shortOrLong } from '../../../support/long.ts';
import { fc } from '../../../support/property.ts';

type Wire = Record<string, unknown>;

const update = (sessionUpdate: string, fields: Wire = {}) => ({ sessionUpdate, ...fields });
const text = (words: string) => ({ type: 'text', text: words });

describe('decodeUpdate decodes a message chunk', () => {
  it.each<[string, unknown, object]>([
    ['of the agent', update('agent_message_chunk', { content: text('hi') }), { role: 'agent', text: 'hi' }],
    ['of a thought', update('agent_thought_chunk', { content: text('hm') }), { role: 'thought', text: 'hm' }],
    ['of the user', update('user_message_chunk', { content: text('do') }), { role: 'user', text: 'do' }],
    [
      'with an id',
      update('agent_message_chunk', { content: text('hi'), messageId: 'm1' }),
      { messageId: 'm1' },
    ],
    ['without content', update('agent_message_chunk'), { role: 'agent', text: '' }],
    ['whose content is a string', update('agent_message_chunk', { content: 'hi' }), { text: 'hi' }],
  ])('%s', (_, wire, expected) => expect(decodeUpdate(wire)).toMatchObject({ kind: 'chunk', ...expected }));

  it.each([null, undefined, 5, {}])('without an id if messageId is %s', (messageId) => {
    const event = decodeUpdate(update('agent_message_chunk', { content: text('hi'), messageId }));
    expect(event).toEqual({ kind: 'chunk', role: 'agent', text: 'hi' });
  });
});

describe('contentText', () => {
  it.each<[string, unknown, string]>([
    ['text', text('hi'), 'hi'],
    ['image', { type: 'image', data: 'AAAA', mimeType: 'image/png' }, '[image image/png]'],
    [
      'image with a URI',
      { type: 'image', data: '', mimeType: 'image/png', uri: 'a.png' },
      '[image image/png a.png]',
    ],
    ['audio', { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }, '[audio audio/wav]'],
    ['link', { type: 'resource_link', uri: 'file:///a', name: 'a', title: 'A file' }, '[A file]'],
    ['link without a title', { type: 'resource_link', uri: 'file:///a', name: 'a' }, '[file:///a]'],
    ['embedded file', { type: 'resource', resource: { uri: 'file:///a', blob: 'AAAA' } }, '[file:///a]'],
    ['resource without content', { type: 'resource' }, '[resource]'],
    ['an unknown type', { type: 'hologram', data: 'AAAA' }, '[hologram]'],
    ['nothing', undefined, ''],
    ['an object without a type', { data: 1 }, ''],
    ['a number', 5, ''],
  ])('returns the text or a label for %s', (_, block, expected) => expect(contentText(block)).toBe(expected));
});

describe('decodeToolPatch', () => {
  it.each<[string, Wire, object]>([
    ['unknown status', { status: 'paused' }, { toolCallId: 'c' }],
    ['no status', {}, { toolCallId: 'c' }],
    ['status null', { status: null }, { toolCallId: 'c' }],
    ['a list for a status', { status: ['completed'] }, { toolCallId: 'c' }],
    ['a status that is a property of every object', { status: 'constructor' }, { toolCallId: 'c' }],
    ['pending', { status: 'pending' }, { toolCallId: 'c', status: 'pending' }],
    ['in progress', { status: 'in_progress' }, { toolCallId: 'c', status: 'running' }],
    ['completed', { status: 'completed' }, { toolCallId: 'c', status: 'done' }],
    ['failed', { status: 'failed' }, { toolCallId: 'c', status: 'failed' }],
    ['kind', { kind: 'execute' }, { toolCallId: 'c', toolKind: 'execute' }],
    ['unknown kind', { kind: 'teleport' }, { toolCallId: 'c', toolKind: 'other' }],
    ['kind null', { kind: null }, { toolCallId: 'c' }],
    ['title', { title: 'ls' }, { toolCallId: 'c', title: 'ls' }],
    ['title null', { title: null }, { toolCallId: 'c' }],
    ['empty content', { content: [] }, { toolCallId: 'c', content: [] }],
    ['content null', { content: null }, { toolCallId: 'c' }],
    ['content that is not a list', { content: 'x' }, { toolCallId: 'c' }],
    ['the name of the tool', { name: 'mcp__a__b' }, { toolCallId: 'c', toolNames: ['mcp__a__b'] }],
    [
      'names of the tool that differ',
      { name: 'a', _meta: { claudeCode: { toolName: 'b' }, toolName: 'a', tool_name: 'c' } },
      { toolCallId: 'c', toolNames: ['a', 'b', 'c'] },
    ],
    ['a name that is no text', { name: 3, _meta: { claudeCode: 1 } }, { toolCallId: 'c' }],
    ['raw input of any kind', { rawInput: [1, 'a'] }, { toolCallId: 'c', rawInput: [1, 'a'] }],
    ['raw input null', { rawInput: null, rawOutput: null }, { toolCallId: 'c' }],
    ['raw output false', { rawOutput: false }, { toolCallId: 'c', rawOutput: false }],
    ['only metadata', { _meta: { claudeCode: {} } }, { toolCallId: 'c' }],
  ])('decodes %s', (_, fields, expected) => {
    for (const name of ['tool_call', 'tool_call_update']) {
      const event = decodeUpdate(update(name, { toolCallId: 'c', ...fields }));
      expect(event).toEqual({ kind: 'tool', patch: expected });
    }
  });

  it.each<[string, unknown, unknown]>([
    ['text', { type: 'content', content: text('out') }, [{ kind: 'text', text: 'out' }]],
    ['text without a wrapper', text('out'), [{ kind: 'text', text: 'out' }]],
    [
      'a new file with oldText null',
      { type: 'diff', path: '/a', oldText: null, newText: 'x' },
      [{ kind: 'diff', path: '/a', oldText: undefined, newText: 'x' }],
    ],
    [
      'a new file without oldText',
      { type: 'diff', path: '/a', newText: 'x' },
      [{ kind: 'diff', path: '/a', oldText: undefined, newText: 'x' }],
    ],
    [
      'an empty oldText',
      { type: 'diff', path: '/a', oldText: '', newText: 'x' },
      [{ kind: 'diff', path: '/a', oldText: '', newText: 'x' }],
    ],
    ['a terminal', { type: 'terminal', terminalId: 't1' }, [{ kind: 'terminal', terminalId: 't1' }]],
    ['an unknown type', { type: 'hologram' }, [{ kind: 'other', label: 'hologram' }]],
    ['not an object', 'garbage', []],
  ])('decodes content: %s', (_, item, expected) => {
    expect(decodeToolPatch({ toolCallId: 'c', content: [item] })?.content).toEqual(expected);
  });

  it.each<[string, unknown, unknown]>([
    ['with a line', { path: '/a', line: 3 }, [{ path: '/a', line: 3 }]],
    ['line 0', { path: '/a', line: 0 }, [{ path: '/a', line: undefined }]],
    ['line null', { path: '/a', line: null }, [{ path: '/a', line: undefined }]],
    ['without a line', { path: '/a' }, [{ path: '/a', line: undefined }]],
    ['without a path', { line: 3 }, []],
    ['not an object', null, []],
  ])('decodes a location: %s', (_, item, expected) => {
    expect(decodeToolPatch({ toolCallId: 'c', locations: [item] })?.locations).toEqual(expected);
  });

  it.each([{}, { toolCallId: 5 }, { toolCallId: null }])(
    'returns an unknown event for a tool call without a valid id: %j',
    (fields) => {
      expect(decodeUpdate(update('tool_call', fields))).toMatchObject({ kind: 'unknown', name: 'tool_call' });
    },
  );
});

describe('decodeUpdate', () => {
  const item = (fields: Wire) => update('plan', { entries: [{ content: 'x', priority: 'high', ...fields }] });
  const cost = (wire: unknown) => update('usage_update', { used: 1, size: 2, cost: wire });

  it.each<[string, unknown, object]>([
    ['a plan', item({ status: 'in_progress' }), { kind: 'plan', items: [{ text: 'x', status: 'running' }] }],
    ['a finished step', item({ status: 'completed' }), { items: [{ text: 'x', status: 'done' }] }],
    ['a step of unknown status', item({ status: 'skipped' }), { items: [{ text: 'x', status: 'pending' }] }],
    [
      'a step with a list for a status',
      item({ status: ['completed'] }),
      { items: [{ text: 'x', status: 'pending' }] },
    ],
    ['a step without text', item({ content: undefined }), { kind: 'plan', items: [] }],
    ['an empty plan', update('plan', { entries: [] }), { kind: 'plan', items: [] }],
    [
      'the beginning of an endless plan',
      update('plan', { entries: Array.from({ length: 100_000 }, () => ({ content: 'x' })) }),
      {
        kind: 'plan',
        items: [
          ...Array.from({ length: 1_000 }, () => ({ text: 'x', status: 'pending' })),
          { text: '… 99000 more', status: 'pending' },
        ],
      },
    ],
    ['a plan without entries', update('plan'), { kind: 'unknown', name: 'plan' }],
    [
      'settings that can not be decoded',
      update('config_option_update', { configOptions: [{ id: 'model', type: 'wheel' }] }),
      { kind: 'unknown', name: 'config_option_update' },
    ],
    [
      'settings that are missing',
      update('config_option_update'),
      { kind: 'unknown', name: 'config_option_update' },
    ],
    [
      'commands that are missing',
      update('available_commands_update'),
      { kind: 'unknown', name: 'available_commands_update' },
    ],
    [
      'commands',
      update('available_commands_update', {
        availableCommands: [
          { name: 'web', description: 'Search', input: { hint: 'words' } },
          { name: 'help', input: null },
          { description: 'nameless' },
          'garbage',
        ],
      }),
      {
        kind: 'commands',
        commands: [
          { name: 'web', description: 'Search', hint: 'words' },
          { name: 'help', description: '', hint: undefined },
        ],
      },
    ],
    ['a mode', update('current_mode_update', { currentModeId: 'plan' }), { kind: 'mode', mode: 'plan' }],
    ['a mode without an id', update('current_mode_update'), { kind: 'unknown' }],
    [
      'a huge title, cut',
      update('session_info_update', { title: 'x'.repeat(5_000_000) }),
      { kind: 'title', title: `${'x'.repeat(999)}…` },
    ],
    ['a title', update('session_info_update', { title: 'Fix it' }), { kind: 'title', title: 'Fix it' }],
    [
      'a title that is removed',
      update('session_info_update', { title: null }),
      { kind: 'title', title: undefined },
    ],
    [
      'a placeholder title',
      update('session_info_update', { title: 'New session - 2026-01-02T03:04:05.678Z' }),
      { kind: 'nothing' },
    ],
    ['an unchanged title', update('session_info_update', { _meta: {} }), { kind: 'nothing' }],
    ['usage', cost(undefined), { kind: 'usage', usage: { used: 1, size: 2, cost: undefined } }],
    ['cost', cost({ amount: 0.5, currency: 'USD' }), { usage: { cost: { amount: 0.5, currency: 'USD' } } }],
    ['cost null', cost(null), { usage: { cost: undefined } }],
    ['cost without an amount', cost({ currency: 'USD' }), { usage: { cost: undefined } }],
    ['usage without a size', update('usage_update', { used: 1 }), { kind: 'unknown' }],
    [
      'a notice',
      update('notice', { severity: 'warning', title: 'Careful', description: 'one\ntwo' }),
      { kind: 'notice', severity: 'warning', title: 'Careful', detail: ['one', 'two'] },
    ],
    [
      'a notice of unknown severity',
      update('notice', { severity: 'doom', title: 'x' }),
      { severity: 'info' },
    ],
    ['a notice without a title', update('notice', { severity: 'error' }), { kind: 'unknown' }],
    ['an unknown update', update('hologram_update'), { kind: 'unknown', name: 'hologram_update' }],
    ['not an object', 'garbage', { kind: 'unknown', name: 'update', raw: 'garbage' }],
    ['a list', [1], { kind: 'unknown', raw: [1] }],
  ])('decodes %s', (_, wire, expected) => expect(decodeUpdate(wire)).toMatchObject(expected));

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'])(
    'returns an unknown event for a name that is a property of every object: %s',
    (name) => {
      const wire = JSON.parse(`{"sessionUpdate":"${name}"}`) as unknown;
      expect(decodeUpdate(wire)).toEqual({ kind: 'unknown', name, raw: wire });
    },
  );
});

describe('a text that is drawn as a whole is cut', () => {
  const long = 'x'.repeat(100_000);
  it.each<[string, unknown]>([
    ['the title of a call', update('tool_call', { toolCallId: 'c', title: long })],
    ['an item of a plan', update('plan', { entries: [{ content: long, status: 'pending' }] })],
    [
      'a command',
      update('available_commands_update', {
        availableCommands: [{ name: 'x', description: long, input: { hint: long } }],
      }),
    ],
  ])('%s', (_, wire) => expect(JSON.stringify(decodeUpdate(wire)).length).toBeLessThan(70_000));
});

describe('decodePermissionTool', () => {
  it.each<[string, unknown, unknown]>([
    [
      'decodes the fields that are set',
      { toolCallId: 't', title: 'ls', content: [{ type: 'content', content: { type: 'text', text: 'x' } }] },
      { toolCallId: 't', title: 'ls', content: [{ kind: 'text', text: 'x' }] },
    ],
    [
      'ignores empty fields',
      { toolCallId: 't', title: 'Approve Plan', rawInput: {}, content: [], locations: [] },
      { toolCallId: 't', title: 'Approve Plan' },
    ],
    ['returns undefined without an id', { title: 'ls' }, undefined],
    ['returns undefined for a string', 'ls', undefined],
  ])('%s', (_, wire, expected) => expect(decodePermissionTool(wire)).toEqual(expected));
});

describe('decodePermissionOptions', () => {
  it('keeps the order and the names of the agent', () => {
    const options = [
      { optionId: 'a', name: 'Always', kind: 'allow_always' },
      { optionId: 'b', name: 'Once', kind: 'allow_once' },
      { optionId: 'c', name: 'Once more', kind: 'allow_once' },
    ];
    expect(decodePermissionOptions(options)).toEqual([
      { id: 'a', name: 'Always', kind: 'allow_always' },
      { id: 'b', name: 'Once', kind: 'allow_once' },
      { id: 'c', name: 'Once more', kind: 'allow_once' },
    ]);
  });

  it.each<[string, unknown, unknown]>([
    [
      'decodes an unknown kind as other',
      [{ optionId: 'a', name: 'A', kind: 'allow_forever' }],
      [{ id: 'a', name: 'A', kind: 'other' }],
    ],
    [
      'uses the id as the name',
      [{ optionId: 'a', kind: 'allow_once' }],
      [{ id: 'a', name: 'a', kind: 'allow_once' }],
    ],
    ['leaves out an option without an id', [{ name: 'A', kind: 'allow_once' }], []],
    ['returns no options for an object', { optionId: 'a' }, []],
    ['returns no options if they are missing', undefined, []],
  ])('%s', (_, wire, expected) => expect(decodePermissionOptions(wire)).toEqual(expected));
});

describe('any input', () => {
  const names = ['agent_message_chunk', 'tool_call', 'tool_call_update', 'plan', 'available_commands_update'];
  const others = [
    'current_mode_update',
    'session_info_update',
    'usage_update',
    'notice',
    'constructor',
    '__proto__',
  ];
  const nasty = fc.constantFrom<unknown>(
    { toString: 1, valueOf: 1 },
    ['completed'],
    'constructor',
    '__proto__',
  );
  const value = fc.oneof(fc.jsonValue(), nasty);
  const keys = [
    'content',
    'toolCallId',
    'status',
    'kind',
    'title',
    'entries',
    'locations',
    'messageId',
    'cost',
  ];
  const fields = fc.dictionary(fc.constantFrom(...keys, 'used', 'size', 'description'), value);
  const wire = fc.oneof(
    value,
    fc
      .tuple(fc.oneof(fc.constantFrom(...names, ...others), value), fields)
      .map(([sessionUpdate, rest]) => ({ ...rest, sessionUpdate })),
  );
  const kinds = new Set([
    'chunk',
    'tool',
    'plan',
    'commands',
    'mode',
    'title',
    'usage',
    'notice',
    'compaction',
    'nothing',
    'unknown',
  ]);
  const statuses = new Set([undefined, 'pending', 'running', 'done', 'failed']);

  it('is decoded to an event', () => {
    fc.assert(
      fc.property(wire, (update) => {
        const event = decodeUpdate(update);
        expect(kinds).toContain(event.kind);
        expect(isWellTyped(event)).toBe(true);
      }),
      { numRuns: shortOrLong(200, 2_000) },
    );
  });

  it('makes a tool call done only with the status "completed"', () => {
    fc.assert(
      fc.property(value, (status) => {
        const patch = decodeToolPatch({ toolCallId: 'c', status });
        expect(statuses).toContain(patch?.status);
        expect(patch?.status === 'done').toBe(status === 'completed');
      }),
    );
  });

  it('is decoded to permission options', () => {
    fc.assert(fc.property(value, (options) => Array.isArray(decodePermissionOptions(options))));
    fc.assert(fc.property(fc.array(value), (options) => Array.isArray(decodePermissionOptions(options))));
  });

  function isWellTyped(event: AgentEvent): boolean {
    switch (event.kind) {
      case 'chunk':
        return ['user', 'agent', 'thought'].includes(event.role) && typeof event.text === 'string';
      case 'tool':
        return typeof event.patch.toolCallId === 'string' && statuses.has(event.patch.status);
      case 'plan':
        return event.items.every(
          ({ text: words, status }) => typeof words === 'string' && statuses.has(status),
        );
      case 'notice':
        return typeof event.title === 'string';
      default:
        return true;
    }
  }
});
