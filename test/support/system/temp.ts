import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, onTestFinished } from 'vitest';

const made: string[] = [];

/** An empty folder that is removed after the test. */
export function aFolder(): string {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'acp-test-')));
  made.push(folder);
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// Something that outlives its test may create them again.
afterAll(() => {
  const left = made.filter((folder) => fs.existsSync(folder));
  for (const folder of left) fs.rmSync(folder, { recursive: true, force: true });
  expect(left, 'folders that were left behind').toEqual([]);
});
