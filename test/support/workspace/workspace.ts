import type { Editor } from '../../../src/ports/editor.ts';
import type { HostOptions } from '../../../src/ports/options.ts';
import { realClock } from '../../../src/system/clock.ts';
import type { OrphanGuard } from '../../../src/system/orphan-guard.ts';
import { NodePtyLauncher } from '../../../src/system/pty.ts';
import { EditorWorkspace } from '../../../src/workspace/workspace.ts';
import { answerWithoutBuffers, EditorDouble } from '../doubles/editor.ts';
import { LogDouble } from '../doubles/log.ts';

export const someOptions: HostOptions = {
  logLevel: 'info',
  shell: '/bin/sh',
  isStrict: false,
  hasProposals: false,
  permissions: [],
  idleMinutes: 0,
  remembered: [],
  settingsFile: '',
  models: [],
  modes: [],
  permissionFiles: { user: '', trust: '', audit: '' },
  editorFolders: [],
  onConflict: 'ask',
  hasHistory: true,
  keep: { days: 30, count: 100 },
  leavesMarkdown: false,
  isPlain: false,
  keys: { cancel: '<C-c>', nextQuestion: 'gw', diff: 'gd' },
};

/** A workspace without terminals. */
export function withoutTerminals(editor: Editor): EditorWorkspace {
  const open = () => {
    throw new Error('there are no terminals here');
  };
  return new EditorWorkspace({
    ptys: { isAvailable: false, open },
    editor,
    clock: realClock,
    log: new LogDouble(),
    options: () => someOptions,
  });
}

/** A workspace with real files and terminals, in an editor without open files. */
export function withoutBuffers(orphanGuard: OrphanGuard): EditorWorkspace {
  const editor = new EditorDouble();
  editor.call = answerWithoutBuffers;
  return new EditorWorkspace({
    ptys: new NodePtyLauncher(orphanGuard),
    editor,
    clock: realClock,
    log: new LogDouble(),
    options: () => someOptions,
  });
}
