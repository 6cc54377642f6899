import { realClock } from '../../src/clock.ts';
import type { Editor } from '../../src/ports.ts';
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
