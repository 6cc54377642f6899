// Which files a release has.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** What Neovim and its users need. */
const published = [
  ...['lua', 'plugin', 'syntax', 'rplugin', 'doc', 'dist'],
  ...['README.md', 'CHANGELOG.md', 'LICENSE', 'build.lua', 'pkg.json'],
];

/** The files of a release, relative to the repository: those that git knows, and the bundles. Throws if there are others. */
export function releaseFiles(root) {
  const list = (...options) => {
    const words = ['ls-files', '-z', ...options, '--', ...published];
    return execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  };
  const others = list('--others', '--exclude-standard');
  // It may be a note or a key of whoever makes the release.
  if (others.length > 0) throw new Error(`git add or remove first: ${others.join(', ')}`);
  // The bench has a folder of its own there.
  const built = fs.readdirSync(path.join(root, 'dist')).filter((name) => name.endsWith('.js'));
  const files = [...list('--cached'), ...built.map((name) => `dist/${name}`)];
  return files.filter((file) => isPublishable(path.join(root, file)));
}

function isPublishable(file) {
  const facts = fs.lstatSync(file, { throwIfNoEntry: false });
  if (facts?.isSymbolicLink()) throw new Error(`${file} is a link`);
  return facts !== undefined;
}
