import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const lua = path.resolve(import.meta.dirname, '../../lua/acp');

/**
 * Which other parts of `lua/acp/` each part may require. A part is a folder, a loose file, or a file with a line of its
 * own. The parts are listed from the top down, and a line names only parts below it.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  init: ['commands', 'attention', 'extensions', 'host', 'config'],
  // The host calls these by name.
  operations: [
    'commands',
    'lifecycle',
    'sessions',
    'ask',
    'review',
    'debug',
    'terminal',
    'lsp',
    'chat',
    'attention',
    'context',
    'dialogs',
    'extensions',
    'agents',
    'buffers',
    'host',
    'ui',
    'chats',
    'config',
    'messages',
  ],
  commands: [
    'recovery',
    'health',
    'lifecycle',
    'sessions',
    'ask',
    'debug',
    'chat',
    'attention',
    'context',
    'dialogs',
    'agents',
    'ui',
    'host',
    'root',
    'chats',
    'config',
    'messages',
    'paths',
    'templates',
  ],
  recovery: [
    'host/unload',
    'review',
    'terminal',
    'chat',
    'attention',
    'dialogs',
    'host',
    'chats',
    'messages',
    'paths',
  ],
  session_file: ['ui'],
  'host/unload': ['chat', 'host', 'ui', 'chats', 'messages'],
  lifecycle: [
    'ask',
    'review',
    'lsp',
    'chat',
    'attention',
    'dialogs',
    'agents',
    'buffers',
    'host',
    'ui',
    'root',
    'chats',
    'config',
    'paths',
  ],
  health: ['agents', 'host', 'config', 'paths', 'agents/spec'],
  lsp: ['chat', 'dialogs', 'host', 'ui', 'chats', 'config', 'messages'],
  ask: ['chat', 'context', 'ui', 'config', 'messages'],
  sessions: ['chat', 'agents', 'host', 'ui', 'root', 'config', 'paths', 'messages'],
  review: ['chat', 'host', 'ui', 'config', 'messages'],
  debug: ['host', 'ui', 'chats', 'config', 'messages', 'paths'],
  terminal: ['host', 'ui', 'config', 'messages'],
  chat: [
    'pictures',
    'context',
    'dialogs',
    'agents',
    'buffers',
    'host',
    'ui',
    'chats',
    'config',
    'messages',
    'paths',
  ],
  attention: ['host', 'screen', 'ui', 'chats', 'config', 'messages', 'attention/spec'],
  context: ['host', 'ui', 'chats', 'config', 'messages'],
  dialogs: ['host', 'screen', 'ui', 'chats', 'config', 'messages'],
  extensions: ['host', 'chats', 'messages'],
  agents: ['host', 'config', 'messages', 'paths', 'agents/spec'],
  buffers: ['host', 'chats', 'config', 'messages'],
  host: ['config', 'messages', 'paths'],
  screen: ['ui'],
  ui: ['config', 'messages'],
  pictures: ['config'],
  root: ['config'],
  chats: [],
  config: ['templates', 'messages', 'paths', 'agents/spec', 'attention/spec'],
  messages: [],
  templates: [],
  paths: [],
  'agents/spec': [],
  'attention/spec': [],
};

const files = fs
  .readdirSync(lua, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.lua'))
  .map((name) => name.replaceAll(path.sep, '/').replace(/\.lua$/, ''));
const imports = files.flatMap((file) =>
  requiresOf(file).map((target) => ({ file, target, from: partOf(file), to: partOf(target) })),
);

it('reads the requires of every Lua file', () => {
  expect(imports).toContainEqual(
    expect.objectContaining({ file: 'commands/init', target: 'recovery', to: 'recovery' }),
  );
  expect(imports).toContainEqual(
    expect.objectContaining({ file: 'chat/drawing/figures', target: 'ui/text_width', to: 'ui' }),
  );
  expect(imports.length).toBeGreaterThan(150);
});

describe('parts of lua/acp', () => {
  it('all have a line in the table of allowed requires, and every line has a part', () => {
    expect([...new Set(files.map(partOf))].sort()).toEqual(Object.keys(allowed).sort());
  });

  it('may require only parts that stand below them in the table', () => {
    const order = Object.keys(allowed);
    const upward = order.flatMap((part, index) =>
      allowed[part]!.filter((other) => order.indexOf(other) <= index).map((other) => `${part} → ${other}`),
    );
    expect(upward).toEqual([]);
  });

  it.each(Object.keys(allowed))('%s requires only the parts in its line', (part) => {
    const others = imports.filter(({ from, to }) => from === part && to !== part);
    expect(others.filter(({ to }) => !allowed[part]!.includes(to))).toEqual([]);
  });
});

it('every required Lua module is a file', () => {
  const modules = new Set([...files, ...files.map((file) => file.replace(/\/init$/, ''))]);
  expect(imports.filter(({ target }) => !modules.has(target))).toEqual([]);
});

it('no Lua module is required by a name that is put together', () => {
  const offences = files.filter((file) => /require\((?!'[\w.-]+'\))|require"/.test(sourceOf(file)));
  expect(offences).toEqual([]);
});

/** The modules of the plugin that a file requires; `acp` itself is `init`. */
function requiresOf(file: string): readonly string[] {
  const names = [...sourceOf(file).matchAll(/require\(?'(acp(?:\.[\w.]+)?)'/g)].map(([, name]) => name!);
  return names.map((name) => (name === 'acp' ? 'init' : name.slice('acp.'.length).replaceAll('.', '/')));
}

function partOf(module: string): string {
  return module in allowed ? module : module.split('/')[0]!;
}

function sourceOf(file: string): string {
  return fs.readFileSync(path.join(lua, `${file}.lua`), 'utf8');
}
