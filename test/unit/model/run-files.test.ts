import { describe, expect, it } from 'vitest';
import known from '../../../src/model/run-files.json' with { type: 'json' };
import { isRunFile } from '../../../src/model/run-files.ts';

describe('isRunFile', () => {
  it.each([
    '/work/.git/config',
    '/work/.git/hooks/pre-commit',
    '/work/.git',
    '/work/sub/.git/config',
    '/work/.GIT/config',
    '/work/.g\u200cit/config',
    '/work/.envrc',
    '/work/sub/.envrc',
    '/work/.nvim.lua',
    '/work/.acp.json',
    '/work/.nvimrc',
    '/work/.exrc',
    '/work/.ExRc',
    '/home/me/.bashrc',
    '/home/me/.zshenv',
    '/home/me/.local/bin/git',
    '/home/me/.tmux.conf',
    '/home/me/.xprofile',
    '/home/me/.config/fish/config.fish',
    '/home/me/.config/nvim/init.lua',
    '/work/.vscode/tasks.json',
    '/work/.vscode/settings.json',
    '/work/.idea/workspace.xml',
    '/work/.github/workflows/test.yml',
    '/work/.gitlab-ci.yml',
    '/work/Jenkinsfile',
    '/work/.husky/pre-push',
    '/work/.pre-commit-config.yaml',
    '/work/.npmrc',
    '/home/me/.gitconfig',
    '/work/.yarn/releases/yarn-4.0.0.cjs',
    '/work/.vscode/mcp.json',
    '/work/opencode.json',
    '/work/.opencode/plugin/evil.ts',
    '/work/.cursor/hooks.json',
    '/work/.pi/extensions/evil.ts',
    '/work/.gemini/extensions/evil/gemini-extension.json',
  ])('is true for %s', (file) => expect(isRunFile(file)).toBe(true));

  const names = known.groups.flatMap(({ files }) => files);

  it.each(names)('is true for %s of the list, in any folder and in capitals', (name) => {
    const file = name.replace('*', 'x').replace(/\/$/, '/below/x');
    for (const each of [`/work/${file}`, `/work/sub/deep/${file}`, `/WORK/${file.toUpperCase()}`])
      expect(isRunFile(each), each).toBe(true);
    if (name.endsWith('/')) expect(isRunFile(`/work/${name.slice(0, -1)}`)).toBe(true);
  });

  it.each(names)('is false for names like %s', (name) => {
    const file = name.replace('*', '').replace(/\/$/, '');
    for (const each of [`/work/${file}x`, `/work/${file}.md`]) expect(isRunFile(each), each).toBe(false);
    if (!/^\*|^\.config\/mise/.test(name)) expect(isRunFile(`/work/x${file}`)).toBe(false);
  });

  it('has each file once', () => expect(new Set(names).size).toBe(names.length));

  it.each([
    ...['mise.local.toml', '.mise/config.toml', 'lefthook.json', 'lefthook.toml', '.lefthook.yml'],
    ...[
      'lefthook-local.yml',
      '.pnpmfile.mjs',
      '.woodpecker.yaml',
      '.drone.yaml',
      '.cirrus.yml',
      'appveyor.yml',
    ],
    ...[
      'cloudbuild.yaml',
      '.gitea/actions/a/action.yml',
      '.forgejo/actions/a/action.yml',
      'app.code-workspace',
    ],
    ...[
      '.vimspector.json',
      '.roo/mcp.json',
      '.kiro/hooks/a.json',
      '.windsurf/mcp_config.json',
      '.amazonq/mcp.json',
    ],
    ...['.cursor/environment.json', '.factory/hooks/a', '.augment/settings.json', '.claude/agents/a.md'],
    ...['.claude/commands/a.md', '.claude/skills/a/SKILL.md', '.claude/plugins/a', '.gemini/commands/a.toml'],
    ...['.config/direnv/direnvrc', '.direnvrc', '.config/kitty/kitty.conf', '.config/wezterm/wezterm.lua'],
    ...['.config/hypr/hyprland.conf', '.config/sway/config', '.config/i3/config', '.netrc', '.curlrc'],
    ...['.docker/config.json', '.kube/config'],
  ])('is true for %s, which is run by what is listed beside it', (name) =>
    expect(isRunFile(`/work/${name}`)).toBe(true),
  );

  it.each([
    '/work/src/main.ts',
    '/work/git/config',
    '/work/.github/README.md',
    '/work/.gitignore',
    '/work/.vscode/notes.md',
    '/work/package.json',
    '/work/Makefile',
    '/work/envrc',
    '/work/my.git/notes',
    '/work/.claude/CLAUDE.md',
    '/work/config/mise.md',
    '/work/code-workspace',
    '/work/.config/i3status/config',
    '/work/.docker/README.md',
  ])('is false for %s', (file) => expect(isRunFile(file)).toBe(false));
});
