import { describe, expect, it } from 'vitest';
import {
  DialectHarness,
  notification,
  text,
  update,
  type Wire,
  wrapped,
} from '../../../../support/dialects/dialect-harness.ts';
import { violationsOfCall } from '../../../../support/schema.ts';

const tool = (fields: Wire) => ({ sessionUpdate: 'tool_call_update', toolCallId: 't1', ...fields });
const ofA = (toolCall: Wire) => notification('session/update', { sessionId: 's1', toolCall });
const ofE = (type: string, content: Wire) =>
  notification('session/update', { sessionId: 's1', type, content });

describe('tool call', () => {
  it.each<[rule: string, what: string, wire: Wire, canonical: Wire]>([
    [
      'A: diff',
      'a field of its own',
      { diff: { path: '/a', oldContent: 'x', newContent: 'y' }, content: [text('done')] },
      { content: [wrapped('done'), { type: 'diff', path: '/a', oldText: 'x', newText: 'y' }] },
    ],
    [
      'A: diff',
      'in snake_case',
      { diff: { file_path: '/a', old_text: 'x', new_text: 'y' } },
      { content: [{ type: 'diff', path: '/a', oldText: 'x', newText: 'y' }] },
    ],
    [
      'A: diff',
      'of a new and empty file',
      { diff: { path: '/a' } },
      { content: [{ type: 'diff', path: '/a', newText: '' }] },
    ],
    [
      'A: locations',
      'texts and addresses',
      { locations: ['/a', 'file:///b%20c', { uri: 'file:///d', line: 2 }, { path: '/e' }] },
      { locations: [{ path: '/a' }, { path: '/b c' }, { path: '/d', line: 2 }, { path: '/e' }] },
    ],
    [
      'B: location',
      'one alone',
      { location: { path: '/a', line: 10 } },
      { locations: [{ path: '/a', line: 10 }] },
    ],
    [
      'B: bare content block',
      'text',
      { content: [text('ok'), { type: 'image', data: 'AAAA', mimeType: 'image/png' }] },
      {
        content: [
          wrapped('ok'),
          { type: 'content', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
        ],
      },
    ],
    [
      'A: embedded_resource',
      'bare',
      { content: [{ type: 'embedded_resource', uri: 'file:///a', text: 'x' }] },
      {
        content: [
          { type: 'content', content: { type: 'resource', resource: { uri: 'file:///a', text: 'x' } } },
        ],
      },
    ],
    [
      'B: diff with mimeType',
      'for a new file',
      { content: [{ type: 'diff', path: '/a', oldText: '', newText: 'y', mimeType: 'text/plain' }] },
      { content: [{ type: 'diff', path: '/a', oldText: '', newText: 'y' }] },
    ],
    [
      'B: terminal with command and exitCode',
      'ended',
      { content: [{ type: 'terminal', terminalId: 'x', command: 'npm test', exitCode: 0 }] },
      {
        content: [
          {
            type: 'terminal',
            terminalId: 'x',
            _meta: { 'acp.nvim/terminal': { command: 'npm test', exitCode: 0 } },
          },
        ],
      },
    ],
    ['any: content a plain string', 'alone', { content: 'ok' }, { content: [wrapped('ok')] }],
    ['any: content a plain string', 'in the list', { content: ['ok'] }, { content: [wrapped('ok')] }],
    [
      'any: file_path',
      'in a diff and a location',
      {
        content: [{ type: 'diff', file_path: '/a', new_text: 'y', old_text: 'x' }],
        locations: [{ filePath: '/a' }],
      },
      {
        content: [{ type: 'diff', path: '/a', oldText: 'x', newText: 'y' }],
        locations: [{ path: '/a' }],
      },
    ],
    [
      'any: snake_case keys',
      'but not inside rawInput',
      { raw_input: { tool_call_id: 1 }, raw_output: { session_id: 2 } },
      { rawInput: { tool_call_id: 1 }, rawOutput: { session_id: 2 } },
    ],
  ])('%s: %s', (rule, _, wire, canonical) => {
    const talk = new DialectHarness();
    expect(talk.receive(update(tool(wire)))).toEqual([update(tool(canonical))]);
    expect(talk.rules).toContain(rule);
    expect(violationsOfCall('session/update', update(tool(canonical)).params)).toEqual([]);
  });

  it.each([
    ...['running', 'in-progress', 'inProgress', 'started', 'executing'].map((word) => [word, 'in_progress']),
    ...['success', 'succeeded', 'done', 'complete', 'ok'].map((word) => [word, 'completed']),
    ...['error', 'errored'].map((word) => [word, 'failed']),
  ])('D,E: status words: %s', (status, canonical) => {
    expect(new DialectHarness().receive(update(tool({ status })))).toEqual([
      update(tool({ status: canonical })),
    ]);
  });

  it.each(['canceled', 'cancelled'])('D,E: status words: %s, which ACP does not have', (status) => {
    const canonical = { status: 'failed', _meta: { 'acp.nvim/status': 'cancelled' } };
    expect(new DialectHarness().receive(update(tool({ status })))).toEqual([update(tool(canonical))]);
  });

  it.each<Wire>([
    { rawInput: [1], rawOutput: 'x' },
    { locations: [{ path: '/a', line: null }], content: [], status: null, kind: null },
    { content: [{ type: 'diff', path: 'a', oldText: null, newText: 'y' }] },
    { content: [{ type: 'terminal', terminalId: 'x' }, { type: 'hologram' }] },
    { rawInput: { file_path: '/a' } },
  ])('is not changed: %j', (wire) => {
    const message = update(tool(wire));
    expect(new DialectHarness().receive(message)[0]).toBe(message);
  });
});

describe('first and later updates of a tool call', () => {
  const read = { toolCallId: 't1', title: 'Read', rawInput: { file_path: '/a' } };

  it('A: the first creates the call with a title', () => {
    const talk = new DialectHarness();
    expect([
      ...talk.receive(ofA({ toolCallId: 't1', kind: 'read' })),
      ...talk.receive(ofA({ toolCallId: 't1', status: 'completed' })),
      ...talk.receive(ofA({ toolCallId: 't2' })),
    ]).toEqual([
      update({ sessionUpdate: 'tool_call', toolCallId: 't1', kind: 'read', title: 'read' }),
      update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' }),
      update({ sessionUpdate: 'tool_call', toolCallId: 't2', title: 't2' }),
    ]);
  });

  it('A: a call of one session is unknown in another', () => {
    const talk = new DialectHarness();
    talk.receive(update({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'ls', kind: 'execute' }));
    const kindOf = (sessionId: string) =>
      talk.receive(notification('session/update', { sessionId, toolCall: { toolCallId: 't1' } }));
    expect(kindOf('s1')).toMatchObject([{ params: { update: { sessionUpdate: 'tool_call_update' } } }]);
    expect(kindOf('s2')).toMatchObject([{ params: { update: { sessionUpdate: 'tool_call' } } }]);
  });

  it('D: rawInput file_path', () => {
    const talk = new DialectHarness();
    const message = update({ sessionUpdate: 'tool_call', ...read });
    expect(talk.receive(message)).toEqual([
      update({ sessionUpdate: 'tool_call', ...read, locations: [{ path: '/a' }] }),
    ]);
    expect(talk.rules).toEqual(['D: rawInput file_path']);
  });

  it('D: repeated tool_call', () => {
    const talk = new DialectHarness();
    const say = (status: string) => talk.receive(update({ sessionUpdate: 'tool_call', ...read, status }));
    const later = { sessionUpdate: 'tool_call_update', ...read };
    say('pending');
    expect(say('running')).toEqual([update({ ...later, status: 'in_progress' })]);
    expect(say('completed')).toEqual([update({ ...later, status: 'completed' })]);
    expect(talk.rules).toContain('D: repeated tool_call');
  });

  it('a repeated tool_call of a canonical agent is not changed', () => {
    const talk = new DialectHarness();
    const message = update({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'ls', status: 'pending' });
    talk.receive(message);
    expect(talk.receive(message)[0]).toBe(message);
  });

  it('E: toolCall, then toolResult', () => {
    const talk = new DialectHarness();
    const toolCall = { id: 't1', name: 'bash', input: { command: 'ls' }, status: 'running' };
    const known = { toolCallId: 't1', title: 'bash', name: 'bash', kind: 'execute' };
    expect([
      ...talk.receive(ofE('tool_call', { toolCall })),
      ...talk.receive(ofE('tool_call', { toolCall: { id: 't1', status: 'failed' } })),
      ...talk.receive(ofE('tool_result', { toolResult: { callId: 't1', output: 'a.txt', isError: false } })),
      ...talk.receive(ofE('tool_result', { toolResult: { callId: 't2', output: { n: 1 }, isError: true } })),
    ]).toEqual([
      update({ sessionUpdate: 'tool_call', ...known, rawInput: { command: 'ls' }, status: 'in_progress' }),
      update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'failed' }),
      update(tool({ status: 'completed', content: [wrapped('a.txt')], rawOutput: 'a.txt' })),
      update({ ...tool({ status: 'failed', rawOutput: { n: 1 } }), toolCallId: 't2' }),
    ]);
  });

  it.each([
    ['read', 'read'],
    ['Write', 'edit'],
    ['edit', 'edit'],
    ['shell', 'execute'],
    ['run', 'execute'],
    ['grep', 'search'],
    ['glob', 'search'],
    ['search', 'search'],
    ['web_fetch', 'fetch'],
    ['fetch', 'fetch'],
    ['teleport', 'other'],
    ['constructor', 'other'],
  ])('E: the kind of %s is %s', (name, kind) => {
    const [heard] = new DialectHarness().receive(ofE('tool_call', { toolCall: { id: 't', name } }));
    expect(heard).toMatchObject({ params: { update: { kind } } });
  });
});
