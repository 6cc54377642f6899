import fs from 'node:fs';
import path from 'node:path';
import { NvimEditor } from '../../../src/nvim/editor.ts';
import type { Conflict, WorkspaceOptions } from '../../../src/ports/workspace.ts';
import { openSessionFiles, SharedFiles } from '../../../src/workspace/session-files.ts';
import { ManualClock } from '../doubles/clock.ts';
import { LogDouble } from '../doubles/log.ts';
import type { TestNvim } from '../nvim/nvim.ts';
import { aFolder } from '../system/temp.ts';

/** The files of a session and what its agent changes in them, in a real Neovim whose user is the test. */
export async function trackFiles(nvim: TestNvim, given: Partial<WorkspaceOptions> = {}) {
  const cwd = await nvim.lua<string>('return vim.uv.cwd()');
  const notices: string[] = [];
  const conflicts: Conflict[] = [];
  const options: WorkspaceOptions = {
    ...{ chat: 1, cwd, directories: [], changesFolder: path.join(aFolder(), 'state') },
    consent: async () => true,
    report: () => undefined,
    notice: (text) => void notices.push(text),
    resolveConflict: async (conflict) => void conflicts.push(conflict),
    ...given,
  };
  const editor = new NvimEditor(nvim.client, new LogDouble());
  const shared = new SharedFiles(editor);
  const log = new LogDouble();
  const { files, changes, buffers, records } = openSessionFiles(options, {
    ...{ editor, log, shared },
    clock: new ManualClock(),
  });
  const at = (name: string) => path.join(cwd, name);
  return {
    ...{ at, log, files, buffers, records, shared, notices, conflicts },
    changes: changes!,
    onDisk: (name: string) => fs.readFileSync(at(name), 'utf8'),
    read: (name: string) => files.read({ path: at(name), line: 1, limit: undefined, isMissingEmpty: false }),
    write: (name: string, content: string) => files.write({ path: at(name), content }),
  };
}
