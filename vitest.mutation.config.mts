import { defineConfig } from 'vitest/config';
import { shellText } from './scripts/shell-text.mjs';

/** The lanes that `npm run mutate` uses. Searches with random input would take most of the time for each mutant. */
export default defineConfig({
  plugins: [shellText],
  test: {
    include: ['test/unit/**/*.test.ts', 'test/system/**/*.test.ts'],
    exclude: [
      ...['bash', 'changed-folders', 'oracle'].map((name) => `test/system/permissions/${name}.test.ts`),
      'test/system/acp/**/fuzz.test.ts',
    ],
    globalSetup: './test/support/system/own-temp.ts',
    testTimeout: 60_000,
  },
});
