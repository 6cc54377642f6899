import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasPackages } from '../../../scripts/setup.mjs';
import { aFolder } from '../../support/system/temp.ts';

const lock = {
  '': { version: '1.0.0' },
  'node_modules/runs': { version: '1.2.3' },
  'node_modules/tests': { version: '4.5.6', dev: true },
  'node_modules/other-system': { version: '7.8.9', optional: true },
};
const runs = { 'node_modules/runs': { version: '1.2.3' } };
const tests = { 'node_modules/tests': { version: '4.5.6', dev: true } };

describe('the packages', () => {
  it.each([
    { what: 'none is installed', installed: undefined, demo: false, test: false },
    { what: 'npm installed those that the plugin runs with', installed: runs, demo: true, test: false },
    { what: 'npm installed all of them', installed: { ...runs, ...tests }, demo: true, test: true },
    {
      what: 'another version is installed',
      ...{ installed: { ...tests, 'node_modules/runs': { version: '1.2.2' } }, demo: false, test: false },
    },
  ])('are enough for the demo: $demo, for the tests: $test, if $what', ({ installed, demo, test }) => {
    const folder = aFolder();
    fs.writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ packages: lock }));
    if (installed) {
      fs.mkdirSync(path.join(folder, 'node_modules'));
      const file = path.join(folder, 'node_modules', '.package-lock.json');
      fs.writeFileSync(file, JSON.stringify({ packages: installed }));
    }
    expect([hasPackages(folder, { dev: false }), hasPackages(folder, { dev: true })]).toEqual([demo, test]);
  });
});
