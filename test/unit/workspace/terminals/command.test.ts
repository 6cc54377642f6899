import { describe, expect, it } from 'vitest';
import { commandEnvironment, resolveProgram } from '../../../../src/workspace/terminals/command.ts';
import { aRun } from '../../../support/workspace/terminals.ts';

const env = { PATH: '/usr/bin:/bin' };

describe('resolveProgram', () => {
  it.each<[string, ReturnType<typeof aRun>, object]>([
    [
      'finds a program on the PATH of the agent',
      aRun('sh', '-c', 'x'),
      { file: expect.stringMatching(/\/sh$/), args: ['-c', 'x'] },
    ],
    [
      'runs a shell line in the shell of the user',
      aRun('ls | wc'),
      { file: '/bin/zsh', args: ['-f', '-c', 'ls | wc'] },
    ],
    [
      'does not run a shell line with arguments',
      aRun('ls | wc', 'x'),
      { failure: 'ls | wc: command not found', code: 127 },
    ],
    ['reports a missing program', aRun('lss'), { failure: 'lss: command not found', code: 127 }],
  ])('%s', (_, run, expected) =>
    expect(resolveProgram(run, { cwd: '/', env, shell: '/bin/zsh -f' })).toEqual(expected),
  );
});

describe('commandEnvironment', () => {
  it('removes pagers, editors and the variables of our own Neovim', () => {
    const own = {
      HOME: '/home/me',
      NVIM: '/run/x',
      VIMRUNTIME: '/x',
      TMUX: 'y',
      COLUMNS: '80',
      PAGER: 'less',
    };
    expect(commandEnvironment(own, aRun('x'))).toMatchObject({
      HOME: '/home/me',
      PAGER: 'cat',
      GIT_EDITOR: 'true',
    });
    expect(Object.keys(commandEnvironment(own, aRun('x')))).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(NVIM|VIMRUNTIME|TMUX|COLUMNS)$/)]),
    );
  });

  it('prefers the variables of the agent', () => {
    const run = { ...aRun('x'), env: { PAGER: 'less', NVIM: 'mine' } };
    expect(commandEnvironment({}, run)).toMatchObject({ PAGER: 'less', NVIM: 'mine' });
  });
});
