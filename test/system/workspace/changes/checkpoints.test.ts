import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasGit, makeRepository } from '../../../support/system/git.ts';
import { aFolder } from '../../../support/system/temp.ts';
import { put, Watched } from '../../../support/workspace/changes.ts';

const binary = Buffer.from([0, 1, 2, 255]);

/** A folder with something of every kind, and one outside of it with files of the same names. */
function aScene(isRepository: boolean) {
  const [folder, outside] = [aFolder(), aFolder()];
  put(folder, 'a.txt', 'a\n');
  put(folder, 'b.bin', binary);
  put(folder, 'd/f.txt', 'f\n');
  put(folder, 'd/g.bin', binary);
  fs.symlinkSync('../a.txt', path.join(folder, 'd/link'));
  if (isRepository) makeRepository(folder);
  for (const name of ['a.txt', 'b.bin', 'f.txt', 'g.bin']) put(outside, name, `outside ${name}\n`);
  const watched = new Watched({ folder });
  const content = () => contentOf(folder);
  return { folder, outside, watched, before: content(), content, kept: contentOf(outside) };
}

/** Everything in a folder, by name: what is in files, and where links lead. */
function contentOf(folder: string): Readonly<Record<string, string>> {
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const entries = names
    .filter((name) => !name.startsWith('.git'))
    .map((name) => [name, path.join(folder, name)] as const)
    .filter(([, file]) => !fs.lstatSync(file).isDirectory())
    .map(([name, file]) => [
      name,
      fs.lstatSync(file).isSymbolicLink()
        ? `-> ${fs.readlinkSync(file)}`
        : fs.readFileSync(file).toString('base64'),
    ]);
  return Object.fromEntries(entries.toSorted());
}

function replaceByLink(folder: string, name: string, target: string): void {
  fs.rmSync(path.join(folder, name), { recursive: true });
  fs.symlinkSync(target, path.join(folder, name));
}

const attacks: Readonly<Record<string, (folder: string, outside: string) => void>> = {
  'a binary that became a link to a file outside': (folder, outside) =>
    replaceByLink(folder, 'b.bin', path.join(outside, 'b.bin')),
  'a text that became a link to a file outside': (folder, outside) =>
    replaceByLink(folder, 'a.txt', path.join(outside, 'a.txt')),
  'a text that became a link to a file outside with two names': (folder, outside) => {
    fs.linkSync(path.join(outside, 'a.txt'), path.join(outside, 'second'));
    replaceByLink(folder, 'a.txt', path.join(outside, 'a.txt'));
  },
  'a text that became a second name of a file outside': (folder, outside) => {
    fs.rmSync(path.join(folder, 'a.txt'));
    fs.linkSync(path.join(outside, 'a.txt'), path.join(folder, 'a.txt'));
  },
  'a binary that became a second name of a file outside': (folder, outside) => {
    fs.rmSync(path.join(folder, 'b.bin'));
    fs.linkSync(path.join(outside, 'b.bin'), path.join(folder, 'b.bin'));
  },
  'a folder that became a link to one outside': (folder, outside) => replaceByLink(folder, 'd', outside),
  'a folder that became a file': (folder) => {
    fs.rmSync(path.join(folder, 'd'), { recursive: true });
    put(folder, 'd', 'a file\n');
  },
  'a file that became a folder': (folder) => {
    fs.rmSync(path.join(folder, 'a.txt'));
    put(folder, 'a.txt/deep/new.txt', 'new\n');
  },
  'a folder that is gone, with binaries and links in it': (folder) =>
    fs.rmSync(path.join(folder, 'd'), { recursive: true }),
};

const kinds = [true, false].filter((isRepository) => hasGit || !isRepository);

describe.each(kinds)('in a folder (repository: %s)', (isRepository) => {
  it('rejecting restores a text that was replaced by a pipe', async () => {
    const { folder, watched } = aScene(isRepository);
    const file = path.join(folder, 'a.txt');
    await watched.turn(() => {
      fs.rmSync(file);
      execFileSync('mkfifo', [file]);
    });
    await watched.rejectAll();
    expect(fs.lstatSync(file).isFile()).toBe(true);
    expect(fs.readFileSync(file, 'utf8')).toBe('a\n');
  });

  it.each(Object.entries(attacks))(
    'rejecting restores the file without following links: %s',
    async (_, attack) => {
      const { folder, outside, watched, before, content } = aScene(isRepository);
      await watched.turn(() => attack(folder, outside));
      const kept = contentOf(outside);
      const attacked = content();
      await watched.rejectAll();
      expect(content()).toEqual(before);
      expect(contentOf(outside)).toEqual(kept);
      await watched.changes.decisions.undo();
      expect(content()).toEqual(attacked);
      expect(contentOf(outside)).toEqual(kept);
    },
  );

  it.each(Object.entries(attacks))(
    'restoring a checkpoint restores the file without following links: %s',
    async (_, attack) => {
      const { folder, outside, watched, before, content } = aScene(isRepository);
      await watched.turn(() => attack(folder, outside), 'go');
      const kept = contentOf(outside);
      await watched.restore('go');
      expect(content()).toEqual(before);
      expect(contentOf(outside)).toEqual(kept);
    },
  );

  it('rejecting one file fails while its folder is a symlink', async () => {
    const { folder, outside, watched, kept } = aScene(isRepository);
    await watched.turn(() => replaceByLink(folder, 'd', outside));
    await watched.changes.scan();
    const rejected = watched.changes.decisions.decide({
      ...{ verdict: 'reject', scope: 'session' },
      path: watched.at('d/f.txt'),
    });
    await expect(rejected).rejects.toThrow(/d\/f\.txt .*(link|not a folder)/);
    expect(contentOf(outside)).toEqual(kept);
  });
});

it('rejecting restores all files it can and names the one that failed', async () => {
  const folder = aFolder();
  put(folder, 'a.txt', 'a\n');
  put(folder, 'b', Buffer.alloc(6 * 1024 * 1024));
  put(folder, 'c.txt', 'c\n');
  const watched = new Watched({ folder });
  await watched.turn(() => {
    for (const name of ['a.txt', 'b', 'c.txt']) put(folder, name, 'changed\n');
  });
  const message = `1 of 3 files was not restored: ${watched.at('b')} was too large`;
  await expect(watched.rejectAll()).rejects.toThrow(message);
  expect(await watched.list()).toEqual(['b +0 -0']);
  await watched.changes.decisions.undo();
  expect(await watched.list()).toEqual(['a.txt +1 -1', 'b +0 -0', 'c.txt +1 -1']);
});

it('an undo that fails for one file can be tried again', async () => {
  const folder = aFolder();
  const names = ['a.txt', 'b.txt', 'c.txt'];
  for (const name of names) put(folder, name, `${name}\n`);
  const watched = new Watched({ folder });
  const texts = () => names.map((name) => fs.readFileSync(watched.at(name), 'utf8'));
  await watched.turn(() => names.map((name) => put(folder, name, 'agent\n')));
  await watched.rejectAll();
  put(folder, 'b.txt', 'user\n');
  await expect(watched.changes.decisions.undo()).rejects.toThrow(/same lines of .*b\.txt/);
  expect(texts()).toEqual(['a.txt\n', 'user\n', 'c.txt\n']);
  put(folder, 'b.txt', 'b.txt\n');
  await watched.changes.decisions.undo();
  expect(texts()).toEqual(['agent\n', 'agent\n', 'agent\n']);
});

describe('a file outside of the folders of the session', () => {
  const aFileOutside = () => {
    const [folder, outside] = [aFolder(), aFolder()];
    put(outside, 'x.txt', 'one\n');
    const watched = new Watched({ folder });
    const file = path.join(outside, 'x.txt');
    return { watched, file, name: path.relative(folder, file) };
  };

  it('is reviewed if the agent changes it, also after the user has saved it', async () => {
    const { watched, file, name } = aFileOutside();
    await watched.changes.onSaved(file);
    await watched.turn(() => watched.write(name, 'two\n'));
    expect(await watched.list()).toEqual([`${name} +1 -1`]);
  });

  it('is rejected only after the user has confirmed that', async () => {
    const { watched, file, name } = aFileOutside();
    await watched.turn(() => watched.write(name, 'two\n'));
    const reject = { verdict: 'reject', scope: 'session' } as const;
    expect(await watched.changes.decisions.decide(reject)).toEqual([file]);
    expect(fs.readFileSync(file, 'utf8')).toBe('two\n');
    expect(await watched.changes.decisions.decide({ ...reject, isOutsideToo: true })).toEqual([]);
    expect(fs.readFileSync(file, 'utf8')).toBe('one\n');
  });
});
