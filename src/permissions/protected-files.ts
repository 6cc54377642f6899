import { comparablePath, isRunFile } from '../model/run-files.ts';
import { isInGitFolder } from '../system/files/git-folder.ts';
import { resolveLinks } from './policy.ts';

/**
 * Whether a change of the file at this real path needs consent wherever it is: other programs execute it or read their
 * settings from it, or it is in one of the folders that Neovim executes files of and keeps its data in. Rules, trusted
 * projects and the record of decisions are there too.
 */
export function isProtectedFile(real: string, editorFolders: readonly string[]): boolean {
  return isRunFile(real) || editorFolders.some((folder) => isBelow(real, folder)) || isInGitFolder(real);
}

// The folder may be a link, such as one to a repository with settings.
function isBelow(real: string, folder: string): boolean {
  if (folder === '') return false;
  const file = `${comparablePath(real)}/`;
  return [folder, resolveLinks(folder)].some((each) => file.startsWith(`${comparablePath(each)}/`));
}
