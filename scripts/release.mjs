// Makes the tree that releases are published from: the plugin with its bundles, so that installing needs no npm.
// As a program: `node scripts/release.mjs FOLDER`.
import fs from 'node:fs';
import path from 'node:path';
import { releaseFiles } from './release-files.mjs';
import { build, root } from './setup.mjs';

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
  for (const file of releaseFiles(root)) {
    fs.cpSync(path.join(root, file), path.join(target, file));
  }
  fs.writeFileSync(
    path.join(target, 'package.json'),
    `${JSON.stringify(packageOfRelease(), undefined, 2)}\n`,
  );
}

/** node-pty has a native part, so it is the one package that is not in the bundles. */
function packageOfRelease() {
  const { name, version, description, license, engines, dependencies } = JSON.parse(
    fs.readFileSync(path.join(root, 'package.json'), 'utf8'),
  );
  const terminals = { 'node-pty': dependencies['node-pty'] };
  return { name, version, private: true, description, license, engines, dependencies: terminals };
}
