import { describe, expect, it } from 'vitest';
import { AllowedCommands, shownCommands } from '../../../src/session/allowed-commands.ts';
import type { ToolEntry } from '../../../src/session/model.ts';
import { aRun } from '../../support/terminals.ts';

const cwd = '/work';
const tool = (fields: Partial<ToolEntry>) => ({ title: '', toolKind: 'execute', ...fields }) as ToolEntry;

function allowedBy(fields: Partial<ToolEntry>) {
  const allowed = new AllowedCommands(cwd);
  allowed.add(shownCommands(tool(fields)));
  return allowed;
}

type Run = ReturnType<typeof aRun>;
const sh = (line: string) => aRun('sh', '-c', line);

describe('a command that was allowed', () => {
  it.each<[string, Partial<ToolEntry>, Run]>([
    ['a line alone', { rawInput: { command: 'ls -l' } }, aRun('ls -l')],
    ['a line behind a shell', { rawInput: { command: 'ls | wc' } }, sh('ls | wc')],
    ['a line behind a login shell', { rawInput: { command: 'ls' } }, aRun('/bin/bash', '-lc', 'ls')],
    ['a line that goes to its folder first', { rawInput: { command: 'ls' } }, sh(`cd '${cwd}' && ls`)],
    ['the words of a line', { rawInput: { command: 'git log -1' } }, aRun('git', 'log', '-1')],
    ['words that need quotes', { rawInput: { command: "echo 'a b'" } }, aRun('echo', 'a b')],
    ['a list of words', { rawInput: { command: ['bash', '-lc', 'ls'] } }, aRun('bash', '-lc', 'ls')],
    ['a program and its arguments', { rawInput: { command: 'git', args: ['log'] } }, aRun('git', 'log')],
    ['under another name', { rawInput: { cmd: 'ls' } }, sh('ls')],
    ['a script', { rawInput: { script: 'a\nb\n' } }, sh('a\nb')],
    ['one of several', { rawInput: { commands: ['a', 'b'] } }, sh('b')],
    ['a title when there is nothing else', { title: 'npm test' }, sh('npm test')],
  ])('is this one: %s', (_, fields, run) => expect(allowedBy(fields).take({ ...run, cwd })).toBe(true));

  it.each<[string, Partial<ToolEntry>, Run]>([
    ['another line', { rawInput: { command: 'ls' } }, sh('ls; rm x')],
    ['more arguments', { rawInput: { command: 'git' } }, aRun('git', 'push')],
    ['words that are one word', { rawInput: { command: 'echo a b' } }, aRun('echo', 'a b')],
    ['a title beside the arguments', { title: 'rm x', rawInput: { command: 'ls' } }, sh('rm x')],
    ['a title that is cut', { title: 'echo aaa...' }, sh('echo aaa; rm x')],
    ['a title of another kind of call', { title: 'ls', toolKind: 'read' }, sh('ls')],
    ['a shell that is none', { rawInput: { command: 'ls' } }, aRun('/tmp/sh', '-c', 'ls')],
    ['a shell with more options', { rawInput: { command: 'ls' } }, aRun('bash', '-c', 'ls', 'x')],
    ['another folder first', { rawInput: { command: 'ls' } }, sh("cd '/etc' && ls")],
    ['a program whose name ends in a blank', { rawInput: { command: './run' } }, aRun('./run ')],
    ['a program whose name ends in a wide blank', { rawInput: { command: './run' } }, aRun('./run\u00a0')],
    ['a line that ends in a wide blank', { rawInput: { command: './run' } }, sh('./run\u00a0')],
    ['one of a list with folders', { rawInput: { commands: [{ command: 'ls', cwd: '/etc' }] } }, sh('ls')],
    ['nothing at all', {}, sh('ls')],
  ])('is not this one: %s', (_, fields, run) => expect(allowedBy(fields).take({ ...run, cwd })).toBe(false));

  it('counts once', () => {
    const allowed = allowedBy({ rawInput: { command: 'ls' } });
    expect([1, 2].map(() => allowed.take({ ...sh('ls'), cwd }))).toEqual([true, false]);
  });

  it('counts in the folder that was shown', () => {
    expect(allowedBy({ rawInput: { command: 'ls' } }).take({ ...sh('ls'), cwd: '/work/src' })).toBe(false);
    const allowed = allowedBy({ rawInput: { command: 'ls', workdir: 'src' } });
    expect(allowed.take({ ...sh('ls'), cwd })).toBe(false);
    expect(allowed.take({ ...sh('ls'), cwd: '/work/src' })).toBe(true);
  });
});
