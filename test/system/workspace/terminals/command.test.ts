import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { requestedCommand, resolveProgram } from '../../../../src/workspace/terminals/command.ts';
import { aFolder } from '../../../support/system/temp.ts';
import { aRun } from '../../../support/workspace/terminals.ts';

const env = { PATH: '/usr/bin:/bin' };

describe('a command without arguments', () => {
  /** A folder in which `scripts/deploy.sh` can be started. */
  function aProject(): string {
    const folder = aFolder();
    for (const name of ['scripts/deploy.sh', 'other/scripts/deploy.sh', "a b'c", 'buil\\d.sh']) {
      fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
      fs.writeFileSync(path.join(folder, name), '#!/bin/sh\n', { mode: 0o755 });
    }
    fs.mkdirSync(path.join(folder, 'other/deep'));
    fs.symlinkSync('other/deep', path.join(folder, 'link'));
    return folder;
  }

  it.each([
    'ls x/../scripts/deploy.sh',
    'ls\tx/../scripts/deploy.sh',
    './buil\\d.sh',
    "./a b'c",
    '~/x',
    'A=1',
    'ls;x',
    './{a,b}',
  ])('is a shell line for the rules and for the start: %j', (command) => {
    const cwd = aProject();
    expect(requestedCommand(aRun(command))).toBe(command);
    expect(resolveProgram(aRun(command), { cwd, env, shell: 'sh' })).toEqual({
      file: 'sh',
      args: ['-c', command],
    });
  });

  it('is a program for both if it is only a name', () => {
    const cwd = aProject();
    expect(requestedCommand(aRun('scripts/deploy.sh'))).toEqual(['scripts/deploy.sh']);
    expect(resolveProgram(aRun('scripts/deploy.sh'), { cwd, env, shell: 'sh' })).toEqual({
      file: `${cwd}/scripts/deploy.sh`,
      args: [],
    });
  });

  it('is found where the system finds it, after a link and a missing folder', () => {
    const cwd = aProject();
    const fileOf = (command: string) => resolveProgram(aRun(command), { cwd, env, shell: 'sh' });
    expect(fileOf('link/../scripts/deploy.sh')).toEqual({
      file: `${cwd}/link/../scripts/deploy.sh`,
      args: [],
    });
    expect(fs.realpathSync.native(`${cwd}/link/../scripts/deploy.sh`)).toContain('other/scripts');
    expect(fileOf('missing/../scripts/deploy.sh')).toMatchObject({ code: 127 });
  });
});
