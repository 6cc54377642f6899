import { describe, expect, it } from 'vitest';
import { decodeToolPatch } from '../../../../src/acp/decode/update.ts';
import type { QuestionEntry, QuestionOption, ToolEntry } from '../../../../src/model/entries.ts';
import { emptySession } from '../../../../src/model/session.ts';
import { reduce } from '../../../../src/session/reducer/reducer.ts';
import { ToolDiffCache } from '../../../../src/view/diff/tool-diff-cache.ts';
import { questionWarnings } from '../../../../src/view/transcript/question-warnings.ts';

const once: QuestionOption = { id: 'a', name: 'Allow once', kind: 'allow_once' };

function warningsAbout(
  patch: object,
  options: readonly QuestionOption[] = [once],
  isAllowed = false,
): readonly string[] {
  const state = emptySession('tester', 0);
  reduce(state, { kind: 'tool', patch: { toolCallId: 'c', title: 'x', toolKind: 'execute', ...patch } }, 1);
  reduce(state, { kind: 'question_asked', question: { id: 1, toolCallId: 'c', options } }, 2);
  const tool = state.tools.get('c') as ToolEntry;
  if (isAllowed) tool.isAllowed = true;
  const entry = state.entries.find(({ kind }) => kind === 'question') as QuestionEntry;
  return questionWarnings(entry, {
    state,
    diffs: new ToolDiffCache(),
    now: 0,
    cwd: '/work',
    roots: ['/work', '/lib'],
    home: '/home/me',
    isOpen: () => false,
    diffStart: () => undefined,
    resolveLinks: (file) => file.replace('/work/link', '/etc').replace('/work/hook', '/work/.git/hooks/x'),
  });
}

const command = (text: string) => ({ rawInput: { command: text } });
const editing = (path: string) => ({ toolKind: 'edit', locations: [{ path, line: undefined }] });

describe('a question warns', () => {
  it.each([
    [
      'of files that were not checked',
      { toolKind: 'edit', locations: Array.from({ length: 3_000 }, (_, at) => ({ path: `/work/${at}` })) },
      ['it names 3000 files; 2000 of them were not checked'],
    ],
    ['of a file outside', editing('/etc/hosts'), ['/etc/hosts is outside of the folders of this session']],
    ['of a file above', editing('../x'), ['/x is outside of the folders of this session']],
    [
      'of a file that other programs execute',
      editing('.git/hooks/pre-commit'),
      ['other programs execute .git/hooks/pre-commit or read their settings from it'],
    ],
    [
      'of a title whose end is not shown',
      decodeToolPatch({ toolCallId: 'c', title: `echo ${'x'.repeat(40_000)}; rm -rf ~` }) ?? {},
      ['the title is too long to be shown: its end is missing here'],
    ],
    [
      'of hidden characters in a command that only the title has',
      { title: 'git status \u200b; rm -rf build' },
      ['the command has characters that can not be seen'],
    ],
    [
      'of a long blank in a command that only the title has, also without arguments',
      { title: `ls${' '.repeat(200)}; rm -rf /`, rawInput: undefined },
      ['the command goes on after a long blank'],
    ],
    [
      'of text after blanks',
      command(`ls${' '.repeat(200)}; rm -rf /`),
      ['the command goes on after a long blank'],
    ],
    [
      'of text below empty lines',
      command(`ls${'\n'.repeat(200)}rm`),
      ['the command goes on after a long blank'],
    ],
    ...['\u00a0', '\u2003', '\u2800', '\u3000'].map((blank): [string, object, string[]] => [
      `of text after blanks of the code ${blank.charCodeAt(0).toString(16)}`,
      command(`ls '${blank.repeat(400)}'; rm`),
      ['the command goes on after a long blank'],
    ]),
    [
      'of text after blanks in another argument',
      { toolKind: 'other', rawInput: { note: `hello${' '.repeat(500)}HIDDEN` } },
      ['an argument goes on after a long blank'],
    ],
    [
      'of invisible characters in another argument',
      { toolKind: 'other', rawInput: { note: 'a\u200bb' } },
      ['an argument has characters that can not be seen'],
    ],
    ...['\ufe0f', '\ufe00', '\u180b'].map((sign): [string, object, string[]] => [
      `of the invisible character ${sign.charCodeAt(0).toString(16)}`,
      command(`ls${sign} -la`),
      ['the command has characters that can not be seen'],
    ]),
    ...[...'+<=>|~'].flatMap((sign) =>
      ['\ufe0f', '\ufe0e'].map((form): [string, object, string[]] => [
        `of a sign for the form of ${sign}, which has only one (${form.charCodeAt(0).toString(16)})`,
        command(`echo x ${sign}${form}/dev/null`),
        ['the command has characters that can not be seen'],
      ]),
    ),
    ['of many marks', command(`ls a${'\u0301'.repeat(500)}`), ['the command has signs that cover others']],
    ['of invisible characters', command('ls\u200b -la'), ['the command has characters that can not be seen']],
    [
      'of Cyrillic letters in a Latin word',
      command('сurl x'),
      ['the command has letters that look like others'],
    ],
    [
      'of a file behind a link that leads outside',
      editing('link/hosts'),
      ['link/hosts is outside of the folders of this session, through a link: /etc/hosts'],
    ],
    [
      'of a link to a file that other programs execute',
      editing('hook'),
      ['other programs execute hook or read their settings from it'],
    ],
    [
      'of a file that only an argument names',
      { toolKind: 'read', rawInput: { file_path: '/etc/passwd' } },
      ['/etc/passwd is outside of the folders of this session'],
    ],
    [
      'of a command that runs outside',
      { rawInput: { command: 'make', cwd: '/tmp' } },
      ['/tmp is outside of the folders of this session'],
    ],
    ['of look-alike letters in a path', editing('src/рay.ts'), ['a name has letters that look like others']],
    [
      'of invisible characters in an address',
      { toolKind: 'fetch', rawInput: { url: 'https://a\u200b.org' } },
      ['a name has characters that can not be seen'],
    ],
    [
      'of look-alike letters in an address',
      { toolKind: 'fetch', rawInput: { url: 'https://exаmple.org' } },
      ['a name has letters that look like others'],
    ],
    ['of wide letters', command('ｇit push'), ['the command has letters that look like others']],
  ])('%s', (_, patch, expected) => {
    expect(warningsAbout(patch)).toEqual(expected);
  });

  it.each([
    ['Yes', 'reject_once', 'the option "Yes" rejects, whatever its name says'],
    ['No, thanks', 'allow_always', 'the option "No, thanks" allows, whatever its name says'],
    ['❌ Reject', 'allow_always', 'the option "❌ Reject" allows, whatever its name says'],
    ['✓ Allow once', 'reject_once', 'the option "✓ Allow once" rejects, whatever its name says'],
    [' No', 'allow_once', 'the option "No" allows, whatever its name says'],
    ['Never', 'allow_once', 'the option "Never" allows, whatever its name says'],
    ['Skip this', 'allow_always', 'the option "Skip this" allows, whatever its name says'],
    ['1 allow', 'reject_once', 'the option "1 allow" rejects, whatever its name says'],
    ['Always reject', 'allow_once', 'the option "Always reject" allows, whatever its name says'],
    ['Don’t run', 'allow_once', 'the option "Don’t run" allows, whatever its name says'],
  ] as const)('of an option that is called %s and is of the kind %s', (name, kind, expected) => {
    expect(warningsAbout({}, [{ id: 'x', name, kind }])).toEqual([expected]);
  });

  it('of options that have the same id', () => {
    expect(warningsAbout({}, [once, { ...once, name: 'Reject', kind: 'reject_once' }])).toEqual([
      'several options have the same id, so the agent may take one for another',
    ]);
  });

  it('of a call that was allowed before', () => {
    expect(warningsAbout({}, [once], true)).toEqual([
      'you have allowed this call before; read again what it does now',
    ]);
  });

  it.each([
    ['an ordinary command', command('git commit -m "Übung"')],
    ['Greek text', command('echo καλημέρα')],
    ['signs with forms', command('echo ❤️ 1️⃣ ©︎ ☺︎')],
    ['Vietnamese and Thai text', command('echo Tiếng Việt ที่นี่')],
    ['blanks at the end', command(`ls${' '.repeat(100)}`)],
    ['indented text', { toolKind: 'think', rawInput: { prompt: `Do:\n\n${' '.repeat(20)}this` } }],
    ['a file of another folder of the session', editing('/lib/a.ts')],
    ['reading a git hook', { toolKind: 'read', locations: [{ path: '.git/hooks/x', line: undefined }] }],
  ])('not of %s', (_, patch) => {
    expect(warningsAbout(patch)).toEqual([]);
  });
});
