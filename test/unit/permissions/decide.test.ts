import { describe, expect, it } from 'vitest';
import { decide, type PermissionSubject } from '../../../src/permissions/decide.ts';
import { parseRule, parseRules } from '../../../src/permissions/rule.ts';

const base: PermissionSubject = {
  agent: 'claude',
  kind: 'edit',
  commands: [],
  paths: [],
  urls: [],
  cwd: '/work/app',
  roots: ['/work/app', '/work/lib'],
  resolveLinks: (file) => file,
  isProtected: (file) => file.includes('/.git/'),
};

function verdictOf(rules: string, subject: Partial<PermissionSubject>): string {
  const { rules: parsed, problems } = parseRules(rules, 'test');
  expect(problems).toEqual([]);
  return decide({ ...base, ...subject }, parsed).verdict;
}

describe('rules about paths', () => {
  it.each([
    ['a file below a folder', 'allow edit src/**', '/work/app/src/a/b.ts', 'allow'],
    ['a file of another folder of the session', 'allow edit src/**', '/work/lib/src/a.ts', 'allow'],
    ['a hidden file', 'allow edit **', '/work/app/.env', 'allow'],
    ['a file elsewhere in the folder', 'allow edit src/**', '/work/app/test/a.ts', 'ask'],
    ['a folder with a similar name', 'allow edit src/**', '/work/app/src2/a.ts', 'ask'],
    ['a file outside, for a relative pattern', 'allow edit **', '/etc/passwd', 'ask'],
    ['a file outside, for no pattern', 'allow edit', '/etc/passwd', 'ask'],
    ['a file outside, for an absolute pattern', 'allow edit /tmp/**', '/tmp/a/b', 'allow'],
    ['another kind', 'allow read **', '/work/app/a.ts', 'ask'],
    ['one level only', 'allow edit *.ts', '/work/app/src/a.ts', 'ask'],
    ['a file that a rule before denies', 'deny edit .env\nallow edit **', '/work/app/.env', 'deny'],
    ['a file that a rule before allows', 'allow edit .env\ndeny edit **', '/work/app/.env', 'allow'],
    ['a file of another agent', 'allow gemini:edit **', '/work/app/a.ts', 'ask'],
    ['a file of this agent', 'allow claude:edit **', '/work/app/a.ts', 'allow'],
    ['a file that other programs execute', 'allow edit **', '/work/app/.git/hooks/x', 'ask'],
    ['such a file, by its name', 'allow edit .git/hooks/x', '/work/app/.git/hooks/x', 'allow'],
    ['anything', 'deny any', '/work/app/a.ts', 'deny'],
  ])('%s: %s', (_, rules, file, verdict) => {
    expect(verdictOf(rules, { paths: [file] })).toBe(verdict);
  });

  it('allow several files only if each of them is', () => {
    const paths = ['/work/app/src/a.ts', '/work/app/b.ts'];
    expect(verdictOf('allow edit src/**', { paths })).toBe('ask');
    expect(verdictOf('allow edit src/**\nallow edit b.ts', { paths })).toBe('allow');
    expect(verdictOf('allow edit src/**\ndeny edit b.ts', { paths })).toBe('deny');
  });

  it('do not cover a call that names no file', () => {
    expect(verdictOf('allow edit', { paths: [] })).toBe('ask');
  });

  it('do not cover a command that the call names too', () => {
    expect(verdictOf('allow edit', { paths: ['/work/app/a.ts'], commands: ['rm -rf /'] })).toBe('ask');
  });
});

describe('rules about hosts', () => {
  it.each([
    ['the host', 'allow fetch example.org', 'https://example.org/a', 'allow'],
    ['a part of the host', 'allow fetch *.example.org', 'https://api.example.org', 'allow'],
    ['the host with another end', 'allow fetch *.example.org', 'https://example.org.evil.com', 'ask'],
    ['a host before an @', 'allow fetch example.org', 'https://example.org@evil.com', 'ask'],
    ['a look-alike', 'allow fetch example.org', 'https://ехample.org', 'ask'],
    ['no address', 'allow fetch *', 'not a url', 'ask'],
  ])('%s', (_, rules, url, verdict) => {
    expect(verdictOf(rules, { kind: 'fetch', urls: [url] })).toBe(verdict);
  });
});

describe('rules about tools', () => {
  it('decide by the name of the tool, before the kind', () => {
    const subject = { kind: 'other', tool: 'mcp__files__read' } as const;
    expect(verdictOf('allow tool mcp__files__*', subject)).toBe('allow');
    expect(verdictOf('allow tool mcp__other__*', subject)).toBe('ask');
    expect(verdictOf('allow tool mcp__files__*\ndeny other', subject)).toBe('allow');
  });

  it.each(['think', 'switch_mode', 'other'] as const)('allow a call of the kind %s', (kind) => {
    expect(verdictOf(`allow ${kind === 'switch_mode' ? 'mode' : kind}`, { kind })).toBe('allow');
    expect(verdictOf('allow read', { kind })).toBe('ask');
  });
});

describe('a decision', () => {
  it('names each part, its rule and the reason', () => {
    const { rules } = parseRules('allow run ls *\ndeny run curl *', 'the configuration');
    const { parts } = decide({ ...base, kind: 'execute', commands: ['ls -la && curl x; make'] }, rules);
    expect(parts.map(({ subject, verdict, reason }) => `${subject}: ${verdict}, ${reason}`)).toEqual([
      'ls -la: allow, the rule "allow run ls *"',
      'curl x: deny, the rule "deny run curl *"',
      'make: ask, no rule matches',
    ]);
    expect(parts[0]?.rule?.source).toBe('the configuration');
  });

  it('takes a program and its arguments as they are', () => {
    const commands = [['npm', 'test', '; rm -rf /']];
    expect(verdictOf('allow run npm test *', { kind: 'execute', commands })).toBe('allow');
    expect(verdictOf('allow run npm test', { kind: 'execute', commands })).toBe('ask');
    expect(verdictOf('allow run bash *', { kind: 'execute', commands: [['bash', '-c', 'rm -rf x']] })).toBe(
      'ask',
    );
  });
});

describe('a rule', () => {
  it.each([
    ['permit run ls', 'it must begin with allow, ask or deny'],
    ['allow', 'it must begin with allow, ask or deny'],
    ['allow fly', '"fly" is not one of read, edit'],
    ['allow run ls; rm', 'after run stands one command'],
    ['allow run ls > a', 'after run stands one command'],
    ['allow run $X', 'after run stands one command'],
    ['allow run *s', 'the name of the program may not have wildcards'],
    ['allow edit ../**', 'a path may not contain ..'],
    ['allow think hard', 'nothing may follow think'],
  ])('that is wrong says why: %s', (line, reason) => {
    expect(parseRule(line, 'test')).toEqual({ problem: expect.stringContaining(reason) });
  });

  it('may stand between comments and empty lines', () => {
    const { rules, problems } = parseRules('# tests\n\n  allow run npm test  \n', 'a file');
    expect(rules.map(({ text }) => text)).toEqual(['allow run npm test']);
    expect(problems).toEqual([]);
  });
});
