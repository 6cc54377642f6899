import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RegistryAgents } from '../../src/registry-agents.ts';
import { EditorDouble, LogDouble } from '../support/doubles.ts';
import { type Answer, aWebServer } from '../support/http.ts';
import { anOddTarball, aTarball } from '../support/tarball.ts';
import { aFolder } from '../support/temp.ts';
import { aZip } from '../support/zip.ts';

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
    onTestFinished(() => agents.dispose());
    return agents;
  };
  const told = (op: string) => editor.told.filter((call) => call.op === op).map(({ payload }) => payload);
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
    await parts.agents.take('acme');
    const [picker] = parts.told('picker.open');
    const [run] = (picker as { items: { payload: { summary: string } }[] }).items;
    await parts.agents.accept('acme', run?.payload.summary ?? '');
  };
  return { ...parts, server, url, folder, take };
}

const npx = { npx: { package: 'acme@1.0.0', args: ['--acp'] } };

describe('the agents of a registry', () => {
  it('are written down for Lua and offered, and bad ones only logged', async () => {
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

  it('that can not run here say why', async () => {
    const archive = 'https://acme.example/agent.zip';
    const elsewhere = { binary: { 'plan9-mips': { archive, cmd: 'agent' } } };
    const { agents, list, messages } = someAgents(aManifest('acme', elsewhere));
    await agents.show();
    expect(list()).toEqual([{ name: 'acme', version: '1.0.0', problem: `there is none for ${system}` }]);
    await agents.take('acme');
    expect(messages()).toEqual([`Acme can't be started here: there is none for ${system}`]);
  });

  it('are not there when the registry can not be read, and the others are offered all the same', async () => {
    const { agents, places, told, messages } = someAgents();
    fs.rmSync(places.source);
    await agents.show();
    expect(messages()).toEqual([expect.stringMatching(/^the registry .* could not be read: ENOENT/)]);
    expect(told('agents.pick')).toEqual([{}]);
  });
});

describe('an agent of the registry', () => {
  it('is started when the user has agreed to its command, and from then on without a question', async () => {
    const { agents, open, told, list, places } = someAgents(aManifest('acme', npx));
    await agents.take('acme');
    expect(told('picker.open')).toEqual([
      {
        prompt: `Acme 1.0.0 from ${places.source} will run npx -y acme@1.0.0 --acp`,
        kind: 'acp.consent',
        isGuarded: true,
        items: [
          {
            label: 'Run it',
            op: 'agents.accept',
            payload: { ...places, agent: 'acme', summary: 'npx -y acme@1.0.0 --acp' },
          },
          { label: 'Cancel' },
        ],
      },
    ]);
    expect(told('agents.open')).toEqual([]);
    await agents.accept('acme', 'npx -y acme@1.0.0 --acp');
    expect(told('agents.open')).toEqual([{ agent: 'acme' }]);
    expect(list()[0].is_allowed).toBe(true);
    await open().take('acme');
    expect(told('agents.open')).toHaveLength(2);
    expect(told('picker.open')).toHaveLength(1);
  });

  it.each([
    ['in a new version', aManifest('acme', npx, '1.0.1')],
    ['with another command', aManifest('acme', { npx: { package: 'evil@1.0.0' } })],
  ])('is asked about again %s', async (_, changed) => {
    const { agents, open, told, publish, list } = someAgents(aManifest('acme', npx));
    await agents.accept('acme', 'npx -y acme@1.0.0 --acp');
    publish(changed);
    await open().show();
    expect(list()[0].is_allowed).toBe(false);
    await open().take('acme');
    expect(told('picker.open')).toHaveLength(1);
    expect(told('agents.open')).toHaveLength(1);
  });

  it('that is not what was agreed to is asked about again', async () => {
    const { agents, told } = someAgents(aManifest('acme', npx));
    await agents.accept('acme', 'npx -y something-else');
    expect(told('agents.open')).toEqual([]);
    expect(told('picker.open')).toHaveLength(1);
  });

  it('that is not in it is named', async () => {
    const { agents, messages } = someAgents();
    await agents.take('nobody');
    expect(messages()).toEqual(['the registry has no agent "nobody"; :AcpAgents reads it again']);
  });
});

describe('an agent in an archive', () => {
  const archives: [string, () => Promise<Buffer>][] = [
    ['agent.tar.gz', () => aTarball({ 'bin/agent': 'run', 'lib/data': 'x' })],
    ['agent.zip', async () => aZip([{ name: 'bin/agent', text: 'run' }])],
  ];

  it.each(archives)('is downloaded after consent, whole, and can be run: %s', async (name, make) => {
    const body = await make();
    const { agents, take, server, url, folder, told, list, messages } = await anArchivedAgent({ body }, name);
    await agents.take('acme');
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
    await agents.take('acme');
    expect(server.asked).toHaveLength(1);
  });

  it.each<[string, Answer, RegExp]>([
    ['is not there', { status: 404 }, /answered 404/],
    ['is moved to http', { status: 302, headers: { location: 'http://acme.example/x' } }, /is not https/],
    ['is broken', { body: 'no archive' }, /can't be unpacked/],
    ['leads out of its folder', { body: anOddTarball([{ path: '../evil', text: 'x' }]) }, /not inside/],
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
  ])('that %s leaves nothing behind and says why', async (_, answer, reason) => {
    const { take, folder, told, messages } = await anArchivedAgent(answer);
    await take();
    expect(messages().at(-1)).toMatch(reason);
    expect(messages().at(-1)).toMatch(/^acme could not be brought here: /);
    expect(told('agents.open')).toEqual([]);
    expect(fs.readdirSync(path.dirname(folder))).toEqual([]);
  });

  it('that was fetched half is fetched again, and old drafts go', async () => {
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

  it('is not fetched any more when Neovim has left', async () => {
    const { agents, take, told, messages, folder } = await anArchivedAgent({ body: 'x' });
    await agents.take('acme');
    agents.dispose();
    await take();
    expect(told('agents.open')).toEqual([]);
    expect(messages()).toEqual(['downloading Acme 1.0.0 …']);
    expect(fs.readdirSync(path.dirname(folder))).toEqual([]);
  });
});
