import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

let own: string | undefined;

/** Gives a run a temporary folder of its own. */
export function setup(): void {
  // Once for all lanes of a run.
  if (process.env.ACP_TEST_TEMP !== undefined) return;
  own = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'acp-')));
  process.env.ACP_TEST_TEMP = own;
  process.env.TMPDIR = own;
}

/** Names what tests have left there. */
export function teardown(): void {
  if (own === undefined) return;
  // Others than we keep caches there.
  const left = fs.readdirSync(own).filter((name) => name.startsWith('acp-'));
  const contents = left.flatMap((name) => [name, ...filesIn(path.join(own!, name))]);
  fs.rmSync(own, { recursive: true, force: true });
  if (left.length > 0) console.error(`tests left these folders behind:\n  ${contents.join('\n  ')}`);
}

function filesIn(folder: string): readonly string[] {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.map((entry) => path.join(entry.parentPath, entry.name));
}
