import { git } from '../snapshots/git.ts';

/** The folders of the repository of a folder, the main one first; without those that are gone. */
export async function listWorktrees(cwd: string): Promise<readonly string[]> {
  return (await readList(cwd)).map(({ folder }) => folder);
}

/** The same without a bare repository, which has no files. */
export async function listCheckouts(cwd: string): Promise<readonly string[]> {
  return (await readList(cwd)).filter(({ isBare }) => !isBare).map(({ folder }) => folder);
}

interface Listed {
  readonly folder: string;
  readonly isBare: boolean;
}

async function readList(cwd: string): Promise<readonly Listed[]> {
  const answer = await git(['worktree', 'list', '--porcelain', '-z'], { cwd });
  const trees = answer.toString().split('\0\0');
  return trees
    .map((tree) => tree.split('\0'))
    .filter(
      ([first = '', ...facts]) =>
        first.startsWith('worktree ') && !facts.some((fact) => fact.startsWith('prunable')),
    )
    .map(([first = '', ...facts]) => ({
      folder: first.slice('worktree '.length),
      isBare: facts.includes('bare'),
    }));
}
