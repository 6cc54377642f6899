import path from 'node:path';
import type { Disposable } from '../base.ts';
import type { Editor, Services, WorkPlace, Workspace } from '../ports.ts';
import { expandHome } from '../programs.ts';
import { Files } from './files.ts';

/** The user's files, in the editor they work in. */
export class EditorWorkspace implements Workspace {
  readonly offers = { files: true, terminals: false };
  private readonly editor: Editor;

  constructor(editor: Editor) {
    this.editor = editor;
  }

  open(place: WorkPlace): Services & Disposable {
    const directories = place.directories.map((name) => path.resolve(place.cwd, expandHome(name)));
    const files = new Files({ ...place, directories }, this.editor);
    return { files, dispose: () => undefined };
  }
}
