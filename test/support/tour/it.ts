import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { it as base, expect } from 'vitest';
import { buildOnce } from '../system/build.ts';
import { TourClient, type TourOptions } from './client.ts';

interface TourFixtures {
  /** An empty folder for the session. */
  readonly folder: string;
  /** Starts a tour agent that ends with the test. */
  readonly start: (options?: TourOptions) => TourClient;
}

/** `it` for tests with the built tour agent: it ends with its input, and its messages are validated against the schema. */
export const it = base.extend<TourFixtures>({
  folder: async ({ task: _ }, use) => {
    const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'acp-tour-')));
    await use(folder);
    fs.rmSync(folder, { recursive: true });
  },
  start: async ({ task: _ }, use) => {
    await buildOnce();
    const started: TourClient[] = [];
    await use((options) => {
      const client = new TourClient(options);
      started.push(client);
      return client;
    });
    await Promise.all(started.map((client) => client.end()));
    expect(started.flatMap(({ violations: complaints }) => complaints)).toEqual([]);
  },
});
