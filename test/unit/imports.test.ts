import fs from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const src = path.resolve(import.meta.dirname, '../../src');

interface Import {
  readonly file: string;
  /** A package, or a file of ours from the folder of the sources. */
  readonly target: string;
  readonly isType: boolean;
}

const files = fs
  .readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replaceAll(path.sep, '/'));
const imports = files.flatMap(importsOf);

function importsOf(file: string): readonly Import[] {
  const statements = read(file).matchAll(
    /^(?:import|export)\s(type\s)?[^;]*?from '([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return [...statements].map(([, type, name = '', lazy]) => ({
    file,
    target: resolve(file, lazy ?? name),
    isType: type !== undefined,
  }));
}

function read(file: string): string {
  return fs.readFileSync(path.join(src, file), 'utf8');
}

function resolve(file: string, name: string): string {
  return name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : name;
}

const inside = (...folders: string[]) => folders.map((folder) => new RegExp(`^${folder}(/|$|\\.ts$)`));
const isIn = (name: string, places: readonly RegExp[]) => places.some((place) => place.test(name));

/** Imports of the files in the folders that match none of what is allowed there. */
function offences(folders: readonly string[], allowed: readonly RegExp[]): readonly string[] {
  return imports
    .filter(({ file, target }) => isIn(file, inside(...folders)) && !isIn(target, allowed))
    .map(({ file, target }) => `${file} imports ${target}`);
}

const common = [/^(base|errors|program-kinds|version)\.ts$/, ...inside('ports'), /^node:/];

it('reads the import lines', () => {
  expect(imports).toContainEqual({ file: 'session/session.ts', target: 'ports/workspace.ts', isType: true });
  expect(imports).toContainEqual({ file: 'acp/agent.ts', target: 'acp/connection.ts', isType: false });
  expect(files.length).toBeGreaterThan(30);
});

describe('imports go one way', () => {
  it.each<[string, string[], RegExp[]]>([
    [
      'acp knows ports, processes and the model',
      ['acp'],
      [
        ...inside('acp'),
        /^session\/(events|form|model)\.ts$/,
        /^(marked-group|processes|programs)\.ts$/,
        /^vscode-jsonrpc/,
        /^@agentclientprotocol\/sdk(\/experimental\/http-client)?$/,
        /^(ws|undici)$/,
      ],
    ],
    ['session knows neither the wire, nor Neovim, nor the view', ['session'], inside('session', 'workspace')],
    [
      'view knows the model, and nothing that acts',
      ['view'],
      [
        ...inside('view'),
        /^session\/(arguments|catalogue|events|form|form-walk|model|text|unseen)\.ts$/,
        /^workspace\/hunks\.ts$/,
        /^diff$/,
      ],
    ],
    [
      'workspace knows ports, processes and the model',
      ['workspace'],
      [
        ...inside('workspace'),
        /^session\/(events|model)\.ts$/,
        /^(processes|programs)\.ts$/,
        /^diff$/,
        /^@xterm\/(headless|addon-serialize)$/,
      ],
    ],
    ['registry knows no editor', ['registry'], [...inside('registry'), /^programs\.ts$/, /^tar$/, /^yauzl$/]],
    [
      'nvim knows ports, processes and the view',
      ['nvim'],
      [...inside('nvim', 'view'), /^(marked-group|processes)\.ts$/, /^neovim/, /^node-pty$/],
    ],
    [
      'the tour is a program of its own',
      ['tour'],
      [
        ...inside('tour'),
        /^vscode-jsonrpc/,
        /^@agentclientprotocol\/sdk/,
        /^acp\/(ndjson|line-splitter|rpc-errors)\.ts$/,
      ],
    ],
  ])('%s', (_, folders, allowed) => expect(offences(folders, [...allowed, ...common])).toEqual([]));

  it('the view reads the session, it does not run it', () => {
    const running = imports.filter(
      ({ file, target, isType }) => isIn(file, inside('view')) && target.startsWith('session/') && !isType,
    );
    const told = ['session/arguments.ts', 'session/model.ts', 'session/form.ts', 'session/unseen.ts'];
    expect(running.filter(({ target }) => !told.includes(target))).toEqual([]);
  });
});

describe('packages stay where they belong', () => {
  it.each<[string, RegExp, RegExp[]]>([
    ['neovim', /^neovim/, inside('nvim', 'main')],
    ['vscode-jsonrpc', /^vscode-jsonrpc/, inside('acp', 'tour')],
    ['@agentclientprotocol/sdk', /^@agentclientprotocol/, inside('acp', 'tour')],
    ['ws and undici', /^(ws|undici)$/, inside('acp/transports')],
    ['node-pty', /^node-pty/, [/^nvim\/pty\.ts$/]],
    ['@xterm', /^@xterm/, inside('workspace')],
    ['diff', /^diff/, inside('workspace', 'view')],
    ['tar and yauzl', /^(tar|yauzl)$/, [/^registry\/unpack\.ts$/]],
  ])('%s', (_, name, places) => {
    const strays = imports.filter(({ file, target }) => name.test(target) && !isIn(file, places));
    expect(strays).toEqual([]);
  });

  it('the types of the protocol are types only, but for what is loaded for agents elsewhere', () => {
    const heavy = imports.filter(({ target }) => /^(@agentclientprotocol|ws$|undici$)/.test(target));
    const loaded = heavy.filter(({ isType }) => !isType).map(({ file }) => file);
    expect(new Set(loaded)).toEqual(new Set(['acp/transports/libraries.ts']));
  });

  it('what is loaded for agents elsewhere is loaded when there is one', () => {
    const users = files.filter((file) => /from '[^']*\/libraries\.ts'/.test(read(file)));
    expect(users).toEqual([]);
    expect(imports.filter(({ target }) => target === 'acp/transports/libraries.ts').length).toBeGreaterThan(
      0,
    );
  });

  it('modules of Node are imported by their full name', () => {
    expect(imports.filter(({ target }) => builtinModules.includes(target))).toEqual([]);
  });
});
