import { notification, request, text, update, type Wire } from './dialect-harness.ts';

const s1 = { sessionId: 's1' };
const report = (params: Wire) => notification('session/update', params);
const ask = (params: Wire) => request(7, 'session/request_permission', { ...s1, ...params });

/** A few messages of each dialect, as seeds for mutations. */
export const foreignMessages: readonly Wire[] = [
  report({
    ...s1,
    contentChunk: { id: 'p1', index: 3, delta: 'hi' },
    toolCall: {
      toolCallId: 't1',
      kind: 'edit',
      content: [{ type: 'embedded_resource', uri: 'file:///a', text: 'x' }],
      diff: { path: '/a', oldContent: 'x', newContent: 'y' },
      locations: ['/a', { uri: 'file:///a' }],
    },
    plan: { steps: [{ title: 'Look', status: 'pending' }] },
    currentModeId: 'ask',
  }),
  update({
    type: 'message',
    role: 'agent',
    content: [{ ...text('a'), annotations: [{ priority: 'high' }] }],
  }),
  update({
    type: 'tool_call',
    toolCallId: 't1',
    location: { path: '/a', line: 1 },
    content: [text('ok'), { type: 'terminal', terminalId: 'x', command: 'ls', exitCode: 0 }],
  }),
  report({ agent_message_chunk: { content: [text('a'), 'b'] } }),
  update({ tool_call_update: { toolCallId: 't1', status: 'running' } }),
  update({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Read', rawInput: { file_path: '/a' } }),
  report({ ...s1, type: 'tool_call', content: { toolCall: { id: 't1', name: 'bash', status: 'running' } } }),
  report({
    ...s1,
    type: 'tool_result',
    content: { toolResult: { callId: 't1', output: 'x', isError: false } },
  }),
  report({ ...s1, type: 'error', content: { text: 'no' } }),
  report({ ...s1, status: 'idle' }),
  notification('session/end_turn', s1),
  notification('auth_complete', {}),
  ask({ permissionId: 'p1', title: 'Edit', kind: 'edit', content: [text('why')] }),
  ask({
    title: 'Delete?',
    description: 'All of it',
    options: [
      { optionId: 'yes', kind: 'allow_once', label: 'Yes' },
      { optionId: 'no', kind: 'reject_once', label: 'No' },
    ],
  }),
  ask({ message: 'Read?', options: [{ optionId: 'o', kind: 'deny', label: 'Deny' }] }),
  ask({ id: 'p', tool: 'bash', description: 'ls', options: [{ id: 'once', label: 'Allow Once' }] }),
  request(7, 'fs/read_text_file', { file_path: '/a', startLine: 1, lineLimit: 2 }),
  request(7, 'terminal/create', { ...s1, command: 'ls', env: { A: '1' }, outputBytesLimit: 10 }),
  request(7, 'terminal/wait_for_exit', { ...s1, terminalId: 'x', timeout: 5 }),
  { jsonrpc: '2.0', id: 'initialize', result: { serverInfo: {}, capabilities: { sessionModes: ['code'] } } },
  {
    jsonrpc: '2.0',
    id: 'initialize',
    result: {
      authenticationMethods: [{ methodId: 'k', title: 'Key' }],
      agentCapabilities: { mcpCapabilities: { supportedTransports: ['http'] }, modes: true },
    },
  },
  {
    jsonrpc: '2.0',
    id: 'session/new',
    result: {
      ...s1,
      modes: [{ id: 'code', name: 'Code' }],
      models: { currentModelId: 'm', availableModels: [{ modelId: 'm', name: 'M' }] },
    },
  },
  { jsonrpc: '2.0', id: 'session/prompt', result: { content: [text('a')], stopReason: 'tool_error' } },
  { result: { content: 'x' } },
];
