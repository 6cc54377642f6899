import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

let own: string | undefined;

/** Gives a run its own temporary folder. */
export function setup(): void {
  // Once for all lanes of a run.
  if (process.env.ACP_TEST_TEMP !== undefined) return;
  own = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'acp-')));
  process.env.ACP_TEST_TEMP = own;
  process.env.ACP_TEST_SKIPPED = path.join(own, 'skipped');
  process.env.TMPDIR = own;
}

/** Reports why tests were skipped, and what tests left behind, which fails the run. */
export function teardown(): void {
  if (own === undefined) return;
  const folder = own;
  const reasons = fs.existsSync(path.join(folder, 'skipped'))
    ? fs.readFileSync(path.join(folder, 'skipped'), 'utf8').trim().split('\n')
    : [];
  for (const reason of new Set(reasons)) console.error(`Tests were skipped: ${reason}.`);
  // Node and Neovim keep caches there under other names.
  const left = fs.readdirSync(folder).filter((name) => name.startsWith('acp-'));
  const contents = left.flatMap((name) => [name, ...filesIn(path.join(folder, name))]);
  fs.rmSync(folder, { recursive: true, force: true });
  if (left.length === 0) return;
  console.error(`Tests left these files behind:\n  ${contents.join('\n  ')}`);
  process.exitCode = 1;
}

function filesIn(folder: string): readonly string[] {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.map((entry) => path.join(entry.parentPath, entry.name));
}
