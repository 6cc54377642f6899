import { describe, expect, it } from 'vitest';
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
  ])('is true for %s', (file) => expect(isRunFile(file)).toBe(true));

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
  ])('is false for %s', (file) => expect(isRunFile(file)).toBe(false));
});
