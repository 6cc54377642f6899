import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Roots } from '../../../../src/workspace/files/roots.ts';
import { cpuTime } from '../../../support/cpu-time.ts';
import { aFolder } from '../../../support/system/temp.ts';

/** A project, a place beside it, and links in every direction. */
function aPlace() {
  const base = fs.realpathSync(aFolder());
  const [project, other] = [path.join(base, 'project'), path.join(base, 'other')];
  for (const folder of [project, other, `${project}-twin`]) fs.mkdirSync(folder);
  fs.writeFileSync(path.join(project, 'in.txt'), '');
  fs.writeFileSync(path.join(other, 'out.txt'), '');
  fs.symlinkSync(other, path.join(project, 'leads-out'));
  fs.symlinkSync(path.join(other, 'later.txt'), path.join(project, 'dangling'));
  fs.symlinkSync(project, path.join(other, 'leads-in'));
  fs.symlinkSync('loop', path.join(project, 'loop'));
  return { base, project, other };
}

describe('Roots resolves', () => {
  it.each<[string, string, string, boolean]>([
    ['a file', 'project/in.txt', 'project/in.txt', true],
    ['a missing file', 'project/a/b/new.txt', 'project/a/b/new.txt', true],
    ['the folder itself', 'project', 'project', true],
    ['a file whose name begins with dots', 'project/..hidden', 'project/..hidden', true],
    ['a path with .. that stays inside', 'project/x/../in.txt', 'project/in.txt', true],
    ['a path with .. that leaves', 'project/../other/out.txt', 'other/out.txt', false],
    ['a sibling whose name begins with the name of the folder', 'project-twin/x', 'project-twin/x', false],
    ['a path through a symlink to outside', 'project/leads-out/out.txt', 'other/out.txt', false],
    ['a missing file behind a symlink to outside', 'project/leads-out/a/new.txt', 'other/a/new.txt', false],
    ['a dangling symlink', 'project/dangling', 'other/later.txt', false],
    ['a path below a dangling symlink', 'project/dangling/a', 'other/later.txt/a', false],
    ['a path with .. out of a missing folder', 'project/none/../../other/new', 'other/new', false],
    ['a path with .. behind a symlink', 'project/leads-out/../new', 'new', false],
    ['a path through a symlink to inside', 'other/leads-in/in.txt', 'project/in.txt', true],
  ])('%s', async (_, file, real, isInside) => {
    const { base, project } = aPlace();
    const roots = new Roots([project]);
    expect(await roots.resolve(`${base}/${file}`)).toEqual({ real: path.join(base, real), isInside });
  });

  it('a path with very many missing names fast', async () => {
    const { project } = aPlace();
    const file = `${project}${'/a'.repeat(1_900)}`;
    const began = cpuTime();
    expect(await new Roots([project]).resolve(file)).toEqual({ real: file, isInside: true });
    expect(cpuTime() - began).toBeLessThan(300);
  });

  it('paths in any of several folders, one of them a symlink', async () => {
    const { project, other } = aPlace();
    const roots = new Roots([path.join(other, 'leads-in'), other]);
    for (const file of [path.join(project, 'in.txt'), path.join(other, 'out.txt')]) {
      expect(await roots.resolve(file)).toMatchObject({ isInside: true });
    }
  });

  it.each(['loop', `${'x'.repeat(300)}`])(
    'a symlink loop and a name that is too long to an error: %s',
    async (name) => {
      const { project } = aPlace();
      await expect(new Roots([project]).resolve(path.join(project, name))).rejects.toThrow();
    },
  );
});
