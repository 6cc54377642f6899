import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { parseRules } from '../../../src/permissions/rule.ts';
import { aPermissionSubject } from '../../support/builders.ts';

function verdictOf(line: string, rule: string): string {
  const { rules, problems } = parseRules(rule, 'test');
  expect(problems).toEqual([]);
  return decide(aPermissionSubject({ kind: 'execute', commands: [line] }), rules).verdict;
}

const each = (before: string, words: string) => words.split(' ').map((word) => `${before} ${word} x`);

describe('a rule with a wildcard for a program that reads', () => {
  it.each([
    ...each('sort', '-o -uo --output --output=a --compress-program --compress-program=a'),
    ...each('rg', '--pre --pre=a --hostname-bin'),
    ...['fd', 'fdfind'].flatMap((program) => each(program, '-x -X --exec --exec-batch')),
    ...each(
      'tar',
      '-I -F -P -C xI xF xP xC --absolute-names --directory --one-top-level --transform --xform',
    ),
    ...each('tar -x', '--to-command --checkpoint-action --use-compress-program --info-script'),
    ...each('tar -x', '--new-volume-script --rsh-command --rmt-command'),
    ...each('gtar', '-C').concat(each('bsdtar', '-C')),
    ...each('split', '--filter --filter=a'),
    ...each('awk', '-f -i -E -l -D -o -p -d --file --include --exec --load'),
    ...["awk 'BEGIN{system(1)}' a", "awk '{getline}' a", "awk '{print | 1}' a", "awk '{print > 1}' a"],
    ...["awk '@load 1' a", "gawk '{getline}' a", "mawk '{getline}' a", "nawk '{getline}' a"],
    ...each('sed', '-i -i.bak -ni --in-place -f --file -E-i --expression=w'),
    ...["sed 'w a' b", "sed 's/a/b/w c' d", "sed 's/a/b/e' c", 'sed e a', "sed '1e' a", "sed 'r a' b"],
    ...[
      "sed -e p -e 'w a' b",
      "sed -e p --expression 'w a' b",
      "sed 'p;w a' b",
      "sed '$w a' b",
      'gsed -i p a',
    ],
    ...["sed p --expression='w a' b", "sed '1,5{w a' b", "sed -n 'p w a' b"],
  ])('does not cover %s', (line) => {
    expect(verdictOf(line, `allow run ${line.split(' ')[0]} *`)).toBe('ask');
    expect(verdictOf(`/bin/${line}`, `allow run /bin/${line.split(' ')[0]} *`)).toBe('ask');
  });

  it.each([
    'sort -u a',
    'sort --reverse a',
    'rg -o a',
    'rg --no-ignore a',
    'fd -e ts',
    'tar -xf a.tar',
    'tar xzf a.tgz',
    'tar tf a.tar --wildcards',
    'split -b 5 a',
    "awk '{ print $1 }' a",
    'awk -F: -v a=b 1 c',
    'awk --field-separator=: 1 c',
    'sed p a',
    'sed -n 5p a',
    'sed -n 1,5p a',
    "sed -n '/a/,/b/p' a",
    "sed -n '/a/I,+3p' a",
    "sed -n '$p;5q' a",
    "sed '/a/!d' a",
    "sed -E 's/(a)/b/gI' a",
    "sed -e p -ne 's/a/b/' a",
    "sed --expression=p --expression 's/a/b/' a",
    "sed --quiet '1d; 2d' a",
    "sed 's/[^a]b/c/' a",
    'sed p -',
  ])('covers %s', (line) => expect(verdictOf(line, `allow run ${line.split(' ')[0]} *`)).toBe('allow'));

  it('does not cover one that gets arguments which nobody has seen', () => {
    for (const program of ['sed', 'awk', 'sort', 'rg', 'fd', 'tar', 'split']) {
      const line = `echo a | xargs ${program}`;
      expect(verdictOf(line, `allow run echo *\nallow run ${program} *`)).toBe('ask');
    }
    expect(verdictOf('echo a | xargs cat', 'allow run echo *\nallow run cat *')).toBe('allow');
  });
});

describe('in a folder outside', () => {
  const rules = (line: string) => `allow run cd *\nallow run ${line.split(' ')[0]} *`;

  it.each([
    ...'basename cat cut df diff dirname du echo file grep head ls pwd realpath stat tail tr wc which'.split(
      ' ',
    ),
    ...'[ cksum cmp comm date expr false hexdump id jq md5sum nl od readlink seq sha1sum'.split(' '),
    ...'sha256sum sleep test true uname /bin/cat /usr/bin/cat'.split(' '),
    ...['find . -name a', 'sed -n 1p a', "awk '{ print }' a", 'sort a', 'rg a', 'fd a'],
  ])('a program that only reads is allowed: %s', (line) => {
    expect(verdictOf(`cd /etc && ${line}`, rules(line))).toBe('allow');
  });

  it.each([
    ...['make', 'catx', 'tool', '/opt/cat', 'bin/cat', 'tar tf a', 'split a', 'sort a*', 'rg a*'],
    ...['sort -o a b', 'fd -x a', 'sed -i p a', 'gawk -f a', 'find . -delete', 'find . -fls a'],
    ...['find . -fprint a', 'find . -fprintf a b', 'find . -ok cat {} \\;', 'find . -okdir cat {} \\;'],
  ])('another one is asked about: %s', (line) => {
    expect(verdictOf(`cd /etc && ${line}`, `${rules(line)}\nallow edit *\nallow run cat *`)).toBe('ask');
  });
});
