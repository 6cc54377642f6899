import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { repoRoot } from '../../support/nvim/nvim-process.ts';
import { aFolder } from '../../support/system/temp.ts';

/** A checkout with the set-up script, and an npm that writes down its arguments. */
function aCheckout(...packages: readonly string[]) {
  const root = aFolder();
  const programs = path.join(root, 'bin');
  for (const folder of ['bin', 'scripts', ...packages.map((name) => `node_modules/${name}`)])
    fs.mkdirSync(path.join(root, folder), { recursive: true });
  fs.mkdirSync(path.join(root, 'node_modules'), { recursive: true });
  fs.writeFileSync(path.join(root, 'package-lock.json'), '{}');
  fs.copyFileSync(path.join(repoRoot, 'scripts', 'setup.mjs'), path.join(root, 'scripts', 'setup.mjs'));
  fs.writeFileSync(path.join(programs, 'npm'), '#!/bin/sh\necho "$@" >>npm.log\n', { mode: 0o755 });
  const install = (dev: boolean) => {
    const script = `import('./scripts/setup.mjs').then((setup) => setup.installPackages({ dev: ${dev} }))`;
    const PATH = `${programs}:${process.env.PATH}`;
    execFileSync(process.execPath, ['-e', script], { cwd: root, env: { PATH }, stdio: 'pipe' });
  };
  const runs = () => fs.readFileSync(path.join(root, 'npm.log'), 'utf8').trim().split('\n');
  return { install, runs };
}

describe('the packages that the demo installs', () => {
  it('are those that the plugin needs, and the tests add theirs', () => {
    const { install, runs } = aCheckout();
    install(false);
    install(false);
    expect(runs()).toEqual([expect.stringContaining('--omit=dev')]);
    install(true);
    expect(runs()).toEqual([expect.anything(), expect.not.stringContaining('--omit=dev')]);
  });

  it('include those of the tests if they are installed', () => {
    const { install, runs } = aCheckout('vitest');
    install(false);
    install(true);
    expect(runs()).toEqual([expect.not.stringContaining('--omit=dev')]);
  });
});
