import { describe, expect, it } from 'vitest';
import {
  isQuietAssignment,
  isQuietEnvironment,
  isQuietVariable,
  quietVariables,
} from '../../../../src/model/tools/quiet-variables.ts';

describe('a variable that only changes how a program prints', () => {
  it.each([
    ...['NO_COLOR=1', 'NO_COLOR=', 'CLICOLOR=0', 'CLICOLOR_FORCE=1', 'FORCE_COLOR=3', 'FORCE_COLOR=true'],
    ...['TERM=dumb', 'COLUMNS=80', 'LINES=24', 'CI=1', 'CI=true', 'GIT_TERMINAL_PROMPT=0'],
    ...['PAGER=cat', 'GIT_PAGER=cat', 'MANPAGER=cat', 'GH_PAGER=cat', 'SYSTEMD_PAGER=cat'],
    ...['CLAUDECODE=1', 'GEMINI_CLI=1', 'QWEN_CODE=1', 'CURSOR_AGENT=1', 'OPENCODE=1', 'CLINE_ACTIVE=true'],
  ])('is %s', (text) => {
    const [name = '', value = ''] = text.split('=');
    expect(isQuietVariable(name, value)).toBe(true);
    expect(isQuietAssignment(text)).toBe(true);
  });

  it.each([
    ...['PATH=/bin', 'LD_PRELOAD=x', 'LD_LIBRARY_PATH=1', 'DYLD_INSERT_LIBRARIES=x', 'NODE_OPTIONS=1'],
    ...['GIT_SSH=cat', 'GIT_SSH_COMMAND=cat', 'GIT_EXTERNAL_DIFF=cat', 'GIT_DIR=1', 'GIT_CONFIG_COUNT=1'],
    ...['BASH_ENV=1', 'ENV=1', 'IFS=1', 'HOME=1', 'SHELL=/bin/sh', 'EDITOR=cat', 'PYTHONPATH=1', 'CDPATH=1'],
    ...[
      'PAGER=less',
      'PAGER=cat;x',
      'PAGER=cat\nx',
      'PAGER= cat',
      'PAGER=/tmp/cat',
      'PAGER=',
      'GIT_PAGER=sh',
    ],
    ...['TERM=xterm', 'TERM=../dumb', 'TERM=dumb x', 'COLUMNS=$(x)', 'LINES=-1', 'CI=x', 'NO_COLOR=$(x)'],
    ...['FORCE_COLOR=x', 'GIT_TERMINAL_PROMPT=1', 'CLAUDECODE=x', 'claudecode=1', 'term=dumb', 'CI+=1'],
    ...['PAGER="cat"', "PAGER='cat'", 'CI', 'TERM[0]=dumb', '', '=1'],
  ])('is not %s', (text) => expect(isQuietAssignment(text)).toBe(false));

  it('has a reason, and stands in one row', () => {
    const names = quietVariables.flatMap((row) => row.names);
    expect(new Set(names).size).toBe(names.length);
    expect(quietVariables.every(({ reason }) => reason !== '')).toBe(true);
  });
});

describe('an argument with variables', () => {
  it.each<[string, unknown]>([
    ['a record', { CI: '1', TERM: 'dumb' }],
    ['a list of pairs', [{ name: 'CI', value: '1' }]],
    ['a list of assignments', ['CI=1', 'PAGER=cat']],
  ])('is quiet: %s', (_, value) => expect(isQuietEnvironment(value)).toBe(true));

  it.each<[string, unknown]>([
    ['one of a record', { CI: '1', PATH: '/evil' }],
    ['a value that is no text', { CI: 1 }],
    [
      'one of a list of pairs',
      [
        { name: 'CI', value: '1' },
        { name: 'PATH', value: '/evil' },
      ],
    ],
    ['a pair with more', [{ name: 'CI', value: '1', prefix: 'x' }]],
    ['one of a list of assignments', ['CI=1', 'PATH=/evil']],
    ['a text', 'CI=1'],
    ['a list of lists', [['CI', '1']]],
  ])('is not quiet: %s', (_, value) => expect(isQuietEnvironment(value)).toBe(false));
});
