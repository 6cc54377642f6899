import fs from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '../base.ts';

/**
 * Files that other programs run or obey, by themselves or at the next command of the user. A change of one of them can be
 * reviewed too late, so it is asked about even inside the folders of a session. `:help acp-run-files` lists them.
 *
 * A pattern is matched against the end of a path, in lower case; `/` at the end means everything below.
 */
const patterns: readonly string[] = [
  // git and its hooks
  '.git/',
  '.git',
  '.gitmodules',
  '.gitattributes',
  '.gitconfig',
  '.config/git/',
  '.githooks/',
  '.husky/',
  '.lefthook/',
  'lefthook.yml',
  'lefthook.yaml',
  '.pre-commit-config.yaml',
  '.pre-commit-config.yml',
  // Vim and Neovim
  '.nvim.lua',
  '.nvimrc',
  '.exrc',
  '.vimrc',
  '.lvimrc',
  '.vim/',
  '.lazy.lua',
  '.neoconf.json',
  '.config/nvim/',
  // shells, and what they load on the way into a folder
  '.envrc',
  '.env.fish',
  '.autoenv',
  '.mise.toml',
  'mise.toml',
  '.tool-versions',
  '.profile',
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.kshrc',
  '.cshrc',
  '.tcshrc',
  '.login',
  '.inputrc',
  '.config/fish/',
  '.config/autostart/',
  '.config/systemd/',
  '.ssh/',
  // other editors
  '.vscode/tasks.json',
  '.vscode/launch.json',
  '.vscode/settings.json',
  '.vscode/extensions.json',
  '.vscode/mcp.json',
  '.idea/',
  '.fleet/',
  '.zed/',
  '.dir-locals.el',
  '.devcontainer/',
  '.devcontainer.json',
  // continuous integration
  '.github/workflows/',
  '.github/actions/',
  '.gitlab-ci.yml',
  '.gitlab-ci.yaml',
  '.gitlab/ci/',
  '.circleci/',
  '.travis.yml',
  '.drone.yml',
  '.woodpecker/',
  '.woodpecker.yml',
  '.buildkite/',
  '.forgejo/workflows/',
  '.gitea/workflows/',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
  'jenkinsfile',
  // package managers
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  '.yarn/releases/',
  '.yarn/plugins/',
  '.pnp.cjs',
  'pip.conf',
  '.cargo/',
  // agents: their rules, hooks and servers
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.claude/hooks/',
  '.gemini/settings.json',
  '.qwen/settings.json',
  '.cursor/mcp.json',
  '.codex/',
  '.mcp.json',
];

const files = new Set(patterns.filter((pattern) => !pattern.endsWith('/')));
const folders = patterns.filter((pattern) => pattern.endsWith('/')).map((pattern) => `/${pattern}`);

/** Whether other programs run the file of this path, whose links are resolved. */
export function isRunFile(real: string): boolean {
  const name = plain(real);
  const parts = name.split('/');
  const ends = [1, 2, 3].map((count) => parts.slice(-count).join('/'));
  return ends.some((end) => files.has(end)) || folders.some((folder) => `${name}/`.includes(folder));
}

const gitNames = ['HEAD', 'objects', 'refs'];

/** Whether git would take a folder above this path for a repository, whatever the folder is called. */
export async function isInGitFolder(real: string): Promise<boolean> {
  for (let below = real; below !== path.dirname(below); below = path.dirname(below)) {
    const others = gitNames.filter((name) => name !== path.basename(below));
    if (await areAllThere(path.dirname(below), others)) return true;
  }
  return false;
}

async function areAllThere(folder: string, names: readonly string[]): Promise<boolean> {
  for (const name of names) {
    const facts = await fs.lstat(path.join(folder, name)).catch(() => undefined);
    if (!facts) return false;
  }
  return true;
}

/** Whether what a `package.json` makes its package manager run is changed; not being sure counts as a change. */
export function changesScripts(real: string, before: string | undefined, after: string): boolean {
  if (plain(path.basename(real)) !== 'package.json') return false;
  const [old, now] = [scriptsIn(before ?? '{}'), scriptsIn(after)];
  return old === undefined || now === undefined || old !== now;
}

const runFields = [
  'scripts',
  'bin',
  'husky',
  'lint-staged',
  'simple-git-hooks',
  'gypfile',
  'pnpm',
  'packageManager',
] as const;

function scriptsIn(text: string): string | undefined {
  try {
    const manifest: unknown = JSON.parse(text);
    if (!isRecord(manifest)) return undefined;
    return JSON.stringify(runFields.map((field) => manifest[field] ?? null));
  } catch {
    return undefined;
  }
}

// File systems may ignore case and characters without width: `.GIT/config` is `.git/config` there.
function plain(file: string): string {
  return file.normalize('NFKC').replace(invisible, '').replaceAll('\\', '/').toLowerCase();
}

const invisible = /\p{Default_Ignorable_Code_Point}/gu;
