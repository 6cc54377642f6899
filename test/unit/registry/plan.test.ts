import { describe, expect, it } from 'vitest';
import type { AgentManifest } from '../../../src/registry/manifest.ts';
import { type Machine, planFor } from '../../../src/registry/plan.ts';

const npx = { package: 'acme@1.0', args: ['--acp'], env: { KEY: "it's" } };
const uvx = { package: 'acme==1.0', args: ['acp'], env: {} };
const target = { archive: 'https://acme.example/acme.tar.gz', cmd: './bin/acme', args: ['acp'], env: {} };
const binary = { 'linux-x86_64': target };

function aManifest(fields: Partial<AgentManifest>): AgentManifest {
  const facts = { id: 'acme', name: 'Acme', version: '1.0', description: 'x' };
  return { ...facts, npx: undefined, uvx: undefined, binary: {}, ...fields };
}

function aMachine(fields: Partial<Machine> = {}): Machine {
  return { platform: 'linux', arch: 'x64', has: () => true, folder: '/cache', ...fields };
}

const without = (...names: string[]) => aMachine({ has: (name) => !names.includes(name) });

describe('planFor', () => {
  it.each<[string, Partial<AgentManifest>, Machine, string]>([
    ['npx if it is available', { npx, uvx, binary }, aMachine(), "KEY='it'\\''s' npx -y acme@1.0 --acp"],
    ['uvx if npx is missing', { npx, uvx, binary }, without('npx'), 'uvx acme==1.0 acp'],
    [
      'the archive if npx and uvx are missing',
      { npx, uvx, binary },
      without('npx', 'uvx'),
      'download https://acme.example/acme.tar.gz to /cache/acme/1.0 and run ./bin/acme acp',
    ],
    [
      'the archive if there is nothing else',
      { binary },
      aMachine(),
      'download https://acme.example/acme.tar.gz to /cache/acme/1.0 and run ./bin/acme acp',
    ],
    [
      'the archive for this system',
      { binary: { 'darwin-aarch64': { ...target, archive: 'https://acme.example/mac.zip' } } },
      aMachine({ platform: 'darwin', arch: 'arm64' }),
      'download https://acme.example/mac.zip to /cache/acme/1.0 and run ./bin/acme acp',
    ],
  ])('chooses %s', (_, fields, machine, summary) => {
    expect(planFor(aManifest(fields), machine)).toMatchObject({ summary });
  });

  it('returns an argument list instead of a shell command', () => {
    expect(planFor(aManifest({ npx }), aMachine())).toMatchObject({
      command: ['npx', '-y', 'acme@1.0', '--acp'],
      env: { KEY: "it's" },
    });
    expect(planFor(aManifest({ binary }), aMachine())).toMatchObject({
      command: ['/cache/acme/1.0/bin/acme', 'acp'],
    });
  });

  it.each<[string, Partial<AgentManifest>, Machine, string]>([
    ['another system', { binary }, aMachine({ arch: 'arm64' }), 'it has no build for linux-aarch64'],
    [
      'an unknown system',
      { binary },
      aMachine({ platform: 'constructor' }),
      'no build for constructor-x86_64',
    ],
    ['a missing npx', { npx }, without('npx'), 'it requires npx (part of Node) on PATH'],
    ['missing npx and uvx', { npx, uvx }, without('npx', 'uvx'), 'npx (part of Node) or uvx (part of uv)'],
    [
      'an archive of an unsupported kind',
      { binary: { 'linux-x86_64': { ...target, archive: 'https://acme.example/a.tar.xz?x=.zip' } } },
      aMachine(),
      'a.tar.xz is an unsupported archive format',
    ],
    [
      'shell characters in arguments on Windows',
      { npx: { ...npx, args: ['a&calc'] } },
      aMachine({ platform: 'win32' }),
      'not safe on Windows',
    ],
  ])('reports why there is no plan for %s', (_, fields, machine, reason) => {
    expect(planFor(aManifest(fields), machine)).toEqual({
      kind: 'none',
      reason: expect.stringContaining(reason),
    });
  });
});
