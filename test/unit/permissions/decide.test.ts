import { describe, expect, it } from 'vitest';
import { decide, type PermissionSubject } from '../../../src/permissions/decide.ts';
import { parseRule, parseRules } from '../../../src/permissions/rule.ts';
import { aPermissionSubject } from '../../support/builders.ts';

const base = aPermissionSubject({ kind: 'edit' });

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
    ['a file outside, for any path', 'allow edit *', '/etc/passwd', 'ask'],
    ['a file outside, for an absolute pattern', 'allow edit /tmp/**', '/tmp/a/b', 'allow'],
    ['another kind', 'allow read **', '/work/app/a.ts', 'ask'],
    ['one level only', 'allow edit *.ts', '/work/app/src/a.ts', 'ask'],
    ['a name with an end', 'allow edit *.ts', '/work/app/a.ts', 'allow'],
    ['a name with a middle', 'allow edit *a*', '/work/app/xay', 'allow'],
    ['a folder and a name', 'allow edit */*', '/work/app/src/a', 'allow'],
    ['a name without a folder', 'allow edit */*', '/work/app/a', 'ask'],
    ['a folder without a name', 'allow edit /tmp/*', '/tmp/', 'ask'],
    ['the folder itself', 'allow edit /tmp/**', '/tmp/', 'allow'],
    ['one character', 'allow edit a?.ts', '/work/app/ab.ts', 'allow'],
    ['two characters for one', 'allow edit a?.ts', '/work/app/abc.ts', 'ask'],
    ['a slash for a character', 'allow edit a?b', '/work/app/a/b', 'ask'],
    ['no folder between', 'allow edit src/**/a.ts', '/work/app/src/a.ts', 'allow'],
    ['folders between', 'allow edit src/**/a.ts', '/work/app/src/b/c/a.ts', 'allow'],
    ['another name below', 'allow edit src/**/a.ts', '/work/app/src/b.ts', 'ask'],
    ['a name that only begins so', 'allow edit src/**/a.ts', '/work/app/srca.ts', 'ask'],
    ['a name that only ends so', 'allow edit src/**/a.ts', '/work/app/src/ba.ts', 'ask'],
    ['no folder before', 'allow edit **/test/*.ts', '/work/app/test/a.ts', 'allow'],
    ['folders before', 'allow edit **/test/*.ts', '/work/app/b/c/test/a.ts', 'allow'],
    ['a folder that only ends so', 'allow edit **/test/*.ts', '/work/app/mytest/a.ts', 'ask'],
    ['folders before and after', 'allow edit src/**/a/**', '/work/app/src/b/a/c/d', 'allow'],
    ['one of several ends', 'allow edit *.{ts,js}', '/work/app/a.js', 'allow'],
    ['none of several ends', 'allow edit *.{ts,js}', '/work/app/a.css', 'ask'],
    ['one of several in several', 'allow edit {a,{b,c}d}', '/work/app/cd', 'allow'],
    ['a comma behind several', 'allow edit {a,b},c', '/work/app/b,c', 'allow'],
    ['a part before a comma behind several', 'allow edit {a,b},c', '/work/app/a', 'ask'],
    ['a comma', 'allow edit a,b', '/work/app/a,b', 'allow'],
    ['a part before a comma', 'allow edit a,b', '/work/app/ac', 'ask'],
    ['a part after a comma', 'allow edit a,b', '/work/app/cb', 'ask'],
    ['braces in the wrong order', 'allow edit a}b{', '/work/app/a}b{', 'allow'],
    ['a brace without an end', 'allow edit a{b', '/work/app/a{b', 'allow'],
    ['a brace without a beginning', 'allow edit a}b', '/work/app/a}b', 'allow'],
    ['a dot for a character', 'allow edit a.ts', '/work/app/abts', 'ask'],
    ['a name with a line break', 'deny edit secrets/**', '/work/app/secrets/a\nb', 'deny'],
    ['a character of two parts', 'deny edit ?.txt', '/work/app/\u{1f600}.txt', 'deny'],
    ['folders many times', `deny edit ${'**/'.repeat(20)}x`, `/work/app${'/a'.repeat(60)}`, 'ask'],
    ['stars many times', `deny edit ${'*'.repeat(20)}x`, `/work/app/${'a'.repeat(60)}`, 'ask'],
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
    expect(verdictOf('allow edit *', { paths: [] })).toBe('ask');
  });

  it('do not cover a command that the call names too', () => {
    expect(verdictOf('allow edit *', { paths: ['/work/app/a.ts'], commands: ['rm -rf /'] })).toBe('ask');
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
    ['an address that programs read differently', 'allow fetch *.org', 'https://a.org\\@evil.com', 'ask'],
    ['an address with a line break', 'allow fetch *', 'https://a.org\n.evil.com', 'ask'],
    ['an address of a file', 'allow fetch *', 'file:///etc/passwd', 'ask'],
    ['a host as a number', 'allow fetch 127.0.0.1', 'http://2130706433/', 'ask'],
    ['the same host with a dot', 'deny fetch evil.org\nallow fetch *', 'https://evil.org./a', 'deny'],
    ['a host in capitals', 'deny fetch Evil.org\nallow fetch *', 'https://evil.ORG/', 'deny'],
    ['two dots', 'allow fetch *', 'https://evil.org../', 'ask'],
    ['a port', 'allow fetch example.org', 'http://EXAMPLE.org:8080/a?b#c', 'allow'],
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
    expect(verdictOf('allow read *', { kind })).toBe('ask');
  });
});

describe('an address that is none of a web page', () => {
  const docs = { tool: 'mcp__docs__get', toolNames: ['mcp__docs__get'], urls: ['docs://page'] };

  it.each([
    ['is covered by a rule about the tool', 'allow tool mcp__docs__*', 'other', 'allow'],
    ['is asked about where a page is fetched', 'allow tool mcp__docs__*', 'fetch', 'ask'],
    ['is asked about without a rule about the tool', 'allow other\nallow fetch *', 'other', 'ask'],
    ['is denied by a rule about the tool', 'deny tool mcp__docs__*\nallow other', 'other', 'deny'],
  ] as const)('%s', (_, rules, kind, verdict) => expect(verdictOf(rules, { ...docs, kind })).toBe(verdict));
});

describe('a rule about a tool', () => {
  const named = { kind: 'other', tool: 'mcp__sh__run', toolNames: ['mcp__sh__run'] } as const;

  it('covers no destructive command, no unclear one and no file that other programs execute', () => {
    const rule = 'allow tool mcp__sh__*';
    expect(verdictOf(rule, { ...named, commands: ['ls'] })).toBe('allow');
    expect(verdictOf(rule, { ...named, commands: ['rm -rf x'] })).toBe('ask');
    expect(verdictOf(rule, { ...named, commands: ['A=1 ls'] })).toBe('ask');
    expect(verdictOf(rule, { ...named, commands: ['ls $X'] })).toBe('ask');
    const edit = { ...named, kind: 'edit' } as const;
    expect(verdictOf(rule, { ...edit, paths: ['/work/app/a'] })).toBe('allow');
    expect(verdictOf(rule, { ...edit, paths: ['/work/app/.git/config'] })).toBe('ask');
  });

  it('decides about a call of which nothing but the name is known', () => {
    expect(verdictOf('allow tool mcp__sh__*', { ...named, kind: 'read' })).toBe('allow');
    expect(verdictOf('allow any', { ...named, kind: 'read' })).toBe('ask');
  });

  it('that allows needs the only name, and one that denies any of the names', () => {
    const two = { ...named, tool: undefined, toolNames: ['Read', 'mcp__sh__run'] } as const;
    expect(verdictOf('allow tool mcp__sh__*', two)).toBe('ask');
    expect(verdictOf('deny tool mcp__sh__*', two)).toBe('deny');
    expect(verdictOf('ask tool Read\nallow other', two)).toBe('ask');
  });
});

describe('a rule that denies', () => {
  it('counts whatever is set before the command, and for any path of the program', () => {
    for (const command of ['curl x', 'A=1 curl x', '/usr/bin/curl x', 'env A=1 curl x', 'ls; curl x'])
      expect(verdictOf('deny run curl *\nallow run ls', { kind: 'execute', commands: [command] })).toBe(
        'deny',
      );
    expect(verdictOf('allow run curl *', { kind: 'execute', commands: ['/tmp/curl x'] })).toBe('ask');
  });

  it('counts for other ways to write a path', () => {
    expect(verdictOf('deny edit .env', { paths: ['/work/app/.ENV'] })).toBe('deny');
    expect(verdictOf('allow edit .env', { paths: ['/work/app/.ENV'] })).toBe('ask');
  });
});

describe('a command', () => {
  it('outside of the folders is asked about, whatever the rules say', () => {
    const subject = { kind: 'execute', commands: ['make'], cwd: '/etc' } as const;
    expect(verdictOf('allow run make', subject)).toBe('ask');
    expect(verdictOf('deny run make', subject)).toBe('deny');
  });

  it('counts under every kind of call', () => {
    for (const kind of ['fetch', 'read', 'think', 'other', 'switch_mode'] as const) {
      const more = { urls: ['https://a.org'], paths: ['/work/app/a'], commands: ['curl evil'] };
      expect(
        verdictOf('allow fetch a.org\nallow read *\nallow think\nallow mode\nallow other', { kind, ...more }),
      ).toBe('ask');
    }
  });

  it.each([
    ['in eight others', `${'nice '.repeat(8)}ls`, 'allow'],
    ['in nine others', `${'nice '.repeat(9)}ls`, 'ask'],
    ['with a letter that only looks like another', 'l\u0455', 'ask'],
    ['with a blank in its name', "'l s'", 'allow'],
    ['with an empty name', "''", 'ask'],
  ])('%s', (_, line, verdict) => {
    expect(verdictOf('allow run *', { kind: 'execute', commands: [line] })).toBe(verdict);
  });

  it('outside of the folders is asked about although the agent names them by a link', () => {
    const resolveLinks = (file: string) => file.replace('/work/app/linked', '/etc');
    const subject = { kind: 'execute', commands: ['make'], cwd: '/work/app/linked', resolveLinks } as const;
    expect(verdictOf('allow run make', subject)).toBe('ask');
  });

  it('with files that it opens is allowed if these are too', () => {
    const verdict = (rules: string, line: string) => verdictOf(rules, { kind: 'execute', commands: [line] });
    expect(verdict('allow run ls\nallow edit out', 'ls > out')).toBe('allow');
    expect(verdict('allow run ls\nallow read out', 'ls > out')).toBe('ask');
    expect(verdict('allow run ls\nallow read in', 'ls < in')).toBe('allow');
    expect(verdict('allow run ls\nallow edit in', 'ls < in')).toBe('ask');
    expect(verdict('allow run ls\ndeny read in', 'ls < in')).toBe('deny');
    expect(verdict('allow run ls\nallow run cd *\nallow edit /tmp/**', 'cd src; ls > /tmp/out')).toBe(
      'allow',
    );
  });

  it('is asked about if a call sets something that no rule names', () => {
    const unclear = ['it sets environment variables'];
    expect(verdictOf('allow run make', { kind: 'execute', commands: ['make'], unclear })).toBe('ask');
  });
});

describe('what agents put before their commands', () => {
  it.each([
    ['a quiet variable', 'CI=1 GIT_PAGER=cat make all', 'allow'],
    ['a quiet variable of env', 'env TERM=dumb make all', 'allow'],
    ['another variable', 'CI=1 LD_PRELOAD=x make all', 'ask'],
    ['another value', 'PAGER=sh make all', 'ask'],
    ['a quiet variable that is kept', 'CI=1; make all', 'ask'],
    ['cd to the folder of the session', 'cd /work/app && make all', 'allow'],
    ['the same in quotes', "cd '/work/app' && make all > out", 'allow'],
    ['the same in a nested shell', "/bin/bash -c 'cd /work/app && make all'", 'allow'],
    ['cd to another folder', 'cd /work/lib && make all', 'ask'],
    ['cd to a folder below', 'cd /work/app/src && make all', 'ask'],
    ['cd to a folder with another end', 'cd /work/app/.. && make all', 'ask'],
    ['cd with more words', 'cd -P /work/app && make all', 'ask'],
    ['cd with a variable', 'CDPATH=/ cd /work/app && make all', 'ask'],
    ['cd that is nothing else', 'cd /work/app', 'ask'],
    ['cd behind another one', 'cd /work/app && cd src && make all', 'ask'],
    ['another command', 'cd /work/app && rm x', 'ask'],
  ])('%s: %s', (_, line, verdict) => {
    expect(verdictOf('allow run make *\nallow edit **', { kind: 'execute', commands: [line] })).toBe(verdict);
  });

  it('counts where a rule names it', () => {
    const verdict = (rules: string, line: string) => verdictOf(rules, { kind: 'execute', commands: [line] });
    expect(verdict('allow run CI=1 make', 'CI=1 make')).toBe('allow');
    expect(verdict('allow run CI=1 make', 'make')).toBe('ask');
    expect(verdict('allow run CI=1 make', 'CI=1 NO_COLOR=1 make')).toBe('allow');
    expect(verdict('deny run cd *\nallow run make', 'cd /work/app && make')).toBe('deny');
    expect(verdict('ask run cd *\nallow run make', 'cd /work/app && make')).toBe('ask');
  });

  it('is allowed by a session that allows everything, unless it counts', () => {
    const verdict = (line: string) => verdictOf('', { kind: 'execute', allowsAll: true, commands: [line] });
    expect(verdict('cd /work/app && CI=1 make')).toBe('allow');
    expect(verdict('BASH_ENV=x make')).toBe('ask');
  });
});

describe('a session that allows everything but destructive commands', () => {
  const allowed = [
    'npm test',
    'make -j4 && ./run.sh',
    'node script.js',
    'cat src/a > src/b',
    'curl https://example.org/a/b',
    'sed -i s/a/b/g src/x',
    'echo hi > /dev/null',
    'cd src && ls',
    'npm init',
    'git commit -m "init at last"',
    'npm run service',
  ];
  const asked = [
    'rm -rf build',
    'git push',
    'echo $(date)',
    'cat /etc/passwd',
    'cat ~/.ssh/id_rsa',
    'cat ../secret',
    'cd .. && ls',
    'cd && ls',
    'cd - && ls',
    'popd',
    'tar --directory=/ -xf a.tar',
    'gcc -I/usr/include a.c',
    'cat file:///etc/passwd',
    "node -e \"require('fs').rmSync('/etc')\"",
    'cat linked/secret',
    'cat linked',
    'PATH=. npm test',
    'echo a > /etc/x',
    'echo a > .git/hooks/x',
    'ls *',
    'sudo ls',
    'xargs rm < src/list',
    'flock f rm -rf build',
    'exec rm -rf build',
    'busybox rm -r build',
    "watch 'git push'",
    'script -c "sudo ls"',
    'ionice /bin/rm -rf build',
  ];
  const subject = {
    kind: 'execute',
    allowsAll: true,
    resolveLinks: (file: string) => file.replace('/work/app/linked', '/etc'),
  } as const;

  it.each(allowed)('allows %s', (command) => {
    expect(verdictOf('', { ...subject, commands: [command] })).toBe('allow');
  });

  it.each(asked)('asks about %s', (command) => {
    expect(verdictOf('', { ...subject, commands: [command] })).toBe('ask');
  });

  it('allows files in the folders, hosts and tools, and asks about files outside, hooks and modes', () => {
    const verdict = (fields: Partial<PermissionSubject>) => verdictOf('', { ...subject, ...fields });
    expect(verdict({ kind: 'edit', paths: ['/work/app/a'] })).toBe('allow');
    expect(verdict({ kind: 'delete', paths: ['/work/lib/a'] })).toBe('allow');
    expect(verdict({ kind: 'fetch', urls: ['https://a.org'] })).toBe('allow');
    expect(verdict({ kind: 'other', tool: 'mcp__a__b' })).toBe('allow');
    expect(verdict({ kind: 'read', paths: ['/etc/hosts'] })).toBe('ask');
    expect(verdict({ kind: 'edit', paths: ['/work/app/.git/hooks/x'] })).toBe('ask');
    expect(verdict({ kind: 'switch_mode' })).toBe('ask');
    expect(verdict({ kind: 'edit' })).toBe('ask');
  });

  it('has rules that count before', () => {
    expect(verdictOf('ask run npm *', { ...subject, commands: ['npm test'] })).toBe('ask');
    expect(verdictOf('deny run npm *', { ...subject, commands: ['npm test'] })).toBe('deny');
    expect(verdictOf('allow run rm -rf build', { ...subject, commands: ['rm -rf build'] })).toBe('allow');
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

  it('takes a list of one word with a blank for a shell line too', () => {
    const commands = [['make; curl x']];
    expect(verdictOf('allow run *', { kind: 'execute', commands })).toBe('ask');
    expect(verdictOf('deny run curl *\nallow run *', { kind: 'execute', commands })).toBe('deny');
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
