import { describe, expect, it } from 'vitest';
import { decide, type PermissionSubject } from '../../../src/permissions/decide.ts';
import { parseRules } from '../../../src/permissions/rule.ts';
import { aPermissionSubject } from '../../support/builders.ts';

const rules = `
deny edit secrets/**
preset edits
allow run echo *
allow run cat *
allow run cd *
allow run pushd *
allow run popd
allow run find *
allow run source env.sh
allow run make
allow run npm *
allow run busybox *
allow run builtin *
allow run repeat *
allow run and *
allow run .git/
allow run flock *
`;

const subject = (commands: PermissionSubject['commands'], more: Partial<PermissionSubject> = {}) =>
  aPermissionSubject({ kind: 'execute', commands, ...more });

function verdictOf(command: string, text = rules, more: Partial<PermissionSubject> = {}): string {
  const { rules: parsed, problems } = parseRules(text, 'test');
  expect(problems).toEqual([]);
  return decide(subject([command], more), parsed).verdict;
}

/** Lines that open a relative file after the folder may have changed. */
const moved = [
  'cd .git && echo evil > hooks/a',
  "cd .git && sh -c 'echo evil > hooks/b'",
  'command cd .git && echo evil > hooks/c',
  "eval 'cd .git' && echo evil > hooks/d",
  'command cd /somewhere && echo evil > out.txt',
  "cd /somewhere && sh -c 'echo evil > out.txt'",
  'if command cd .git; then echo evil > hooks/x; fi',
  'cd .git; find . -fprint hooks/x',
  "find . -name hooks -execdir sh -c 'echo evil > hooks/x' \\;",
  "cd .git && eval 'echo evil > hooks/x'",
  "eval 'echo a; cd .git'; echo evil > hooks/x",
  'pushd .git; echo evil > hooks/x',
  'cd .git && cat < config',
  'pushd .git; popd; echo evil > hooks/x',
  'chdir .git; echo evil > hooks/x',
  'builtin cd .git; echo evil > hooks/x',
  'command builtin cd .git; echo evil > hooks/x',
  'command -p cd .git; echo evil > hooks/x',
  'time cd .git; echo evil > hooks/x',
  '! cd .git; echo evil > hooks/x',
  '{ cd .git; }; echo evil > hooks/x',
  '( cd .git ); echo evil > hooks/x',
  '(cd .git && echo evil > hooks/x)',
  'while cd .git; do echo evil > hooks/x; done',
  'while echo evil > hooks/x; do cd .git; done',
  'until cd .git; do echo a; done > hooks/x',
  "sh -c 'cd .git; echo evil > hooks/x'",
  'sh -c \'eval "cd .git"; echo evil > hooks/x\'',
  "bash -lc 'cd .git' ; echo evil > hooks/x",
  "trap 'cd .git' EXIT; echo evil > hooks/x",
  'cd .git & echo evil > hooks/x',
  'cd .git | echo evil > hooks/x',
  'echo evil > hooks/x; cd .git',
  'cd -P .git; echo evil > hooks/x',
  'source env.sh; echo evil > hooks/x',
  'nohup sh -c "cd .git && echo evil > hooks/x"',
  'busybox sh -c "cd .git && echo evil > hooks/x"',
  // Words before a command in fish and zsh.
  'and cd .git; echo evil > hooks/x',
  "repeat 2 eval 'cd .git'; echo evil > hooks/x",
  '.git/; echo evil > hooks/x',
];

describe('a relative file after a change of the folder is asked about', () => {
  it.each(moved)('%s', (line) => {
    expect(verdictOf(line)).toBe('ask');
    expect(verdictOf(line, '', { allowsAll: true })).toBe('ask');
  });

  it('also if the command is a list of words', () => {
    const words = [['sh', '-c', 'cd .git && echo evil > hooks/x']];
    expect(decide(subject(words), parseRules(rules, 'test').rules).verdict).toBe('ask');
  });

  it('also if an exact rule covers the change', () => {
    const exact = "allow run sh -c 'cd .git'\nallow run command cd .git\nallow run echo *\nallow edit **";
    expect(verdictOf('command cd .git; echo evil > hooks/x', exact)).toBe('ask');
    expect(verdictOf("sh -c 'cd .git'; echo evil > hooks/x", exact)).toBe('ask');
  });

  it('and a rule that denies it still does where the file is known', () => {
    expect(verdictOf('echo x > secrets/a')).toBe('deny');
    expect(verdictOf('cd secrets && sh -c "echo x > a"')).toBe('ask');
  });
});

describe('a command in a folder that is outside or unknown is asked about', () => {
  it.each([
    'cd /etc && make',
    'cd ..; make',
    'cd src; cd ..; cd ..; make',
    'cd - && make',
    'cd; make',
    'cd ~ && make',
    'popd; make',
    'pushd; make',
    'pushd +1; make',
    'cd src lib; make',
    'cd sr*; make',
    'cd linked && make',
    'cd src && cd ../linked && make',
    'while cd src; do make; done',
    "while true; do eval 'cd src'; make; done",
    'while true; do make; cd src; done',
    "while true; do make; eval 'cd src'; done",
    'find . -execdir npm x \\;',
    'command cd /etc; npm test',
    "sh -c 'cd /etc && make'",
  ])('%s', (line) => {
    const resolveLinks = (file: string) => file.replace(/^\/work\/app\/(src\/\.\.\/)?linked/, '/etc');
    expect(verdictOf(line, `${rules}\nallow run true`, { resolveLinks })).toBe('ask');
    expect(verdictOf('make && npm test', rules, { resolveLinks })).toBe('allow');
  });
});

describe('a change of the folder is allowed', () => {
  it.each([
    'cd src && make',
    'cd src && cd lib && make && npm test',
    'cd /work/lib && make',
    'pushd src && make',
    'cd src && cat a',
    'cd src && echo hi > /work/app/out.txt',
    'cd src && echo hi > /dev/null 2>&1',
    'cd /tmp && cat a',
    'find . -execdir cat {} \\;',
    'while make; do npm test; done',
    'source env.sh && make',
    'echo cd > notes.txt',
    "echo 'cd src' > run.txt",
  ])('%s', (line) => expect(verdictOf(line)).toBe('allow'));
});
