import type { Clock } from '../ports/clock.ts';
import type { Editor } from '../ports/editor.ts';
import type { Log } from '../ports/log.ts';
import type { WorkspaceOptions } from '../ports/workspace.ts';
import { Authorship } from './changes/authorship.ts';
import { ChangeTracker } from './changes/change-tracker.ts';
import { AgentFiles } from './files/agent-files.ts';
import { BufferSync } from './files/buffer-sync.ts';
import { DiskConflicts } from './files/disk-conflicts.ts';
import { FileRecords, SharedFileRecords } from './files/file-record.ts';
import { AgentReports } from './files/knowledge/agent-reports.ts';
import { Roots } from './files/roots.ts';

/** What all sessions of this Neovim know about files together. */
export class SharedFiles {
  readonly records = new SharedFileRecords();
  readonly authorship = new Authorship(this.records);
  readonly conflicts: DiskConflicts;

  constructor(editor: Editor) {
    this.conflicts = new DiskConflicts(editor);
  }
}

interface SessionFilesParts {
  readonly editor: Editor;
  readonly clock: Clock;
  readonly log: Log;
  readonly shared: SharedFiles;
}

/** The file access and the change tracking of one session, over one set of records. */
export function openSessionFiles(
  options: WorkspaceOptions,
  { editor, clock, log, shared }: SessionFilesParts,
) {
  const records = new FileRecords(shared.records);
  const buffers = new BufferSync({ editor, conflicts: shared.conflicts, user: options });
  const { chat, cwd, directories, changesFolder } = options;
  const folders = [cwd, ...directories];
  const reports = new AgentReports({
    ...{ cwd, records },
    roots: new Roots(folders),
    visibleText: (record) => buffers.visibleText(record),
  });
  const changes =
    changesFolder === undefined
      ? undefined
      : new ChangeTracker({
          ...{ editor, clock, log, records, buffers, reports, chat, changesFolder, folders },
          authorship: shared.authorship,
          notice: (text) => options.notice?.(text),
        });
  const files = new AgentFiles({ options, editor, records, buffers, reports, observer: changes });
  return { records, buffers, changes, files };
}
