import { afterEach, expect, it, vi } from 'vitest';
import { makeReport } from '../../../src/app/report.ts';

const facts = { neovim: 'NVIM', log: '/none', options: '', health: ['/root/bin/node'] };

afterEach(() => vi.unstubAllEnvs());

it.each([
  ['/root', '~/bin/node'],
  ['/', '/root/bin/node'],
])('a report with the home folder %s has the path %s', async (home, shown) => {
  vi.stubEnv('HOME', home);
  expect(await makeReport(facts, [])).toContain(`\n${shown}\n`);
});
