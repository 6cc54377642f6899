import { describe, expect, it } from 'vitest';
import type { AgentSpec } from '../../../src/ports/agent.ts';
import { isRemoteAgent, runsItsArguments } from '../../../src/system/program-kinds.ts';

const spec = (fields: Partial<AgentSpec>): AgentSpec => ({
  name: 'a',
  command: [],
  env: {},
  cwd: '/',
  ...fields,
});

describe('isRemoteAgent', () => {
  it.each<[string, Partial<AgentSpec>]>([
    ['behind a WebSocket', { transport: 'websocket', url: 'wss://x' }],
    ['behind HTTP', { transport: 'http', url: 'https://x' }],
    ['behind POST', { transport: 'post', url: 'https://x' }],
    ['over ssh', { command: ['ssh', 'server', 'agent', '--acp'] }],
    ['over ssh given as a path', { command: ['/usr/bin/ssh', 'server', 'agent'] }],
    ['over ssh behind env', { command: ['env', 'A=b', 'ssh', 'server', 'agent'] }],
    ['over ssh in a shell', { command: ['sh', '-c', 'cd x && exec ssh server agent'] }],
    ['in a container', { command: ['docker', 'exec', '-i', 'box', 'agent'] }],
    ['in a virtual machine', { command: ['time', 'limactl', 'shell', 'box', 'agent'] }],
    ['with a path map', { command: ['agent'], paths: { '/there': '/here' } }],
  ])('is true for an agent %s', (_, fields) => expect(isRemoteAgent(spec(fields))).toBe(true));

  it.each([
    ['agent', '--acp'],
    ['node', '/opt/agent.js'],
    ['sh', '-c', 'exec agent'],
    ['agent', '--tool', 'ssh'],
  ])('is false for the command %s %s', (...command) => expect(isRemoteAgent(spec({ command }))).toBe(false));
});

describe('runsItsArguments', () => {
  it.each([
    'node',
    '/usr/bin/python3.12',
    'bash',
    'npx',
    'bunx',
    'uvx',
    'pnpm',
    'ssh',
    'env',
    'deno',
    'docker',
    'gawk',
    'perl5.36',
    'nvim',
    'git',
    'systemd-run',
    'slogin',
  ])('is true for %s', (program) => expect(runsItsArguments(program)).toBe(true));

  it.each(['claude-agent-acp', '/opt/gemini', 'opencode', 'node-red'])('is false for %s', (program) =>
    expect(runsItsArguments(program)).toBe(false),
  );
});
