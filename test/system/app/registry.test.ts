import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RegistryAgents } from '../../../src/app/registry.ts';
import { EditorDouble } from '../../support/doubles/editor.ts';
import { LogDouble } from '../../support/doubles/log.ts';
import { type Answer, aWebServer } from '../../support/system/http.ts';
import { anOddTarball, aTarball } from '../../support/system/tarball.ts';
import { aFolder } from '../../support/system/temp.ts';
import { aZip } from '../../support/system/zip.ts';

const systems: Record<string, string> = { win32: 'windows', arm64: 'aarch64', x64: 'x86_64' };
const system = `${systems[process.platform] ?? process.platform}-${systems[process.arch] ?? process.arch}`;

function aManifest(id: string, distribution: object, version = '1.0.0') {
  return { id, name: 'Acme', version, description: 'x', distribution };
}

/** The agents of a registry in a file, and what the user is shown by it. */
function someAgents(...agents: object[]) {
  const folder = aFolder();
  const places = {
    source: path.join(folder, 'registry.json'),
    cache: path.join(folder, 'cache'),
    state: path.join(folder, 'state'),
  };
  const publish = (...manifests: object[]) =>
    fs.writeFileSync(places.source, JSON.stringify({ version: '1.0.0', agents: manifests }));
  publish(...agents);
  const editor = new EditorDouble();
  const log = new LogDouble();
  const open = () => {
    const agents = new RegistryAgents(places, { editor, log });
    onTestFinished(() => agents.end());
    return agents;
  };
  const told = (op: string) => editor.sent.filter((call) => call.op === op).map(({ payload }) => payload);
  return {
    places,
    publish,
    open,
    log,
    told,
    agents: open(),
    messages: () => told('user.notify').map(({ message }) => String(message)),
    list: () => JSON.parse(fs.readFileSync(path.join(places.cache, 'registry/agents.json'), 'utf8')).agents,
  };
}

/** The same with one agent in an archive on a web server. */
async function anArchivedAgent(archive: Answer, name = 'agent.tar.gz', cmd = './bin/agent') {
  const server = await aWebServer(() => archive);
  const url = `${server.url}/${name}`;
  const parts = someAgents(aManifest('acme', { binary: { [system]: { archive: url, cmd, args: ['acp'] } } }));
  const folder = path.join(parts.places.cache, 'agents/acme/1.0.0');
  const take = async () => {
    await parts.agents.open('acme');
    const [picker] = parts.told('picker.open');
    const [run] = (picker as { items: { payload: { summary: string } }[] }).items;
    await parts.agents.accept('acme', run?.payload.summary ?? '');
  };
  return { ...parts, server, url, folder, take };
}

const npx = { npx: { package: 'acme@1.0.0', args: ['--acp'] } };

describe('the agents of a registry', () => {
  it('are written to a file for Lua and offered; invalid ones are logged', async () => {
    const { agents, told, list, log } = someAgents(aManifest('acme', npx), { id: 'bad' });
    await agents.show();
    expect(told('agents.pick')).toEqual([{}]);
    expect(list()).toEqual([
      {
        name: 'acme',
        version: '1.0.0',
        package: 'acme@1.0.0',
        command: ['npx', '-y', 'acme@1.0.0', '--acp'],
        env: {},
        is_allowed: false,
      },
    ]);
    expect(log.lines).toEqual(['warn registry: skipped "bad": name is missing']);
  });

  it('that cannot run on this machine are named with the reason', async () => {
    const archive = 'https://acme.example/agent.zip';
    const elsewhere = { binary: { 'plan9-mips': { archive, cmd: 'agent' } } };
    const { agents, list, messages } = someAgents(aManifest('acme', elsewhere));
    await agents.show();
    expect(list()).toEqual([{ name: 'acme', version: '1.0.0', problem: `it has no build for ${system}` }]);
    await agents.open('acme');
    expect(messages()).toEqual([`Acme cannot run on this machine: it has no build for ${system}`]);
  });

  it('are left out if the registry cannot be read, and the other agents are offered', async () => {
    const { agents, places, told, messages } = someAgents();
    fs.rmSync(places.source);
    await agents.show();
    expect(messages()).toEqual([expect.stringMatching(/^could not read the registry .*: ENOENT/)]);
    expect(told('agents.pick')).toEqual([{}]);
  });
});

describe('an agent of the registry', () => {
  it('is started after the user has consented, and without a question from then on', async () => {
    const { agents, open, told, list, places } = someAgents(aManifest('acme', npx));
    await agents.open('acme');
    expect(told('picker.open')).toMatchObject([
      {
        prompt: `Acme 1.0.0 from ${places.source} will run npx -y acme@1.0.0 --acp`,
        kind: 'acp.consent',
        isGuarded: true,
        body: { lines: ['  run npx -y acme@1.0.0 --acp'] },
        mustSee: 1,
        items: [
          {
            label: 'Run it',
            op: 'agents.accept',
            payload: { ...places, agent: 'acme', summary: 'npx -y acme@1.0.0 --acp' },
            consents: true,
          },
          { label: 'Cancel' },
        ],
      },
    ]);
    expect(told('agents.open')).toEqual([]);
    await agents.accept('acme', 'npx -y acme@1.0.0 --acp');
    expect(told('agents.open')).toEqual([{ agent: 'acme' }]);
    expect(list()[0].is_allowed).toBe(true);
    await open().open('acme');
    expect(told('agents.open')).toHaveLength(2);
    expect(told('picker.open')).toHaveLength(1);
  });

  it.each([
    ['in a new version', aManifest('acme', npx, '1.0.1')],
    ['with another command', aManifest('acme', { npx: { package: 'evil@1.0.0' } })],
  ])('needs consent again %s', async (_, changed) => {
    const { agents, open, told, publish, list } = someAgents(aManifest('acme', npx));
    await agents.accept('acme', 'npx -y acme@1.0.0 --acp');
    publish(changed);
    await open().show();
    expect(list()[0].is_allowed).toBe(false);
    await open().open('acme');
    expect(told('picker.open')).toHaveLength(1);
    expect(told('agents.open')).toHaveLength(1);
  });

  it('needs consent again if the summary has changed', async () => {
    const { agents, told } = someAgents(aManifest('acme', npx));
    await agents.accept('acme', 'npx -y something-else');
    expect(told('agents.open')).toEqual([]);
    expect(told('picker.open')).toHaveLength(1);
  });

  it('that does not exist is named in the message', async () => {
    const { agents, messages } = someAgents();
    await agents.open('nobody');
    expect(messages()).toEqual(['the registry has no agent "nobody"; :AcpAgents reads it again']);
  });
});

describe('an agent in an archive', () => {
  const archives: [string, () => Promise<Buffer>][] = [
    ['agent.tar.gz', () => aTarball({ 'bin/agent': 'run', 'lib/data': 'x' })],
    ['agent.zip', async () => aZip([{ name: 'bin/agent', text: 'run' }])],
  ];

  it.each(archives)('is downloaded after consent and can be run: %s', async (name, make) => {
    const body = await make();
    const { agents, take, server, url, folder, told, list, messages } = await anArchivedAgent({ body }, name);
    await agents.open('acme');
    expect(server.asked).toEqual([]);
    expect((told('picker.open')[0] as { prompt: string }).prompt).toContain(
      `will download ${url} to ${folder} and run ./bin/agent acp`,
    );
    await take();
    expect(messages()).toEqual(['downloading Acme 1.0.0 …']);
    expect(told('agents.open')).toEqual([{ agent: 'acme' }]);
    const program = path.join(folder, 'bin/agent');
    expect(list()[0]).toMatchObject({ command: [program, 'acp'], is_allowed: true });
    expect(fs.statSync(program).mode & 0o777).toBe(0o755);
    expect(fs.readdirSync(path.dirname(folder))).toEqual(['1.0.0']);
    await agents.open('acme');
    expect(server.asked).toHaveLength(1);
  });

  it.each<[string, Answer, RegExp]>([
    ['is not there', { status: 404 }, /answered 404/],
    [
      'is moved to http',
      { status: 302, headers: { location: 'http://acme.example/x' } },
      /does not use https/,
    ],
    ['is broken', { body: 'no archive' }, /could not unpack/],
    [
      'leads out of its folder',
      { body: anOddTarball([{ path: '../evil', text: 'x' }]) },
      /outside of the archive/,
    ],
    [
      'has no such program',
      { body: anOddTarball([{ path: 'other', text: 'x' }]) },
      /no program \.\/bin\/agent/,
    ],
    [
      'has a folder for a program',
      { body: anOddTarball([{ path: 'bin/agent/', type: 'Directory' }]) },
      /no program/,
    ],
  ])('that %s leaves no files behind, and the message has the reason', async (_, answer, reason) => {
    const { take, folder, told, messages } = await anArchivedAgent(answer);
    await take();
    expect(messages().at(-1)).toMatch(reason);
    expect(messages().at(-1)).toMatch(/^could not install acme: /);
    expect(told('agents.open')).toEqual([]);
    expect(fs.readdirSync(path.dirname(folder))).toEqual([]);
  });

  it('is downloaded again after an interrupted download, and old drafts are removed', async () => {
    const { take, folder, told } = await anArchivedAgent({ body: await aTarball({ 'bin/agent': 'run' }) });
    fs.mkdirSync(path.join(folder, 'bin'), { recursive: true });
    const draft = path.join(path.dirname(folder), '.draft-old');
    fs.mkdirSync(draft);
    fs.utimesSync(draft, 1, 1);
    await take();
    expect(told('agents.open')).toHaveLength(1);
    expect(fs.readdirSync(path.dirname(folder))).toEqual(['1.0.0']);
    expect(fs.readFileSync(path.join(folder, 'bin/agent'), 'utf8')).toBe('run');
  });

  it('is not downloaded after the end', async () => {
    const { agents, take, told, messages, folder } = await anArchivedAgent({ body: 'x' });
    await agents.open('acme');
    await agents.end();
    await take();
    expect(told('agents.open')).toEqual([]);
    expect(messages()).toEqual(['downloading Acme 1.0.0 …']);
    expect(fs.readdirSync(path.dirname(folder))).toEqual([]);
  });
});
