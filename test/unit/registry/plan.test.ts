import { describe, expect, it } from 'vitest';
import type { Manifest } from '../../../src/registry/manifest.ts';
import { type Machine, planFor } from '../../../src/registry/plan.ts';

const npx = { package: 'acme@1.0', args: ['--acp'], env: { KEY: "it's" } };
const uvx = { package: 'acme==1.0', args: ['acp'], env: {} };
const target = { archive: 'https://acme.example/acme.tar.gz', cmd: './bin/acme', args: ['acp'], env: {} };
const binary = { 'linux-x86_64': target };

function aManifest(fields: Partial<Manifest>): Manifest {
  const facts = { id: 'acme', name: 'Acme', version: '1.0', description: 'x' };
  return { ...facts, npx: undefined, uvx: undefined, binary: {}, ...fields };
}

function aMachine(fields: Partial<Machine> = {}): Machine {
  return { platform: 'linux', arch: 'x64', has: () => true, folder: '/cache', ...fields };
}

const without = (...names: string[]) => aMachine({ has: (name) => !names.includes(name) });

describe('the way an agent is started', () => {
  it.each<[string, Partial<Manifest>, Machine, string]>([
    ['npx first', { npx, uvx, binary }, aMachine(), "KEY='it'\\''s' npx -y acme@1.0 --acp"],
    ['uvx without npx', { npx, uvx, binary }, without('npx'), 'uvx acme==1.0 acp'],
    [
      'an archive without both',
      { npx, uvx, binary },
      without('npx', 'uvx'),
      'download https://acme.example/acme.tar.gz to /cache/acme/1.0 and run ./bin/acme acp',
    ],
    [
      'an archive alone',
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
  ])('is %s', (_, fields, machine, summary) => {
    expect(planFor(aManifest(fields), machine)).toMatchObject({ summary });
  });

  it('is a command, never a line for a shell', () => {
    expect(planFor(aManifest({ npx }), aMachine())).toMatchObject({
      command: ['npx', '-y', 'acme@1.0', '--acp'],
      env: { KEY: "it's" },
    });
    expect(planFor(aManifest({ binary }), aMachine())).toMatchObject({
      command: ['/cache/acme/1.0/bin/acme', 'acp'],
    });
  });

  it.each<[string, Partial<Manifest>, Machine, string]>([
    ['another system', { binary }, aMachine({ arch: 'arm64' }), 'there is none for linux-aarch64'],
    [
      'a system nobody knows',
      { binary },
      aMachine({ platform: 'constructor' }),
      'none for constructor-x86_64',
    ],
    ['a runner that is missing', { npx }, without('npx'), 'it needs npx (it comes with Node) on PATH'],
    [
      'two of them',
      { npx, uvx },
      without('npx', 'uvx'),
      'npx (it comes with Node) or uvx (it comes with uv)',
    ],
    [
      'an archive of another kind',
      { binary: { 'linux-x86_64': { ...target, archive: 'https://acme.example/a.tar.xz?x=.zip' } } },
      aMachine(),
      "a.tar.xz can't be unpacked",
    ],
    [
      'words for a shell on Windows',
      { npx: { ...npx, args: ['a&calc'] } },
      aMachine({ platform: 'win32' }),
      'not safe to use on Windows',
    ],
  ])('is none for %s', (_, fields, machine, reason) => {
    expect(planFor(aManifest(fields), machine)).toEqual({
      kind: 'none',
      reason: expect.stringContaining(reason),
    });
  });
});
