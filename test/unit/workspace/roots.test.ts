import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Roots } from '../../../src/workspace/roots.ts';
import { aFolder } from '../../support/temp.ts';

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

describe('a path', () => {
  it.each<[string, string, string, boolean]>([
    ['a file', 'project/in.txt', 'project/in.txt', true],
    ['a file that is not there yet', 'project/a/b/new.txt', 'project/a/b/new.txt', true],
    ['the folder itself', 'project', 'project', true],
    ['a file that begins with dots', 'project/..hidden', 'project/..hidden', true],
    ['up and down again', 'project/x/../in.txt', 'project/in.txt', true],
    ['up and out', 'project/../other/out.txt', 'other/out.txt', false],
    ['a neighbour with the same beginning', 'project-twin/x', 'project-twin/x', false],
    ['through a link that leads out', 'project/leads-out/out.txt', 'other/out.txt', false],
    ['new behind a link that leads out', 'project/leads-out/a/new.txt', 'other/a/new.txt', false],
    ['a link to what is not there yet', 'project/dangling', 'other/later.txt', false],
    ['below a link to what is not there yet', 'project/dangling/a', 'other/later.txt/a', false],
    ['out of a folder that is not there', 'project/none/../../other/new', 'other/new', false],
    ['up from behind a link', 'project/leads-out/../new', 'new', false],
    ['through a link that leads in', 'other/leads-in/in.txt', 'project/in.txt', true],
  ])('%s', async (_, file, real, isInside) => {
    const { base, project } = aPlace();
    const roots = new Roots([project]);
    expect(await roots.find(`${base}/${file}`)).toEqual({ real: path.join(base, real), isInside });
  });

  it('with very many names that are not there is found at once', async () => {
    const { project } = aPlace();
    const file = `${project}${'/a'.repeat(1_900)}`;
    const began = performance.now();
    expect(await new Roots([project]).find(file)).toEqual({ real: file, isInside: true });
    expect(performance.now() - began).toBeLessThan(300);
  });

  it('is inside of any of several folders, and of a folder behind a link', async () => {
    const { project, other } = aPlace();
    const roots = new Roots([path.join(other, 'leads-in'), other]);
    for (const file of [path.join(project, 'in.txt'), path.join(other, 'out.txt')]) {
      expect(await roots.find(file)).toMatchObject({ isInside: true });
    }
  });

  it.each(['loop', `${'x'.repeat(300)}`])('that leads nowhere is an error: %s', async (name) => {
    const { project } = aPlace();
    await expect(new Roots([project]).find(path.join(project, name))).rejects.toThrow();
  });
});
