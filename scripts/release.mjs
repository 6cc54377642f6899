// Makes the tree that releases are published from: the plugin with its bundles, so that installing needs no npm.
// As a program: `node scripts/release.mjs FOLDER`.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { build, root } from './setup.mjs';

/** What Neovim and its users need. */
const published = [
  ...['lua', 'plugin', 'syntax', 'rplugin', 'doc', 'dist'],
  ...['README.md', 'CHANGELOG.md', 'LICENSE', 'build.lua', 'pkg.json'],
];

const [folder] = process.argv.slice(2);
if (!folder) {
  process.stderr.write('Usage: node scripts/release.mjs FOLDER\n');
  process.exit(2);
}
release(path.resolve(folder));

function release(target) {
  if (fs.existsSync(target) && fs.readdirSync(target).some((name) => name !== '.git')) {
    throw new Error(`${target} is not empty`);
  }
  build();
  for (const file of publishedFiles()) {
    fs.cpSync(path.join(root, file), path.join(target, file));
  }
  fs.writeFileSync(
    path.join(target, 'package.json'),
    `${JSON.stringify(packageOfRelease(), undefined, 2)}\n`,
  );
}

function publishedFiles() {
  const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...published], {
    cwd: root,
    encoding: 'utf8',
  });
  // The bench has a folder of its own there.
  const built = fs.readdirSync(path.join(root, 'dist')).filter((name) => name.endsWith('.js'));
  const bundles = built.map((name) => `dist/${name}`);
  const files = [...tracked.split('\n').filter(Boolean), ...bundles];
  return files.filter((file) => fs.existsSync(path.join(root, file)));
}

/** node-pty has a native part, so it is the one package that is not in the bundles. */
function packageOfRelease() {
  const { name, version, description, license, engines, dependencies } = JSON.parse(
    fs.readFileSync(path.join(root, 'package.json'), 'utf8'),
  );
  const terminals = { 'node-pty': dependencies['node-pty'] };
  return { name, version, private: true, description, license, engines, dependencies: terminals };
}
