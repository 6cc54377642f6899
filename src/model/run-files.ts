/** A path as a file system may compare it: it may ignore case and characters without width. */
export function comparablePath(file: string): string {
  return file.normalize('NFKC').replace(invisible, '').replaceAll('\\', '/').toLowerCase();
}

const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Files that other programs execute or read their settings from, at any time or at the next command of the user. A
 * review of such a change may come too late, so it needs consent also inside of the folders. `:help acp-run-files`
 * lists them.
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
  '.acp.json',
  '.acp-permissions',
  'acp-permissions',
  '.neoconf.json',
  '.config/nvim/',
  // shells, and files they load on entering a folder
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
  '.bash_completion',
  '.pam_environment',
  '.xinitrc',
  '.xprofile',
  '.xsession',
  '.xsessionrc',
  '.tmux.conf',
  '.config/tmux/',
  '.local/bin/',
  '.local/share/applications/',
  '.config/environment.d/',
  '.config/autostart/',
  '.config/systemd/',
  '.ssh/',
  '.gnupg/',
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
  '.emacs',
  '.emacs.d/',
  '.devcontainer/',
  '.devcontainer.json',
  // debuggers
  '.gdbinit',
  '.lldbinit',
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
  '.gemini/extensions/',
  '.qwen/extensions/',
  '.cursor/mcp.json',
  '.cursor/hooks.json',
  '.codex/',
  'opencode.json',
  'opencode.jsonc',
  '.opencode/',
  '.kilo/',
  '.kilocode/',
  'crush.json',
  '.crush.json',
  '.pi/',
  '.mcp.json',
];

const files = new Set(patterns.filter((pattern) => !pattern.endsWith('/')));
const folders = patterns.filter((pattern) => pattern.endsWith('/')).map((pattern) => `/${pattern}`);

/** Whether other programs execute the file at this real path, or read their settings from it. */
export function isRunFile(real: string): boolean {
  const name = comparablePath(real);
  const parts = name.split('/');
  const ends = [1, 2, 3].map((count) => parts.slice(-count).join('/'));
  return ends.some((end) => files.has(end)) || folders.some((folder) => `${name}/`.includes(folder));
}
