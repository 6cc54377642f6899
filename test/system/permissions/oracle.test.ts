import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { AuditLog } from '../../../src/permissions/audit-log.ts';
import { RulePolicy } from '../../../src/permissions/policy.ts';
import { RuleBook } from '../../../src/permissions/rule-book.ts';
import type { AgentAction } from '../../../src/ports/permissions.ts';
import { ManualClock } from '../../support/doubles/clock.ts';
import { LogDouble } from '../../support/doubles/log.ts';
import { shortOrLong } from '../../support/long.ts';
import { fc } from '../../support/property.ts';
import { aFolder } from '../../support/system/temp.ts';

/** A folder with links that lead out of it, and the rules of a user about it. */
function aPlace() {
  const folder = fs.realpathSync(aFolder());
  const [root, outside] = [path.join(folder, 'app'), path.join(folder, 'outside')];
  for (const name of ['app/src/deep', 'app/.git/hooks', 'outside/src'])
    fs.mkdirSync(path.join(folder, name), { recursive: true });
  for (const name of ['app/a', 'app/src/a', 'app/src/deep/a', 'outside/a', 'outside/src/a'])
    fs.writeFileSync(path.join(folder, name), '');
  fs.symlinkSync(outside, path.join(root, 'out'));
  fs.symlinkSync('../../outside/a', path.join(root, 'src/link'));
  fs.symlinkSync('deep', path.join(root, 'src/inner'));
  fs.symlinkSync('missing/file', path.join(root, 'dangling'));
  fs.symlinkSync('loop', path.join(root, 'loop'));
  const state = { rules: [] as readonly string[] };
  const book = new RuleBook(() => ({
    configured: state.rules,
    userFile: path.join(folder, 'user-rules'),
    trustFile: path.join(folder, 'trust.json'),
  }));
  const audit = new AuditLog(() => path.join(folder, 'audit'), new ManualClock(), new LogDouble());
  const policy = new RulePolicy({ book, audit, isProtected: (file) => file.includes('/.git/') });
  const verdict = (rules: readonly string[], action: Partial<AgentAction>) => {
    state.rules = rules;
    const nothing = { commands: [], paths: [], urls: [] };
    return policy.tryOut({
      chat: 1,
      agent: 'a',
      kind: 'read',
      cwd: root,
      roots: [root],
      ...nothing,
      ...action,
    }).verdict;
  };
  return { root, outside, verdict };
}

/** Whether a text matches a pattern with stars, character by character; apart from the code under test. */
function isLike(pattern: string, text: string, isBarrier = (_: string) => false): boolean {
  const [wanted, given] = [[...pattern], [...text]];
  const isLikeFrom = (at: number, from: number): boolean => {
    const [next, character] = [wanted[at], given[from]];
    if (next === undefined) return character === undefined;
    if (next === '*' && isLikeFrom(at + 1, from)) return true;
    if (character === undefined) return false;
    if (next === '*') return !isBarrier(character) && isLikeFrom(at, from + 1);
    const isSame = next === '?' ? !isBarrier(character) : next === character;
    return isSame && isLikeFrom(at + 1, from + 1);
  };
  return isLikeFrom(0, 0);
}

/** The same for the folders of a path, where `**` stands for any number of them. */
function isPathLike(pattern: readonly string[], names: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return names.length === 0;
  if (first === '**')
    return isPathLike(rest, names) || (names.length > 0 && isPathLike(pattern, names.slice(1)));
  const [name, ...others] = names;
  return name !== undefined && isLike(first, name) && isPathLike(rest, others);
}

/** Where the kernel would go, link by link; undefined in a loop. */
function realPlace(file: string): string | undefined {
  let left = path.resolve(file).split('/').filter(Boolean);
  let at = '/';
  for (let steps = 0; left.length > 0; steps += 1) {
    if (steps > 200) return undefined;
    const [name = '', ...rest] = left;
    const next = path.join(at, name);
    let target: string | undefined;
    try {
      target = fs.readlinkSync(next);
    } catch {
      target = undefined;
    }
    if (target === undefined) [at, left] = [next, rest];
    else {
      const resolved = path.resolve(at, target);
      [at, left] = ['/', [...resolved.split('/').filter(Boolean), ...rest]];
    }
  }
  return at;
}

const name = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      'a',
      'src',
      'deep',
      'out',
      'link',
      'inner',
      'dangling',
      'loop',
      '..',
      '.',
      '.git',
      'hooks',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'а',
      'ａ',
      'A',
      'a ',
      'a\r',
      'a\u200b',
      'sr\u0441',
      '',
      '~',
      '*',
      '**',
      '{a,b}',
      '[a]',
      '(a)',
      '!a',
      '\\a',
      'a\n',
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 4 }) },
);
const file = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
const segment = fc.constantFrom(
  'a',
  'src',
  '**',
  '**',
  '**',
  '*',
  '*',
  '?',
  's*',
  '*c',
  'deep',
  'out',
  'link',
  '.git',
  'hooks',
  '[a]',
  '(a)',
  '!a',
  'A',
);
const pattern = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
const verdicts = fc.constantFrom('allow', 'allow', 'allow', 'allow', 'ask', 'deny');
const kinds = fc.constantFrom('read', 'edit');
const pathRule = fc.record({
  verdict: verdicts,
  kind: kinds,
  pattern,
  isAbsolute: fc.nat({ max: 3 }).map((at) => at === 0),
});

it('a redirection through a link is judged by where it leads', () => {
  const { verdict } = aPlace();
  const write = (target: string) =>
    verdict(['allow edit **', 'allow run echo *'], { kind: 'execute', commands: [`echo a > ${target}`] });
  expect(write('src/inner/../a')).toBe('allow');
  expect(write('out/a')).toBe('ask');
  expect(write('out/../a')).toBe('ask');
  expect(write('src/../out/src/../a')).toBe('ask');
});

it('no path is allowed that the text of the first rule about it does not name', { timeout: 120_000 }, () => {
  const { root, outside, verdict } = aPlace();
  let allowed = 0;
  fc.assert(
    fc.property(fc.array(pathRule, { minLength: 1, maxLength: 5 }), kinds, file, (book, kind, name) => {
      const lines = book.map(
        (rule) => `${rule.verdict} ${rule.kind} ${rule.isAbsolute ? `${outside}/` : ''}${rule.pattern}`,
      );
      const given = path.resolve(root, name);
      if (verdict(lines, { kind, paths: [given] }) !== 'allow') return;
      allowed += 1;
      const real = realPlace(given);
      // Links that lead to each other lead nowhere.
      if (real === undefined) return;
      const names = (from: string) => path.relative(from, real).split('/').filter(Boolean);
      const isIn = (from: string) => real === from || real.startsWith(`${from}/`);
      const first = book.find((rule) => {
        const from = rule.isAbsolute ? outside : root;
        // A single star without a folder is every file of the session.
        if (!rule.isAbsolute && rule.pattern === '*' && rule.kind === kind) return isIn(root);
        return rule.kind === kind && isIn(from) && isPathLike(rule.pattern.split('/'), names(from));
      });
      expect(first?.verdict).toBe('allow');
      if (kind !== 'read' && real.includes('/.git/')) expect(first?.pattern).not.toMatch(/[*?]/);
    }),
    { numRuns: shortOrLong(2_500, 100_000) },
  );
  expect(allowed).toBeGreaterThan(50);
});

const label = fc.constantFrom(
  'a',
  'example',
  'org',
  'org',
  'a',
  'a',
  'example',
  'example',
  'org',
  'org',
  'com',
  'evil',
  'xn--e1a',
  'EXAMPLE',
  'exаmple',
  '127',
  '0',
  '1',
  '2130706433',
  '',
);
const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
const around = fc.constantFrom(
  '',
  '',
  '',
  '',
  '/',
  '/',
  '/',
  '/',
  '\\',
  '@',
  ':',
  '?',
  '#',
  '%2f',
  '%40',
  '\n',
  '\r',
  '\t',
  '\0',
  ' ',
  '//',
  ':80',
  '/x',
  '[',
  ']',
  '\u3002',
  '\uff0e',
);
const scheme = fc.constantFrom(
  'https://',
  'https://',
  'https://',
  'https://',
  'https://',
  'https://',
  'http://',
  'HTTPS://',
  'https:/',
  'https:',
  'file://',
  'ftp://',
  'javascript:',
  '//',
  '',
  'https:\\\\',
);
const url = fc
  .tuple(scheme, host, around, fc.oneof(host, fc.constant('')), around)
  .map((parts) => parts.join(''));
const hostPattern = fc
  .array(fc.constantFrom('a', 'example', 'org', 'org', '*', '*', 'e*'), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('.'));

it('no address is allowed whose host is not plainly one that the rule names', { timeout: 120_000 }, () => {
  const { verdict } = aPlace();
  let allowed = 0;
  fc.assert(
    fc.property(
      fc.array(fc.record({ verdict: verdicts, pattern: hostPattern }), { minLength: 1, maxLength: 4 }),
      url,
      (book, address) => {
        const lines = book.map((rule) => `${rule.verdict} fetch ${rule.pattern}`);
        if (verdict(lines, { kind: 'fetch', urls: [address] }) !== 'allow') return;
        allowed += 1;
        // What every program takes for the host: from the two slashes to the first character that ends it.
        const plain = /^https?:\/\/([^/?#:@\\\s%\0]+)/i.exec(address)?.[1] ?? '';
        expect(plain).toMatch(/^[\x21-\x7e]+$/);
        expect(address).not.toMatch(/[\\\s\0]/);
        expect(/^https?:\/\/[^/?#]*@/i.test(address)).toBe(false);
        const first = book.find((rule) => isLike(rule.pattern, plain.toLowerCase().replace(/\.$/, '')));
        expect(first?.verdict).toBe('allow');
      },
    ),
    { numRuns: shortOrLong(5_000, 200_000) },
  );
  expect(allowed).toBeGreaterThan(100);
});

const toolName = fc.oneof(
  fc.constantFrom(
    'mcp__a__b',
    'mcp__a__b2',
    'mcp__ab__b',
    'mcp__a__',
    'Read',
    'mcp__а__b',
    'mcp__a__b\n',
    'MCP__a__b',
    'x mcp__a__b',
  ),
  fc.string({ maxLength: 8 }),
);
const toolPattern = fc.constantFrom('mcp__a__*', 'mcp__a__b', '*', 'Read', 'mcp__*__b', 'R*');

it('no tool is allowed that the rule does not name, or that has another name too', () => {
  const { verdict } = aPlace();
  let allowed = 0;
  fc.assert(
    fc.property(
      fc.array(fc.record({ verdict: verdicts, pattern: toolPattern }), { minLength: 1, maxLength: 4 }),
      fc.array(toolName, { minLength: 1, maxLength: 2 }),
      (book, toolNames) => {
        const lines = book.map((rule) => `${rule.verdict} tool ${rule.pattern}`);
        const tool = toolNames.length === 1 ? toolNames[0] : undefined;
        if (verdict(lines, { kind: 'other', tool, toolNames }) !== 'allow') return;
        allowed += 1;
        expect(toolNames).toHaveLength(1);
        const first = book.find((rule) => isLike(rule.pattern, toolNames[0]!));
        expect(first?.verdict).toBe('allow');
      },
    ),
    { numRuns: shortOrLong(2_000, 100_000) },
  );
  expect(allowed).toBeGreaterThan(100);
});
