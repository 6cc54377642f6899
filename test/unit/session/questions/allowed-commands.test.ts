import { describe, expect, it } from 'vitest';
import type { ToolEntry } from '../../../../src/model/entries.ts';
import { AllowedCommands, shownCommands } from '../../../../src/session/questions/allowed-commands.ts';
import { aRun } from '../../../support/workspace/terminals.ts';

const cwd = '/work';
const tool = (fields: Partial<ToolEntry>) => ({ title: '', toolKind: 'execute', ...fields }) as ToolEntry;

function allowedBy(fields: Partial<ToolEntry>) {
  const allowed = new AllowedCommands(cwd);
  allowed.add(shownCommands(tool(fields)));
  return allowed;
}

type Run = ReturnType<typeof aRun>;
const sh = (line: string) => aRun('sh', '-c', line);

describe('AllowedCommands', () => {
  it.each<[string, Partial<ToolEntry>, Run]>([
    ['a line', { rawInput: { command: 'ls -l' } }, aRun('ls -l')],
    ['a line run by a shell', { rawInput: { command: 'ls | wc' } }, sh('ls | wc')],
    ['a line run by a login shell', { rawInput: { command: 'ls' } }, aRun('/bin/bash', '-lc', 'ls')],
    ['a line after cd to its folder', { rawInput: { command: 'ls' } }, sh(`cd '${cwd}' && ls`)],
    ['the line of a shell among words', { rawInput: { command: ['bash', '-lc', 'ls'] } }, aRun('ls')],
    ['the same in another shell', { rawInput: { command: ['bash', '-lc', 'ls'] } }, sh('ls')],
    ['the command of a list that repeats it', { rawInput: { command: 'ls', commands: ['ls'] } }, sh('ls')],
    ['the words of a line', { rawInput: { command: 'git log -1' } }, aRun('git', 'log', '-1')],
    ['words that need quotes', { rawInput: { command: "echo 'a b'" } }, aRun('echo', 'a b')],
    ['a list of words', { rawInput: { command: ['bash', '-lc', 'ls'] } }, aRun('bash', '-lc', 'ls')],
    ['a program and its arguments', { rawInput: { command: 'git', args: ['log'] } }, aRun('git', 'log')],
    ['another argument name', { rawInput: { cmd: 'ls' } }, sh('ls')],
    ['a script', { rawInput: { script: 'a\nb\n' } }, sh('a\nb')],
    ['one of several', { rawInput: { commands: ['a', 'b'] } }, sh('b')],
    ['a line with blanks around it', { rawInput: { command: '  ls\n' } }, sh('ls')],
    ['a shell line with blanks around it', { rawInput: { command: 'ls' } }, sh(' \t\nls \t\n')],
    ['a program with blanks, to the letter', { rawInput: { command: './run ' } }, aRun('./run ')],
    ['a program alone, in a list', { rawInput: { command: ['make'] } }, aRun('make')],
    [
      'a program with a space in its name',
      { rawInput: { command: ['./my run', 'x'] } },
      aRun('./my run', 'x'),
    ],
    ['a title without arguments', { title: 'npm test' }, sh('npm test')],
  ])('allows the command of the question: %s', (_, fields, run) =>
    expect(allowedBy(fields).consume({ ...run, cwd })).toBe(true),
  );

  it.each<[string, Partial<ToolEntry>, Run]>([
    ['another line', { rawInput: { command: 'ls' } }, sh('ls; rm x')],
    ['a shell line that was one word of a list', { rawInput: { command: ['rm -rf x'] } }, aRun('rm -rf x')],
    ['more arguments', { rawInput: { command: 'git' } }, aRun('git', 'push')],
    ['words of a list as a shell line', { rawInput: { command: ['git', 'log'] } }, sh('git log')],
    [
      'three words of a list as a shell line',
      { rawInput: { command: ['git', 'log', '-p'] } },
      sh('git log -p'),
    ],
    ['letters as words', { rawInput: { command: 'ls' } }, aRun('l', 's')],
    ['words that are one word', { rawInput: { command: 'echo a b' } }, aRun('echo', 'a b')],
    ['a title beside the arguments', { title: 'rm x', rawInput: { command: 'ls' } }, sh('rm x')],
    ['a truncated title', { title: 'echo aaa...' }, sh('echo aaa; rm x')],
    ['a title of another kind of call', { title: 'ls', toolKind: 'read' }, sh('ls')],
    [
      'a program that is only named like a shell',
      { rawInput: { command: 'ls' } },
      aRun('/tmp/sh', '-c', 'ls'),
    ],
    ['a shell with more options', { rawInput: { command: 'ls' } }, aRun('bash', '-c', 'ls', 'x')],
    ['the script of another program', { rawInput: { command: ['env', '-c', 'ls'] } }, sh('ls')],
    ['a line after cd and something else', { rawInput: { command: 'ls' } }, sh(`cd '${cwd}' || ls`)],
    ['a line after cd to another folder', { rawInput: { command: 'ls' } }, sh("cd '/etc' && ls")],
    ['a program name that ends in a space', { rawInput: { command: './run' } }, aRun('./run ')],
    ['a program name that ends in a no-break space', { rawInput: { command: './run' } }, aRun('./run\u00a0')],
    ['a line that ends in a no-break space', { rawInput: { command: './run' } }, sh('./run\u00a0')],
    [
      'an item of a list that names folders',
      { rawInput: { commands: [{ command: 'ls', cwd: '/etc' }] } },
      sh('ls'),
    ],
    ['a question without a command', {}, sh('ls')],
    ['a title of blanks', { title: '  ' }, sh('')],
    ['another word of as many', { rawInput: { command: ['git', 'log'] } }, aRun('git', 'push')],
    ['another program with the same word', { rawInput: { command: ['cat', 'a'] } }, aRun('rm', 'a')],
    ['fewer words', { rawInput: { command: ['git', 'log'] } }, aRun('git')],
    ['more words than in the list', { rawInput: { command: ['git'] } }, aRun('git', 'push')],
    ['a line behind another option', { rawInput: { command: 'ls' } }, aRun('sh', '-cx', 'ls')],
    ['a line behind two options in one', { rawInput: { command: 'ls' } }, aRun('sh', '-x-c', 'ls')],
  ])('does not allow another command: %s', (_, fields, run) =>
    expect(allowedBy(fields).consume({ ...run, cwd })).toBe(false),
  );

  it.each([
    ['/work', "cd '/work' && ls", true],
    ['/work', 'cd "/work" && ls', true],
    ['/work', 'cd /work && ls', true],
    ['/my work', "cd '/my work' && ls", true],
    ['/my work', 'cd "/my work" && ls', true],
    ['/my work', 'cd /my work && ls', false],
    ["/it's", "cd '/it'\\''s' && ls", true],
    ["/it's", "cd '/it's' && ls", false],
    ['/a$(x)', 'cd "/a$(x)" && ls', false],
    ['/a$(x)', "cd '/a$(x)' && ls", true],
    ['/a\\b', "cd '/a\\b' && ls", false],
  ])('in %s, run with %s: %s', (folder, line, isSame) => {
    const allowed = new AllowedCommands(folder);
    allowed.add(shownCommands(tool({ rawInput: { command: 'ls' } })));
    expect(allowed.consume({ ...sh(line), cwd: folder })).toBe(isSame);
    expect(allowed.isWaiting).toBe(!isSame);
  });

  it('allows a command once', () => {
    const allowed = allowedBy({ rawInput: { command: 'ls' } });
    expect([1, 2].map(() => allowed.consume({ ...sh('ls'), cwd }))).toEqual([true, false]);
  });

  it('allows a command only in the folder that the question shows', () => {
    expect(allowedBy({ rawInput: { command: 'ls' } }).consume({ ...sh('ls'), cwd: '/work/src' })).toBe(false);
    const allowed = allowedBy({ rawInput: { command: 'ls', workdir: 'src' } });
    expect(allowed.consume({ ...sh('ls'), cwd })).toBe(false);
    expect(allowed.consume({ ...sh('ls'), cwd: '/work/src' })).toBe(true);
  });

  it('keeps what else was allowed', () => {
    const allowed = allowedBy({ rawInput: { commands: ['a', 'b', 'c'] } });
    expect(['b', 'b', 'c', 'a'].map((line) => allowed.consume({ ...sh(line), cwd }))).toEqual([
      ...[true, false, true, true],
    ]);
    expect(allowed.isWaiting).toBe(false);
  });

  it('forgets everything with the turn', () => {
    const allowed = allowedBy({ rawInput: { commands: ['a', 'b'] } });
    allowed.clear();
    expect(allowed.isWaiting).toBe(false);
    expect(allowed.consume({ ...sh('a'), cwd })).toBe(false);
  });
});
