import { notification, request, text, update, type Wire, wrapped } from './dialect-harness.ts';

const s1 = { sessionId: 's1' };
const terminal = { ...s1, terminalId: 'x' };
const option = { optionId: 'yes', name: 'Yes', kind: 'allow_once' };
const mode = { id: 'code', name: 'Code' };
const config = {
  id: 'model',
  name: 'Model',
  category: 'model',
  type: 'select',
  currentValue: 'fast',
  options: [{ value: 'fast', name: 'Fast' }],
};
const session = { modes: { currentModeId: 'code', availableModes: [mode] }, configOptions: [config] };
const annotations = { audience: ['user'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' };

/** A tool call with every field. */
export const toolCall = {
  toolCallId: 't1',
  title: 'Edit a',
  name: 'edit',
  kind: 'edit',
  status: 'in_progress',
  content: [
    wrapped('ok'),
    { type: 'content', content: { ...text('note'), annotations } },
    {
      type: 'content',
      content: { type: 'image', data: 'AAAA', mimeType: 'image/png', uri: 'file:///a.png' },
    },
    { type: 'content', content: { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' } },
    { type: 'content', content: { type: 'resource_link', uri: 'file:///a', name: 'a', size: 3 } },
    { type: 'content', content: { type: 'resource', resource: { uri: 'file:///a', text: 'x' } } },
    { type: 'content', content: { type: 'resource', resource: { uri: 'file:///a', blob: 'AAAA' } } },
    { type: 'diff', path: '/a', oldText: null, newText: 'y' },
    { type: 'terminal', terminalId: 'x' },
  ],
  locations: [{ path: '/a', line: 3 }, { path: '/b' }],
  rawInput: { file_path: '/a', tool_call_id: 1 },
  rawOutput: { session_id: 2 },
  _meta: { tool_name: 'Edit' },
};

/** One update of each of the fourteen kinds. */
export const updates: readonly Wire[] = [
  { sessionUpdate: 'user_message_chunk', content: text('do') },
  { sessionUpdate: 'agent_message_chunk', content: text('hi'), messageId: 'm1', _meta: null },
  { sessionUpdate: 'agent_thought_chunk', content: { ...text('hm'), annotations } },
  { sessionUpdate: 'tool_call', ...toolCall },
  { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed', content: null, title: null },
  { sessionUpdate: 'plan', entries: [{ content: 'Look', priority: 'high', status: 'completed' }] },
  {
    sessionUpdate: 'available_commands_update',
    availableCommands: [{ name: 'plan', description: 'Plans', input: { hint: 'what' } }],
  },
  { sessionUpdate: 'current_mode_update', currentModeId: 'code' },
  { sessionUpdate: 'config_option_update', configOptions: [config] },
  { sessionUpdate: 'session_info_update', title: 'Logs', updatedAt: null },
  { sessionUpdate: 'usage_update', used: 10, size: 100, cost: { amount: 0.1, currency: 'USD' } },
  { sessionUpdate: 'notice', severity: 'warning', title: 'Slow', description: 'very' },
  { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed', summary: [text('short')] },
  { sessionUpdate: 'compaction_summary_chunk', compactionId: 'c', content: text('short') },
];

/** One of each request of an agent. */
export const requests: readonly Wire[] = [
  request(0, 'session/request_permission', { ...s1, toolCall, options: [option] }),
  request('a', 'fs/read_text_file', { ...s1, path: '/a', line: 1, limit: 10 }),
  request(2, 'fs/write_text_file', { ...s1, path: '/a', content: 'x', _meta: { bom: false } }),
  request(3, 'terminal/create', {
    ...s1,
    command: 'ls',
    args: ['-l'],
    env: [{ name: 'A', value: '1' }],
    cwd: '/a',
    outputByteLimit: 10,
  }),
  request(4, 'terminal/output', terminal),
  request(5, 'terminal/wait_for_exit', terminal),
  request(6, 'terminal/kill', terminal),
  request(7, 'terminal/release', terminal),
  request(8, 'elicitation/create', {
    ...s1,
    mode: 'form',
    message: 'Who?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  }),
];

export const notifications: readonly Wire[] = [
  ...updates.map((one) => update(one)),
  notification('elicitation/complete', { elicitationId: 'e' }),
  notification('$/cancel_request', { requestId: 1 }),
];

/** Extension methods. */
export const extensions: readonly Wire[] = [
  notification('_vendor/thing', { session_id: 1, type: 'text' }),
  request(9, '_vendor/thing', { file_path: '/a' }),
  update({ sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'p', entries: [] } }),
];

/** A result for each request of a client. */
export const results: readonly (readonly [method: string, result: Wire])[] = [
  [
    'initialize',
    {
      protocolVersion: 1,
      agentInfo: { name: 'a', title: 'A', version: '1' },
      agentCapabilities: {
        loadSession: true,
        mcpCapabilities: { http: true, sse: false },
        promptCapabilities: { image: true },
        sessionCapabilities: { list: {} },
      },
      authMethods: [
        { id: 'login', name: 'Log in', description: 'In the browser' },
        { type: 'terminal', id: 'tty', name: 'Log in', args: ['login'], env: { A: '1' } },
      ],
    },
  ],
  ['authenticate', {}],
  ['logout', {}],
  ['session/new', { ...s1, ...session }],
  ['session/load', session],
  ['session/resume', session],
  ['session/list', { sessions: [{ ...s1, cwd: '/a', title: null }], nextCursor: 'n' }],
  ['session/delete', {}],
  ['session/close', {}],
  ['session/prompt', { stopReason: 'end_turn', _meta: { quota: {} } }],
  ['session/set_mode', {}],
  ['session/set_config_option', { configOptions: [config] }],
];
