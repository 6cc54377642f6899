import { describe, expect, it } from 'vitest';
import { decide, type PermissionSubject } from '../../../src/permissions/decide.ts';
import { parseRules } from '../../../src/permissions/rule.ts';
import { readShellLine } from '../../../src/permissions/shell/shell.ts';
import { aPermissionSubject } from '../../support/builders.ts';

const agentTool: Partial<PermissionSubject> = { tool: 'Bash', toolNames: ['Bash'] };

function decisionAbout(rules: string, command: string, more: Partial<PermissionSubject> = {}) {
  const subject = aPermissionSubject({ kind: 'execute', commands: [command], ...more });
  return decide(subject, parseRules(rules, 'test').rules);
}

const reasonsOf = (rules: string, command: string, more: Partial<PermissionSubject> = {}) =>
  decisionAbout(rules, command, more)
    .parts.filter(({ verdict }) => verdict === 'ask')
    .map(({ reason }) => reason);

/** A line of which every other part is allowed, so that nothing but the missing command is left to ask about. */
describe('a line without a command is asked about, for that reason only', () => {
  it.each(['', '   ', '# x', '> a.txt', '< a.txt', '>> a.txt # x'])('%j', (line) => {
    const files = 'allow edit *\nallow read *';
    expect(reasonsOf(`allow tool Bash\n${files}`, line, agentTool)).toEqual(['it has no command']);
    expect(reasonsOf(`allow run *\n${files}`, line)).toEqual(['it has no command']);
  });

  it.each(["sh -c ''", "bash -c '# x'", "eval ''", "sh -c '> a.txt'", "trap '# x' EXIT", "env sh -c ' '"])(
    'also inside of another one: %j',
    (line) => {
      const rules = `allow run ${line.replace(/^.*?(sh|bash|eval|trap).*$/, '$1')} *\nallow edit *`;
      const reasons = reasonsOf(rules, line).filter((reason) => !reason.includes('changes the shell'));
      expect(reasons).toEqual(['its line has no command']);
      expect(decisionAbout('allow tool Bash\nallow edit *', line, agentTool).verdict).toBe('ask');
    },
  );
});

describe('files that need no rule', () => {
  it.each(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty'])('%s is one', (file) => {
    expect(decisionAbout('allow run ls', `ls > ${file}`).verdict).toBe('allow');
    expect(readShellLine(`ls > ${file}`).written).toEqual([]);
  });

  it.each(['/dev/sda', '/dev/tty1', '/dev/nullx', 'dev/null'])('%s is none', (file) => {
    expect(decisionAbout('allow run ls', `ls > ${file}`).verdict).toBe('ask');
  });
});

describe('what is unclear has one reason, the one that says most', () => {
  it.each([
    ['a=(1 2) npm test', 'it has syntax that is not understood: ArrayValue'],
    ['a[1]=2 npm test', 'it declares variables'],
    ['npm test $X', '$X is not known before it runs'],
    ['for i in 1; do ls; done', 'it sets a variable in a loop'],
    ['[[ -n x ]]', 'it has [[ ]], which may run commands'],
    ['case x in x) ls;; esac', 'it has a case'],
    ['f() { ls; }', 'it defines a function'],
    ['coproc ls', 'it starts a coprocess'],
    ['ls {X}>a', 'it sets a variable of the shell'],
  ])('%s: %s', (line, reason) => expect(readShellLine(line).unclear).toEqual([reason]));
});
