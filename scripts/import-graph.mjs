// Prints which folder of `src/` imports which, by value and by type, and the cycles among them.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const src = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'src');
const importStatement = /^(?:import|export)\s(type\s)?[^;]*?from '([^']+)'|\bimport\('([^']+)'\)/gm;

/** Every import in `src/`: the file, what it imports (a package, or a path from `src/`), and whether only its types. */
export function readImports(root = src) {
  const files = fs
    .readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll(path.sep, '/'))
    .filter((name) => name.endsWith('.ts'));
  return files.flatMap((file) =>
    [...fs.readFileSync(path.join(root, file), 'utf8').matchAll(importStatement)].map(
      ([, type, name, lazy]) => ({ file, target: resolve(file, lazy ?? name), isType: type !== undefined }),
    ),
  );
}

/** The folder directly below `src/` that a file lies in, or the file itself. */
export function folderOf(file) {
  return file.split('/')[0];
}

/** Imports between folders of `src/`, counted: `from to` → count. */
export function folderEdges(imports) {
  const edges = new Map();
  for (const { file, target } of imports) {
    const [from, to] = [folderOf(file), folderOf(target)];
    if (!target.endsWith('.ts') || from === to) continue;
    const key = `${from} ${to}`;
    edges.set(key, (edges.get(key) ?? 0) + 1);
  }
  return edges;
}

/** Cycles among the folders that share a parent folder, at every level of `src/`. */
export function cyclesAmongSiblings(imports) {
  const parents = new Set(['']);
  for (const { file } of imports) {
    const folders = file.split('/').slice(0, -1);
    for (let depth = 1; depth <= folders.length; depth += 1) parents.add(folders.slice(0, depth).join('/'));
  }
  return [...parents].flatMap((parent) => cyclesIn(siblingEdges(imports, parent)));
}

function siblingEdges(imports, parent) {
  const depth = parent === '' ? 0 : parent.split('/').length;
  const siblingOf = (file) => {
    const parts = file.split('/');
    const isBelow = parts.slice(0, depth).join('/') === parent;
    return isBelow && parts.length > depth + 1 ? parts.slice(0, depth + 1).join('/') : undefined;
  };
  const edges = new Map();
  for (const { file, target } of imports) {
    const [from, to] = [siblingOf(file), target.endsWith('.ts') ? siblingOf(target) : undefined];
    if (from === undefined || to === undefined || from === to) continue;
    const key = `${from} ${to}`;
    edges.set(key, (edges.get(key) ?? 0) + 1);
  }
  return edges;
}

/** Groups of folders that import each other, directly or around a circle (Tarjan's algorithm). */
export function cyclesIn(edges) {
  const next = new Map();
  for (const key of edges.keys()) {
    const [from, to] = key.split(' ');
    next.set(from, [...(next.get(from) ?? []), to]);
  }
  const index = new Map();
  const low = new Map();
  const stack = [];
  const cycles = [];
  const visit = (node) => {
    index.set(node, index.size);
    low.set(node, index.get(node));
    stack.push(node);
    for (const other of next.get(node) ?? []) {
      if (!index.has(other)) visit(other);
      if (stack.includes(other)) low.set(node, Math.min(low.get(node), low.get(other)));
    }
    if (low.get(node) !== index.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    if (group.length > 1) cycles.push(group);
  };
  for (const node of next.keys()) if (!index.has(node)) visit(node);
  return cycles;
}

function resolve(file, name) {
  return name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : name;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const imports = readImports();
  const edges = folderEdges(imports);
  for (const [key, count] of [...edges].sort()) console.log(`${key.replace(' ', ' → ')}  (${count})`);
  const cycles = cyclesAmongSiblings(imports);
  console.log(
    cycles.length === 0 ? 'no cycles' : `cycles: ${cycles.map((group) => group.join(', ')).join('; ')}`,
  );
}
