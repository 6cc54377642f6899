import { describe, expect, it } from 'vitest';
import { environmentOf, lineOf, programOf } from '../../../src/workspace/program.ts';
import { aRun } from '../../support/terminals.ts';

const env = { PATH: '/usr/bin:/bin' };

describe('a command as a person would type it', () => {
  it.each([
    [aRun('ls'), 'ls'],
    [aRun('ls -l | wc'), 'ls -l | wc'],
    [aRun('git', 'commit', '-m', 'a b'), "git commit -m 'a b'"],
    [aRun('echo', "it's"), "echo 'it'\\''s'"],
    [aRun('sh', '-c', 'rm -rf x && ls'), 'rm -rf x && ls'],
    [aRun('/bin/bash', '-lc', 'make'), 'make'],
    [aRun('bash', '-c', 'echo $0', 'x'), "bash -c 'echo $0' x"],
    [aRun('bash', 'script.sh'), 'bash script.sh'],
  ])('%j', (run, line) => expect(lineOf(run)).toBe(line));
});

describe('the program of a command', () => {
  it.each<[string, ReturnType<typeof aRun>, object]>([
    [
      'on the path of the agent',
      aRun('sh', '-c', 'x'),
      { file: expect.stringMatching(/\/sh$/), args: ['-c', 'x'] },
    ],
    ['a whole line', aRun('ls | wc'), { file: '/bin/zsh', args: ['-f', '-c', 'ls | wc'] }],
    ['a line with words is none', aRun('ls | wc', 'x'), { failure: 'ls | wc: command not found', code: 127 }],
    ['a word that is no program', aRun('lss'), { failure: 'lss: command not found', code: 127 }],
  ])('%s', (_, run, expected) =>
    expect(programOf(run, { cwd: '/', env, shell: '/bin/zsh -f' })).toEqual(expected),
  );
});

describe('the environment of a command', () => {
  it('has no pager, no editor and nothing of our own Neovim', () => {
    const own = {
      HOME: '/home/me',
      NVIM: '/run/x',
      VIMRUNTIME: '/x',
      TMUX: 'y',
      COLUMNS: '80',
      PAGER: 'less',
    };
    expect(environmentOf(own, aRun('x'))).toMatchObject({
      HOME: '/home/me',
      PAGER: 'cat',
      GIT_EDITOR: 'true',
    });
    expect(Object.keys(environmentOf(own, aRun('x')))).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(NVIM|VIMRUNTIME|TMUX|COLUMNS)$/)]),
    );
  });

  it('is the agent’s where it says so', () => {
    const run = { ...aRun('x'), env: { PAGER: 'less', NVIM: 'mine' } };
    expect(environmentOf({}, run)).toMatchObject({ PAGER: 'less', NVIM: 'mine' });
  });
});
