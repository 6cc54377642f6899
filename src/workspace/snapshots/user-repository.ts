import fs from 'node:fs/promises';
import path from 'node:path';
import { withParents } from '../../base/paths.ts';
import { git } from './git.ts';

/** The user's repository. */
export interface UserRepository {
  /** The work tree, symlinks resolved. */
  readonly root: string;
  readonly index: string;
  readonly objects: string;
  readonly exclude: string;
  readonly objectFormat: string;
}

const questions = [
  ['--show-toplevel'],
  ['--git-path', 'index'],
  ['--git-path', 'objects'],
  ['--git-path', 'info/exclude'],
  ['--show-object-format'],
];

/** Undefined without a work tree or git. */
export async function findRepository(folder: string): Promise<UserRepository | undefined> {
  if (!(await isInRepository(folder))) return undefined;
  const answers = await ask(folder).catch(() => []);
  const [top, index, objects, exclude, objectFormat] = answers;
  if (!top || !index || !objects || !exclude || !objectFormat) return undefined;
  return { root: await fs.realpath(top), index, objects, exclude, objectFormat };
}

/** Whether git would find a repository: starting git to find out takes 5-40 ms of the host. */
export async function isInRepository(folder: string): Promise<boolean> {
  const real = await fs.realpath(folder).catch(() => folder);
  for (const each of withParents(real)) if (await exists(path.join(each, '.git'))) return true;
  return false;
}

function exists(file: string): Promise<boolean> {
  return fs.lstat(file).then(
    () => true,
    () => false,
  );
}

async function ask(folder: string): Promise<string[]> {
  const lines = (await revParse(folder, questions.flat())).split('\n');
  // The name of a folder may contain newlines.
  return lines.length === questions.length
    ? lines
    : Promise.all(questions.map((question) => revParse(folder, question)));
}

async function revParse(folder: string, args: readonly string[]): Promise<string> {
  const answer = await git(['rev-parse', '--path-format=absolute', ...args], { cwd: folder });
  return answer.toString().replace(/\n$/, '');
}
