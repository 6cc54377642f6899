import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const folder = import.meta.dirname;
// Reading the repository's own sources is allowed.
const impure = [
  /from '(node:(child_process|worker_threads|net|http|os)|.*\/support\/system\/[^']*)'/,
  /\bfs\.(write|mkdir|mkdtemp|append|rm|symlink|watch)\w*\(/,
];

it('unit tests write no files and use no processes, threads or sockets: those belong to test/system', () => {
  const files = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const found = files.filter((file) => {
    const text = file.endsWith('.ts') ? fs.readFileSync(path.join(folder, file), 'utf8') : '';
    return impure.some((pattern) => pattern.test(text));
  });
  expect(found).toEqual([]);
});
