import path from 'node:path';
import { displayPath, isInside } from '../../base/paths.ts';
import type { OpenFile } from '../../ports/editor-operations.ts';
import type { WorktreeState } from '../../workspace/worktrees/worktree-state.ts';

type Obstacles = Pick<WorktreeState, 'mergeObstacle' | 'removalObstacle'>;

/** What keeps a worktree from being merged or removed that git does not know: unsaved text and running commands. */
export function editorObstacles(
  tree: WorktreeState,
  open: readonly OpenFile[],
  command: string | undefined,
): Obstacles {
  const unsaved = open.filter(({ isModified }) => isModified).map((file) => file.path);
  const inTree = unsaved.filter((file) => isInside(file, tree.folder));
  const merged = new Set(mergedFiles(tree));
  const inOrigin = unsaved.filter((file) => merged.has(file));
  const running =
    command === undefined ? undefined : `"${command}" is still running in it; :AcpTerminals kill ends it`;
  return {
    mergeObstacle: unsavedObstacle([...inTree, ...inOrigin], tree.folder),
    removalObstacle: unsavedObstacle(inTree, tree.folder) ?? running,
  };
}

/** The files of the user that a merge would change. */
function mergedFiles({ origin, changed, uncommitted }: WorktreeState): readonly string[] {
  return origin ? [...changed, ...uncommitted].map((name) => path.join(origin.folder, name)) : [];
}

function unsavedObstacle([first, ...others]: readonly string[], folder: string): string | undefined {
  if (first === undefined) return undefined;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  const have = others.length > 0 ? 'have' : 'has';
  return `${displayPath(first, folder)}${more} ${have} unsaved text in Neovim; save or discard it first`;
}
