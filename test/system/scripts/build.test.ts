import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { requireBuild } from '../../support/system/build.ts';
import { repoRoot } from '../../support/system/repo-root.ts';

beforeAll(requireBuild);

// One other character doubles the memory that V8 takes for the text of a program.
it.each(['host.js', 'tour.js', 'remote.js', 'diff-worker.js'])('writes %s in ASCII', (name) => {
  const code = fs.readFileSync(path.join(repoRoot, 'dist', name), 'utf8');
  expect(code.match(/.{0,20}[\u0080-\uffff].{0,20}/)?.[0]).toBeUndefined();
});
