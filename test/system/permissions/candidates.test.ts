import { describe, expect, it } from 'vitest';
import { ruleCandidates } from '../../../src/permissions/candidates.ts';
import { isDestructive } from '../../../src/permissions/commands/destructive-commands.ts';
import { decide, type PermissionSubject } from '../../../src/permissions/decide.ts';
import { parseRules } from '../../../src/permissions/rule.ts';
import { aPermissionSubject } from '../../support/builders.ts';
import { fc } from '../../support/property.ts';

const base = aPermissionSubject();

function candidatesFor(subject: Partial<PermissionSubject>, rules = ''): readonly string[] {
  const all = ruleCandidates({ ...base, ...subject }, parseRules(rules, 'test').rules);
  return all.map((each) => each.rules.map(({ text }) => text).join(' + '));
}

const forCommand = (command: string, rules?: string) => candidatesFor({ commands: [command] }, rules);

describe('the rules that can be made from a command', () => {
  it.each<[string, readonly string[]]>([
    ['npm test', ['allow run npm test', 'allow run npm test *', 'deny run npm test *']],
    [
      'npm run build -- --watch',
      ['allow run npm run build -- --watch', 'allow run npm run build *', 'deny run npm run build *'],
    ],
    [
      'python -m pytest -q',
      ['allow run python -m pytest -q', 'allow run python -m pytest *', 'deny run python -m pytest *'],
    ],
    ['ls -la src', ['allow run ls -la src', 'allow run ls *', 'deny run ls *']],
    ['git diff HEAD', ['allow run git diff HEAD', 'allow run git diff *', 'deny run git diff *']],
    ['git diff --no-index a b', ['allow run git diff --no-index a b', 'deny run git diff *']],
    ['echo y | bash', ['deny run echo y *']],
    ['printf a', ['allow run printf a', 'allow run printf a *', 'deny run printf a *']],
    ['printf -v x a', ['allow run printf -v x a', 'deny run printf *']],
    ["trap 'rm x' EXIT", ["allow run rm x + allow run trap 'rm x' EXIT", 'deny run rm *']],
    ['node -e "1"', ['allow run node -e 1', 'deny run node *']],
    ["grep 'a b' x", ["allow run grep 'a b' x", 'allow run grep *', 'deny run grep *']],
    [
      'NODE_ENV=test npm test',
      ['allow run NODE_ENV=test npm test', 'allow run NODE_ENV=test npm test *', 'deny run npm test *'],
    ],
    ["bash -lc 'npm test'", ['allow run npm test', 'allow run npm test *', 'deny run npm test *']],
    [
      'npm test && make build',
      [
        'allow run npm test + allow run make build',
        'allow run npm test * + allow run make build *',
        'deny run npm test *',
      ],
    ],
    [
      'echo a > src/o',
      [
        'allow edit src/o + allow run echo a',
        'allow edit src/** + allow run echo a *',
        'allow edit ** + allow run echo *',
        'deny edit src/o',
      ],
    ],
  ])('%s', (command, expected) => {
    expect(forCommand(command)).toEqual(expected);
  });

  it.each([
    'rm -rf build',
    'git push --force',
    'git reset --hard HEAD~1',
    'sudo make install',
    'curl -X POST a.b',
  ])('names a destructive one exactly: %s', (command) => {
    const allowing = forCommand(command).filter((text) => text.startsWith('allow'));
    expect(allowing).toEqual([`allow run ${command.replace('HEAD~1', "'HEAD~1'")}`]);
  });

  it.each(['rm $X', 'ls *', 'echo $(date)', 'find . | xargs rm', 'a\u200bb', 'ls\r', '', 'f() { ls; }'])(
    'are none that allow if it is unclear what it does: %j',
    (command) => {
      expect(forCommand(command).filter((text) => text.startsWith('allow'))).toEqual([]);
    },
  );

  it('leave out what a rule allows already', () => {
    expect(forCommand('ls && npm test', 'allow run ls')).toEqual([
      'allow run npm test',
      'allow run npm test *',
      'deny run npm test *',
    ]);
  });

  it('are none if the command would run outside of the folders', () => {
    const texts = candidatesFor({ commands: ['npm test'], cwd: '/etc' });
    expect(texts).toEqual(['deny run npm test *']);
  });
});

describe('the rules that can be made from other calls', () => {
  it.each<[string, Partial<PermissionSubject>, readonly string[]]>([
    [
      'a file',
      { kind: 'edit', paths: ['/work/app/src/a/b.ts'] },
      ['allow edit src/a/b.ts', 'allow edit src/a/**', 'allow edit **', 'deny edit src/a/b.ts'],
    ],
    [
      'a file with brackets',
      { kind: 'edit', paths: ['/work/app/[id].ts'] },
      ['allow edit [id].ts', 'allow edit **', 'deny edit [id].ts'],
    ],
    ['a file with a star', { kind: 'edit', paths: ['/work/app/a*b'] }, ['allow edit **', 'deny edit **']],
    [
      'a file that is deleted',
      { kind: 'delete', paths: ['/work/app/a'] },
      ['allow delete a', 'deny delete a'],
    ],
    [
      'a file that other programs execute',
      { kind: 'edit', paths: ['/work/app/.git/config'] },
      ['allow edit .git/config', 'deny edit .git/config'],
    ],
    [
      'a file outside',
      { kind: 'read', paths: ['/etc/hosts'] },
      ['allow read /etc/hosts', 'allow read /etc/**', 'deny read /etc/hosts'],
    ],
    [
      'a file of the root folder',
      { kind: 'read', paths: ['/hosts'] },
      ['allow read /hosts', 'deny read /hosts'],
    ],
    [
      'a host',
      { kind: 'fetch', urls: ['https://a.example.org/x'] },
      ['allow fetch a.example.org', 'deny fetch a.example.org'],
    ],
    [
      'a tool of an MCP server',
      { kind: 'other', tool: 'mcp__files__read', toolNames: ['mcp__files__read'] },
      ['allow tool mcp__files__read', 'allow tool mcp__files__*', 'deny tool mcp__files__read'],
    ],
    ['a call without a name', { kind: 'other' }, []],
    ['a change of the mode', { kind: 'switch_mode' }, []],
    ['a name with a star', { kind: 'other', tool: 'a*' }, []],
  ])('%s', (_, subject, expected) => {
    expect(candidatesFor(subject)).toEqual(expected);
  });
});

const word = fc.oneof(
  fc.constantFrom(
    ...'npm test run build rm -rf git push -f ls cat src/a ; && | > < $X * ? ~ \' " \\ = A=1 # {a,b}'.split(
      ' ',
    ),
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom('\u200b', '\r', '\0', 'рm', '..', '-', '\u202e'),
);
const line = fc.array(word, { maxLength: 7 }).map((words) => words.join(' '));

it('a rule made from any line answers that line, and names it exactly if the line is destructive', () => {
  let made = 0;
  fc.assert(
    fc.property(line, (command) => {
      const subject = { ...base, commands: [command] };
      for (const { rules, verdict } of ruleCandidates(subject)) {
        made += 1;
        expect(decide(subject, rules).verdict).toBe(verdict);
        for (const { text } of rules) expect(text).toMatch(/^[^\r\n\0]+$/);
        for (const { command: pattern } of verdict === 'allow' ? rules : []) {
          const words = pattern?.words.map(({ text }) => text) ?? [];
          expect(pattern?.isExact === false && isDestructive(words)).toBe(false);
        }
      }
    }),
    { numRuns: 3_000 },
  );
  expect(made).toBeGreaterThan(500);
});
