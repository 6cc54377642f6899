import { describe, expect, it } from 'vitest';
import type { AgentSpec } from '../../src/ports/agent.ts';
import { isElsewhere, isPlainShell, runsItsArguments } from '../../src/program-kinds.ts';

const spec = (fields: Partial<AgentSpec>): AgentSpec => ({
  name: 'a',
  command: [],
  env: {},
  cwd: '/',
  ...fields,
});

describe('an agent is on another machine', () => {
  it.each<[string, Partial<AgentSpec>]>([
    ['behind a WebSocket', { transport: 'websocket', url: 'wss://x' }],
    ['behind HTTP', { transport: 'http', url: 'https://x' }],
    ['behind POST', { transport: 'post', url: 'https://x' }],
    ['over ssh', { command: ['ssh', 'server', 'agent', '--acp'] }],
    ['over a ssh with a path', { command: ['/usr/bin/ssh', 'server', 'agent'] }],
    ['over ssh behind env', { command: ['env', 'A=b', 'ssh', 'server', 'agent'] }],
    ['over ssh in a shell', { command: ['sh', '-c', 'cd x && exec ssh server agent'] }],
    ['in a container', { command: ['docker', 'exec', '-i', 'box', 'agent'] }],
    ['in a virtual machine', { command: ['time', 'limactl', 'shell', 'box', 'agent'] }],
    ['whose folders have other names', { command: ['agent'], paths: { '/there': '/here' } }],
  ])('%s', (_, fields) => expect(isElsewhere(spec(fields))).toBe(true));

  it.each([
    ['agent', '--acp'],
    ['node', '/opt/agent.js'],
    ['sh', '-c', 'exec agent'],
    ['agent', '--tool', 'ssh'],
  ])('but not %s %s', (...command) => expect(isElsewhere(spec({ command }))).toBe(false));
});

describe('a program runs its arguments', () => {
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
  ])('%s', (program) => expect(runsItsArguments(program)).toBe(true));

  it.each(['claude-agent-acp', '/opt/gemini', 'opencode', 'node-red'])('but not %s', (program) =>
    expect(runsItsArguments(program)).toBe(false),
  );
});

it('a program with the name of a shell is a shell only where shells are', () => {
  expect(['sh', 'bash', '/bin/bash', '/usr/bin/zsh'].every(isPlainShell)).toBe(true);
  expect(['./sh', '/tmp/bash', 'shell'].some(isPlainShell)).toBe(false);
});
