import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isProtectedFile } from '../../../src/permissions/protected-files.ts';
import { aFolder } from '../../support/system/temp.ts';

const repository = ['HEAD', 'objects', 'refs'].map((name) => `project/site.git/${name}`);

/** A home with the folders of a Neovim that has another name, one of them a link. */
function aHome() {
  const home = fs.realpathSync(aFolder());
  for (const name of ['.local/state/editor/acp', '.local/share/editor', 'dotfiles/editor', ...repository])
    fs.mkdirSync(path.join(home, name), { recursive: true });
  fs.mkdirSync(path.join(home, '.settings'));
  fs.symlinkSync(path.join(home, 'dotfiles/editor'), path.join(home, '.settings/editor'));
  const folders = ['.settings/editor', '.local/share/editor', '.local/state/editor', 'first.lua'];
  return { home, folders: folders.map((name) => path.join(home, name)) };
}

describe('isProtectedFile', () => {
  it.each<[string, string, boolean]>([
    ['the trusted projects', '.local/state/editor/acp/trusted-permissions.json', true],
    ['the record of decisions', '.local/state/editor/acp/decisions.log', true],
    ['a plugin that the next Neovim executes', '.local/share/editor/site/plugin/evil.lua', true],
    ['the same in capitals', '.local/share/EDITOR/site/plugin/evil.lua', true],
    ['settings behind a link', 'dotfiles/editor/init.lua', true],
    ['the folder of settings itself', 'dotfiles/editor', true],
    ['the first file', 'first.lua', true],
    ['a git hook', 'project/.git/hooks/x', true],
    ['a hook of a repository with another name', 'project/site.git/hooks/pre-receive', true],
    ['the folder of that repository', 'project/site.git', true],
    ['a folder with a similar name', '.local/share/editor2/a.lua', false],
    ['a file of the project', 'project/a.lua', false],
  ])('%s', (_, name, expected) => {
    const { home, folders } = aHome();
    expect(isProtectedFile(path.join(home, name), [...folders, ''])).toBe(expected);
  });
});
