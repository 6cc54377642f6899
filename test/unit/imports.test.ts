import fs from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  cyclesAmongSiblings,
  cyclesIn,
  folderEdges,
  folderOf,
  type Import,
  readImports,
} from '../../scripts/import-graph.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const imports = readImports();
const isOurs = ({ target }: Import) => /\.(ts|json|sh)$/.test(target);

/** Which other folders of `src/` each folder may import. Every folder has a line; imports go down only. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['app', 'acp', 'permissions', 'prompt', 'workspace', 'nvim', 'system', 'ports', 'model', 'base'],
  app: [
    'view',
    'session',
    'acp',
    'permissions',
    'prompt',
    'clipboard',
    'media',
    'workspace',
    'nvim',
    'registry',
    'ports',
    'diff',
    'system',
    'model',
    'base',
  ],
  view: ['ports', 'diff', 'model', 'base'],
  session: ['media', 'ports', 'diff', 'system', 'model', 'base'],
  acp: ['ports', 'system', 'model', 'base'],
  prompt: ['media', 'ports', 'system', 'model', 'base'],
  workspace: ['media', 'ports', 'diff', 'system', 'model', 'base'],
  permissions: ['ports', 'system', 'model', 'base'],
  nvim: ['ports', 'base'],
  registry: ['system', 'base'],
  system: ['ports', 'base'],
  ports: ['diff', 'model', 'base'],
  diff: ['base'],
  clipboard: ['media', 'system', 'base'],
  media: ['model', 'base'],
  model: ['base'],
  base: [],
  // A program of its own.
  tour: ['acp', 'media', 'base'],
};

/** Files outside of `src/` that it imports: the version, and what Lua reads too. */
const sharedData = ['../package.json', '../lua/acp/secret_names.json'];

/** Which files may import each package. */
const packages: Readonly<Record<string, readonly RegExp[]>> = {
  '@agentclientprotocol/sdk': [/^acp\//, /^tour\//],
  '@xterm/addon-serialize': [/^workspace\/terminals\//],
  '@xterm/headless': [/^workspace\/terminals\//],
  diff: [/^diff\//, /^view\//],
  fuzzysort: [/^prompt\/file-search\.ts$/],
  'image-size': [/^media\/picture\.ts$/],
  neovim: [/^nvim\//, /^main\.ts$/],
  'node-pty': [/^system\/pty\.ts$/],
  tar: [/^registry\/(unpack|tar-content)\.ts$/],
  unbash: [/^permissions\//],
  undici: [/^acp\/transports\/remote\//],
  'vscode-jsonrpc': [/^acp\//, /^tour\//],
  ws: [/^acp\/transports\/remote\//],
  yauzl: [/^registry\/unpack\.ts$/],
};

it('reads the import statements', () => {
  expect(imports).toContainEqual({
    file: 'session/session.ts',
    target: 'ports/workspace.ts',
    isType: true,
  });
  expect(imports).toContainEqual({
    file: 'acp/agent.ts',
    target: 'acp/connection/agent-connection.ts',
    isType: false,
  });
  expect(imports.length).toBeGreaterThan(500);
});

describe('folders of src', () => {
  const folders = fs.readdirSync(path.join(root, 'src'));

  it('all have a line in the table of allowed imports', () => {
    expect([...folders].sort()).toEqual(Object.keys(allowed).sort());
  });

  it.each(Object.keys(allowed))('%s imports only the folders in its line', (folder) => {
    const others = imports.filter(
      (each) => isOurs(each) && folderOf(each.file) === folder && folderOf(each.target) !== folder,
    );
    const offences = others.filter(({ target }) => !allowed[folder]!.includes(folderOf(target)));
    expect(offences.filter(({ target }) => !sharedData.includes(target))).toEqual([]);
  });

  it('form no cycle, by value or by type', () => {
    expect(cyclesIn(folderEdges(imports))).toEqual([]);
  });

  it('form no cycle with the other folders of their parent, at any depth', () => {
    expect(cyclesAmongSiblings(imports)).toEqual([]);
    const imported = (file: string, target: string) => ({ file, target, isType: true });
    const cycle = [imported('a/b/x.ts', 'a/c/y.ts'), imported('a/c/y.ts', 'a/b/d/z.ts')];
    expect(cyclesAmongSiblings(cycle)).toEqual(
      [['a/c', 'a/b']].map((group) => expect.arrayContaining(group)),
    );
  });

  it('hold main.ts as the only loose file', () => {
    expect(folders.filter((name) => name.endsWith('.ts'))).toEqual(['main.ts']);
  });
});

it('no folder of source, Lua or test support has more than 16 loose files', () => {
  const crowded = ['src', 'lua', 'test/support'].flatMap(foldersBelow).filter(([, count]) => count > 16);
  expect(crowded).toEqual([]);
});

describe('packages', () => {
  const named = imports.filter((each) => !isOurs(each) && !each.target.startsWith('node:'));
  const packageOf = (target: string) => /^(@[^/]+\/)?[^/]+/.exec(target)![0];

  it('are imported only where their line allows it', () => {
    const offences = named.filter(
      ({ file, target }) => !packages[packageOf(target)]?.some((place) => place.test(file)),
    );
    expect(offences).toEqual([]);
  });

  it('for remote agents are loaded when the first remote agent is', () => {
    const remote = 'acp/transports/remote/remote-libraries.ts';
    const loading = named.filter(
      ({ target, isType }) => /^(@agentclientprotocol|ws$|undici$)/.test(target) && !isType,
    );
    expect(new Set(loading.map(({ file }) => file))).toEqual(new Set([remote]));
    const users = imports.filter(({ target }) => target === remote).map(({ file }) => file);
    expect(users.length).toBeGreaterThan(0);
    const source = (file: string) => fs.readFileSync(path.join(root, 'src', file), 'utf8');
    expect(users.filter((file) => /from '[^']*remote-libraries\.ts'/.test(source(file)))).toEqual([]);
  });

  it('of Node are imported by their full name', () => {
    expect(imports.filter(({ target }) => builtinModules.includes(target))).toEqual([]);
  });
});

/** Each folder at or below a folder of the repository, with the number of files that lie in it. */
function foldersBelow(folder: string): readonly (readonly [string, number])[] {
  const entries = fs.readdirSync(path.join(root, folder), { withFileTypes: true });
  const inner = entries.filter((entry) => entry.isDirectory());
  const count = entries.length - inner.length;
  return [[folder, count], ...inner.flatMap(({ name }) => foldersBelow(`${folder}/${name}`))];
}
