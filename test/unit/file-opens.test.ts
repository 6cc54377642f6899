import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

/** Where files may be opened by other means than `regular-file.ts` and `M.read` of `paths.lua`, and which ones. */
const reasons: Readonly<Record<string, string>> = {
  'src/system/files/regular-file.ts': 'the way for everybody else',
  'src/workspace/files/held-folder.ts': 'files of the project, also without waiting',
  'src/workspace/files/': 'reads what held-folder.ts has opened',
  'src/workspace/snapshots/shadow-repository.ts':
    'reads what held-folder.ts has opened; copies the index that git made',
  'src/workspace/changes/persistence.ts': 'copies files of its own folder that are regular',
  'src/workspace/worktrees/hidden-files.ts': 'copies the index that git made',
  'src/media/media-file.ts': 'opens without waiting',
  'src/app/prompt/completions.ts': 'opens without waiting',
  'src/workspace/git-branch.ts': 'opens without waiting',
  'src/workspace/snapshots/blocked-by-pipe.ts': '/proc',
  'src/session/journal/journal-name.ts': '/proc',
  'src/system/marked-processes.ts': '/proc',
  'src/system/pty-flush.ts': 'a terminal',
  'src/system/code-cache.ts': 'the code of the plugin',
  'src/session/journal/journal.ts': 'copies a journal that was opened as a regular file',
  'src/session/journal/fork.ts': 'a new file',
  'src/prompt/history-file.ts': 'a new file',
  'src/app/traffic/recorder.ts': 'a new file',
  'src/registry/tar-content.ts': 'a file that was downloaded',
  'src/tour/': 'the tour is no part of the host',
  'lua/acp/agents/without_secrets.lua': 'a file of the plugin',
  'lua/acp/pictures/viewers.lua': 'a picture that the host has looked at',
  'lua/acp/buffers/change.lua': 'a file of the project whose kind is known',
  'lua/acp/buffers/text.lua': 'a file of the project whose kind is known',
  'lua/acp/context/texts.lua': 'files of the help',
  'lua/acp/paths.lua': 'the way for everybody else in Lua',
  'lua/acp/chat/drafts.lua': 'a new file',
};

const opening =
  /\b(?:readFileSync|openSync|copyFileSync|createReadStream|appendFileSync)\(|\b(?:fs|promises)\.(?:open|readFile|copyFile|appendFile)\(|\bio\.(?:open|lines)\(|\bfn\.(?:readfile|readblob)\(|\.fs_open\(/;

it('every file of the plugin is opened in a way that can not block, with a limit', () => {
  const files = ['src', 'lua'].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|lua)$/.test(name))
      .map((name) => `${folder}/${name}`),
  );
  const found = files.filter((file) => opening.test(fs.readFileSync(path.join(root, file), 'utf8')));
  const isKnown = (file: string) => Object.keys(reasons).some((known) => file.startsWith(known));
  expect(found.filter((file) => !isKnown(file))).toEqual([]);
  expect(Object.keys(reasons).filter((known) => !found.some((file) => file.startsWith(known)))).toEqual([]);
});
