import { describe, expect, it } from 'vitest';
import {
  addedVariables,
  commandLine,
  fullCommandLine,
  isPlainShell,
  isReadableShell,
} from '../../../src/base/shell.ts';

const aCommand = (command: string, ...args: readonly string[]) => ({ command, args });

it.each([
  [aCommand('ls'), 'ls'],
  [aCommand('ls -l | wc'), 'ls -l | wc'],
  [aCommand('git', 'commit', '-m', 'a b'), "git commit -m 'a b'"],
  [aCommand('echo', "it's"), "echo 'it'\\''s'"],
  [aCommand('sh', '-c', 'rm -rf x && ls'), 'rm -rf x && ls'],
  [aCommand('/bin/bash', '-lc', 'make'), 'make'],
  [aCommand('bash', '-c', 'echo $0', 'x'), "bash -c 'echo $0' x"],
  [aCommand('bash', 'script.sh'), 'bash script.sh'],
])('commandLine(%j) is what a person would type', (command, line) => expect(commandLine(command)).toBe(line));

it('fullCommandLine keeps the shell in front of a script', () => {
  expect(fullCommandLine(aCommand('sh', '-c', 'rm x && ls'))).toBe("sh -c 'rm x && ls'");
});

it('addedVariables lists only variables that are new or changed', () => {
  const own = { PATH: '/bin', HOME: '/home/me' };
  expect(addedVariables(own, { env: { PATH: '/evil path', HOME: '/home/me', A: 'b' } })).toEqual([
    "PATH='/evil path'",
    'A=b',
  ]);
});

describe('isPlainShell', () => {
  it.each(['sh', 'bash', '/bin/bash', '/usr/bin/zsh'])('accepts %s', (name) => {
    expect(isPlainShell(name)).toBe(true);
  });

  it.each(['./sh', '/tmp/bash', 'shell'])('rejects %s', (name) => expect(isPlainShell(name)).toBe(false));
});

describe('isReadableShell', () => {
  it.each(['bash', '/bin/sh', 'zsh -f', '/opt/homebrew/bin/fish', 'bash --norc -l'])('is true: %s', (shell) =>
    expect(isReadableShell(shell)).toBe(true),
  );

  it.each(['', 'pwsh', '/bin/tcsh', 'nu', 'zsh -i', 'bash -O extglob', 'sudo bash'])(
    'is false: %s',
    (shell) => expect(isReadableShell(shell)).toBe(false),
  );
});
