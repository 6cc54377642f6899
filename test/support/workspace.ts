import { realClock } from '../../src/clock.ts';
import { NodePtyLauncher } from '../../src/nvim/pty.ts';
import type { Editor } from '../../src/ports/host.ts';
import type { Leash } from '../../src/processes.ts';
import { EditorWorkspace } from '../../src/workspace/workspace.ts';
import { LogDouble } from './doubles.ts';

/** The workspace of an editor on a machine that has no terminals. */
export function withoutTerminals(editor: Editor): EditorWorkspace {
  const open = () => {
    throw new Error('there are no terminals here');
  };
  return new EditorWorkspace({
    ptys: { isAvailable: false, open },
    editor,
    clock: realClock,
    log: new LogDouble(),
  });
}

/** The workspace of an editor that has no file open, with real files and real terminals. */
export function withoutBuffers(leash: Leash): EditorWorkspace {
  const editor: Editor = { call: async () => null, tell: () => undefined };
  return new EditorWorkspace({
    ptys: new NodePtyLauncher(leash),
    editor,
    clock: realClock,
    log: new LogDouble(),
  });
}
