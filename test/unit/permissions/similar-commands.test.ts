import { describe, expect, it } from 'vitest';
import { decide, type PermissionSubject } from '../../../src/permissions/decide.ts';
import { parseRules } from '../../../src/permissions/rule.ts';
import { aPermissionSubject } from '../../support/builders.ts';

function verdictOf(line: string, rules: string, more: Partial<PermissionSubject> = {}): string {
  const { rules: parsed, problems } = parseRules(rules, 'test');
  expect(problems).toEqual([]);
  return decide(aPermissionSubject({ kind: 'execute', commands: [line], ...more }), parsed).verdict;
}

const anyWords = 'deny run tool send *\nallow run tool *\nallow run echo *';
const exactWords = 'deny run tool send\nallow run tool *';
const twoWords = 'deny run tool a b *\nallow run tool *';
const anyProgram = 'deny run tool send *\nallow run *';

describe('a command that may be what a rule before denies', () => {
  it.each([
    [anyWords, 'tool -v send x'],
    [anyWords, 'tool -C . send x'],
    [anyWords, 'tool x send'],
    [anyWords, 'tool s*'],
    [anyWords, 'tool se?d'],
    [anyWords, 'tool s[de]nd'],
    [anyWords, 'tool -v -w s*d'],
    [anyWords, 'echo send | xargs tool'],
    [exactWords, 'tool -v send'],
    [exactWords, 'tool send -v'],
    [twoWords, 'tool -v a -w b'],
    ['deny run tool se* now\nallow run tool *', 'tool -v a? now'],
    [anyProgram, "watch 'tool send x'"],
    [anyProgram, 'flock f tool send'],
    [anyProgram, 'flock f /usr/bin/TOOL send'],
    [anyProgram, "flock f 'a;tool send'"],
    [anyProgram, 'flock f tool s*'],
    ['deny run tool send\nallow run *', "flock f 'tool ' send"],
  ])('is asked about: %j, %s', (rules, line) => expect(verdictOf(line, rules)).toBe('ask'));

  it.each([
    [anyWords, 'tool get x'],
    [anyWords, 'tool sen'],
    [anyWords, 'tool s?d'],
    [anyWords, 'tool s.n?'],
    [anyWords, 'tool s[de]nt'],
    [anyWords, 'tool a*'],
    [exactWords, 'tool x send'],
    [exactWords, 'tool send x'],
    [twoWords, 'tool a'],
    [twoWords, 'tool b a'],
    [anyProgram, 'flock f tool get'],
    [anyProgram, 'flock send tool'],
    ['deny run A=1 *\nallow run tool *', 'tool x'],
  ])('is another one: %j, %s', (rules, line) => expect(verdictOf(line, rules)).toBe('allow'));
});

describe('the words of a rule', () => {
  it.each([
    ['are fewer than those of the command', 'allow run tool a *', 'tool', 'ask'],
    [
      'are no words that nobody has seen',
      'allow run echo *\nallow run tool a*',
      'echo b | xargs tool',
      'ask',
    ],
    ['have a wildcard for a line break too', 'deny run tool a*\nallow run tool *', "tool 'ab\nc'", 'deny'],
    ['name a variable with its value', 'allow run A=1 tool', 'A=2 tool', 'ask'],
    ['name a variable of a command that is denied', 'deny run A=1 tool', 'B=1 tool', 'ask'],
    ['deny a command with its variable', 'deny run A=1 tool', 'A=1 tool', 'deny'],
  ])('%s', (_, rules, line, verdict) => expect(verdictOf(line, rules)).toBe(verdict));
});

describe('git in a folder with a HEAD file, whose config may name programs', () => {
  it.each<[string, Readonly<Record<string, readonly string[]>>, string]>([
    ['is asked about', { '/work/app': ['HEAD', 'config'] }, 'ask'],
    ['is asked about where case is ignored', { '/work/app': ['head'] }, 'ask'],
    ['is asked about below of it', { '/work': ['HEAD'] }, 'ask'],
    ['is asked about two folders below', { '/': ['HEAD'] }, 'ask'],
    ['is allowed in a work tree', { '/work/app': ['.git', 'HEAD'] }, 'allow'],
    ['is allowed in a work tree that is below', { '/work/app': ['.git'], '/work': ['HEAD'] }, 'allow'],
    ['is allowed without one', { '/work/app': ['HEADER', 'config'] }, 'allow'],
  ])('%s', (_, names, verdict) => {
    const namesIn = (folder: string) => names[folder] ?? [];
    expect(verdictOf('git status', 'allow run git *', { namesIn })).toBe(verdict);
    expect(verdictOf('ls', 'allow run ls', { namesIn })).toBe('allow');
  });
});
