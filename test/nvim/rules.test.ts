import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { ask, outcomes, startAsking } from '../support/agents/answering.ts';
import { aCall } from '../support/agents/programmable-chat.ts';
import { drawn, startChat, transcript, waitForPhase } from '../support/nvim/chat.ts';
import { it } from '../support/nvim/it.ts';
import type { TestNvim } from '../support/nvim/nvim.ts';

const wide = { columns: 180, lines: 40 };
const inFloat = {
  ...wide,
  config: "{ question = 'float' }",
  init: "require('acp.dialogs.idle').quiet_ms = 60000",
};

const files = (nvim: TestNvim) =>
  nvim.lua<{ user: string; audit: string; trust: string }>(
    "return require('acp.config').for_host().permission_files",
  );

const command = (line: string, toolCallId = line) => ask(line, { toolCallId, rawInput: { command: line } });

/** The texts of the float, without the frame. */
const floatText = (nvim: TestNvim) =>
  nvim.lua<string>("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')");

/** Makes a rule from the next question, up to the place where it is saved. */
async function chooseRule(nvim: TestNvim, digit: number): Promise<void> {
  await nvim.input('gw4');
  await nvim.waitForScreen('Which rule?');
  await nvim.input(String(digit));
  await nvim.waitForScreen('Save this rule?');
}

async function auditLines(
  nvim: TestNvim,
): Promise<readonly { verdict: string; by: string; reasons: string[] }[]> {
  const { audit } = await files(nvim);
  const lines = fs.readFileSync(audit, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as { verdict: string; by: string; reasons: string[] });
}

describe('"Make a rule …"', () => {
  it('shows the scope, saves for the session, and answers the listed questions that the rule covers', async ({
    start,
  }) => {
    const { chat, nvim, isWaiting, saysSo } = await startAsking(start, inFloat);
    await chat.begin({
      all: [
        command('npm test -- a'),
        command('npm test -- b'),
        command('npm run build'),
        command('npm test; rm -rf x'),
      ],
    });
    await isWaiting(4);
    await nvim.input('gw4');
    await nvim.waitForScreen('Which rule?');
    expect(await floatText(nvim)).toBe(
      [
        '  npm test -- a',
        '',
        '  1 allow run npm test -- a  (exactly this command)',
        '  2 allow run npm test *  (with any further arguments)',
        '  3 deny run npm test *  (and do not ask again)',
      ].join('\n'),
    );
    await nvim.input('2');
    await nvim.waitForScreen('Save this rule?');
    expect(await floatText(nvim)).toContain('  allow run npm test *\n');
    await nvim.input('1');
    await nvim.waitForScreen('One waiting question is covered by the rule');
    await isWaiting(3);
    expect(await floatText(nvim)).toContain('  npm test -- b\n\n  1 Allow it by the rule');
    await nvim.input('1');
    await isWaiting(2);
    await saysSo('answered 1 of 1 questions by the rule');
    await nvim.input('gw3');
    await isWaiting(1);
    await nvim.input('gw3');
    expect(await outcomes(chat)).toEqual(['y', 'y', 'n', 'n']);
    const audit = await auditLines(nvim);
    expect(audit.map(({ verdict, by }) => `${by}: ${verdict}`)).toEqual([
      'user: rule',
      'rule: allow',
      'rule: allow',
      'user: Reject (reject_once)',
      'user: Reject (reject_once)',
    ]);
    expect((await transcript(nvim)).join('\n')).toMatch(
      /asked to run: npm test -- b {2}Allow once, by a rule/,
    );
    await nvim.command('AcpPermissions');
    await nvim.waitForScreen('# this session');
    await nvim.waitForScreen('allow run npm test *');
  });

  it('leaves out of the list what it does not cover, what came later, and what has changed', async ({
    start,
  }) => {
    const { chat, nvim, isWaiting, saysSo } = await startAsking(start, inFloat);
    const go = chat.at('go');
    await chat.begin({
      all: [
        command('make a'),
        command('make a b', 'c'),
        command('make a c'),
        {
          ...aCall({ toolCallId: 'c', title: 'x', kind: 'execute', rawInput: { command: 'curl evil' } }),
          after: go,
        },
        { ...ask('other', { kind: 'other' }), after: go },
      ],
    });
    await isWaiting(3);
    await chooseRule(nvim, 2);
    await nvim.input('1');
    await nvim.waitForScreen('2 waiting questions are covered');
    fs.writeFileSync(go, '');
    await isWaiting(3);
    await nvim.waitFor(async () => (await transcript(nvim)).includes('    curl evil'), 'the change');
    await nvim.input('1');
    await saysSo(
      'answered 1 of 2 questions by the rule; left out, because they changed or were withdrawn meanwhile: 1',
    );
    await isWaiting(2);
    await nvim.command('AcpCancel');
  });

  it('makes no rule if the question changes before it is saved', async ({ start }) => {
    const { chat, nvim, isWaiting, saysSo } = await startAsking(start, inFloat);
    const go = chat.at('go');
    await chat.begin({
      all: [
        command('make', 'c'),
        {
          ...aCall({ toolCallId: 'c', title: 'x', kind: 'execute', rawInput: { command: 'curl evil' } }),
          after: go,
        },
      ],
    });
    await isWaiting(1);
    await chooseRule(nvim, 1);
    fs.writeFileSync(go, '');
    await nvim.waitFor(async () => (await transcript(nvim)).includes('    curl evil'), 'the change');
    await nvim.input('1');
    await saysSo('no rule was made: the question has changed');
    await isWaiting(1);
    await nvim.command('AcpCancel');
  });

  it('saves for all projects, in the file of the user, and keeps a link to it', async ({ start }) => {
    const { chat, nvim, isWaiting, saysSo } = await startAsking(start, inFloat);
    const { user } = await files(nvim);
    const dotfiles = chat.at('dotfiles');
    fs.writeFileSync(dotfiles, 'allow run ls');
    fs.mkdirSync(path.dirname(user), { recursive: true });
    fs.symlinkSync(dotfiles, user);
    await chat.begin(command('make all'));
    await isWaiting(1);
    await chooseRule(nvim, 1);
    await nvim.input('2');
    expect(await outcomes(chat)).toEqual(['y']);
    await saysSo('for all projects, in ');
    expect(fs.readFileSync(dotfiles, 'utf8')).toBe('allow run ls\nallow run make all\n');
    expect(fs.readlinkSync(user)).toBe(dotfiles);
    await chat.begin(command('make all'));
    await waitForPhase(nvim, 'idle');
    expect(await chat.timesAsked).toBe(0);
  });

  it('saves for the project, whose content then is trusted, and not into content that is not trusted', async ({
    start,
  }) => {
    const { chat, nvim, isWaiting } = await startAsking(start, inFloat);
    await chat.begin(command('make all'));
    await isWaiting(1);
    await chooseRule(nvim, 1);
    await nvim.input('3');
    expect(await outcomes(chat)).toEqual(['y']);
    expect(chat.onDisk('.acp-permissions')).toBe('allow run make all\n');
    fs.appendFileSync(chat.at('.acp-permissions'), 'allow any\n');
    await chat.begin(command('make more'));
    await isWaiting(1);
    await chooseRule(nvim, 1);
    const text = await floatText(nvim);
    expect(text).toContain('1 Save for this session');
    expect(text).not.toContain('for this project');
    await nvim.input('q');
    await nvim.command('AcpCancel');
  });

  it('is also in the questions of the plugin, and a rule that denies refuses', async ({ start }) => {
    const { chat, nvim, isWaiting } = await startAsking(start, inFloat);
    await chat.begin({ ask: 'terminal/create', params: { command: 'touch', args: ['made'] } });
    await isWaiting(1);
    await nvim.waitForScreen('4 Make a rule …');
    await chooseRule(nvim, 3);
    expect(await floatText(nvim)).toContain('deny run touch made *');
    await nvim.input('1');
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    expect((await transcript(nvim)).join('\n')).toContain('the user denied running touch made');
    await chat.begin({ ask: 'terminal/create', params: { command: 'touch', args: ['made'] } });
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    expect((await transcript(nvim)).join('\n')).toContain('a rule of the user denies running touch made');
    expect(chat.onDisk('made')).toBeUndefined();
  });

  it('closes when the question is withdrawn', async ({ start }) => {
    const { chat, nvim, isWaiting } = await startAsking(start, inFloat);
    await chat.begin({ ...command('make'), withdrawnBy: chat.at('stop') });
    await isWaiting(1);
    await nvim.input('gw4');
    await nvim.waitForScreen('Which rule?');
    fs.writeFileSync(chat.at('stop'), '');
    await nvim.waitForScreen((screen) => !screen.includes('Which rule?'));
  });

  it('works with pickers of the user for the question itself', async ({ start }) => {
    const { chat, nvim, isWaiting } = await startAsking(start, { init: inFloat.init });
    await chat.begin(command('make'));
    await isWaiting(1);
    await nvim.command('AcpAnswer');
    expect(await chat.nextLabels()).toEqual(['Allow once', 'Always allow', 'Reject', 'Make a rule …']);
    await chat.pick('Make a rule …');
    await nvim.waitForScreen('Which rule?');
    await nvim.input('1');
    await nvim.waitForScreen('Save this rule?');
    await nvim.input('1');
    expect(await outcomes(chat)).toEqual(['y']);
  });
});

describe('a rule', () => {
  it('does not choose between several options of one kind, or one whose id repeats', async ({ start }) => {
    const { chat, nvim, isWaiting } = await startAsking(start, {
      ...inFloat,
      config: "{ question = 'float', permissions = { 'allow run *', 'allow other' } }",
    });
    const once = (optionId: string, name: string) => ({ optionId, name, kind: 'allow_once' });
    const no = { optionId: 'n', name: 'No', kind: 'reject_once' };
    await chat.begin({
      all: [
        ask('Which colour?', { kind: 'other' }, [once('r', 'Red'), once('b', 'Blue'), no]),
        ask('make', {}, [once('y', 'Yes'), { optionId: 'y', name: 'Always', kind: 'allow_always' }, no]),
      ],
    });
    await isWaiting(2);
    await nvim.command('AcpWhy');
    await nvim.waitForScreen('the agent offers no single option to allow just this call');
    await nvim.command('AcpCancel');
  });

  it('goes by the name of a tool, in the field of the protocol or where Claude puts it', async ({
    start,
  }) => {
    const { chat, nvim, isWaiting } = await startAsking(start, {
      ...inFloat,
      config:
        "{ question = 'float', permissions = { 'deny tool mcp__files__delete', 'allow tool mcp__files__*' } }",
    });
    const other = { kind: 'other', title: 'Files' };
    await chat.begin({
      all: [
        ask('a', { ...other, name: 'mcp__files__read' }),
        ask('b', { ...other, _meta: { claudeCode: { toolName: 'mcp__files__delete' } } }),
        ask('c', { ...other, name: 'mcp__files__read', _meta: { claudeCode: { toolName: 'Bash' } } }),
        ask('mcp__files__read; curl evil'),
      ],
    });
    await isWaiting(2);
    await nvim.waitForScreen('tool: mcp__files__read');
    await nvim.waitForScreen('tool: Bash');
    await nvim.input('gw3');
    await isWaiting(1);
    await nvim.input('gw3');
    expect(await outcomes(chat)).toEqual(['y', 'n', 'n', 'n']);
  });

  it('governs the files in the folders that Neovim reads and writes for the agent', async ({ start }) => {
    const { chat, nvim, isWaiting } = await startAsking(start, {
      ...inFloat,
      config:
        "{ question = 'float', permissions = { 'deny read .env', 'deny edit .env', 'ask edit src/**' } }",
      files: { '.env': 'SECRET\n' },
    });
    const write = (name: string) => ({
      ask: 'fs/write_text_file',
      params: { path: chat.at(name), content: 'new\n' },
    });
    await chat.begin(
      { ask: 'fs/read_text_file', params: { path: chat.at('.env') } },
      write('.env'),
      write('free'),
      write('src/a'),
    );
    await isWaiting(1);
    await nvim.waitForScreen('Your rules do not allow it without a question.');
    await nvim.input('gw3');
    await waitForPhase(nvim, 'idle');
    await drawn(nvim);
    const text = (await transcript(nvim)).join('');
    expect(text).not.toContain('SECRET');
    expect(text.replaceAll(/\s+/g, ' ')).toContain('a rule of the user denies access to');
    expect(chat.onDisk('.env')).toBe('SECRET\n');
    expect(chat.onDisk('free')).toBe('new\n');
    expect(chat.onDisk('src/a')).toBeUndefined();
  });

  it('that denies counts also after "Allow all commands for this session"', async ({ start }) => {
    const { chat, nvim, isWaiting } = await startAsking(start, {
      ...inFloat,
      config: "{ question = 'float', permissions = { 'deny run touch secret', 'ask run touch asked' } }",
    });
    const run = (name: string) => ({ ask: 'terminal/create', params: { command: 'touch', args: [name] } });
    await chat.begin(run('made'), run('more'), run('secret'), run('asked'));
    await isWaiting(1);
    await nvim.input('gw2');
    await nvim.waitFor(() => fs.existsSync(chat.at('more')), 'the second command');
    await nvim.waitForScreen('touch asked');
    await isWaiting(1);
    await nvim.input('gw3');
    await waitForPhase(nvim, 'idle');
    expect(chat.onDisk('secret')).toBeUndefined();
    expect(chat.onDisk('asked')).toBeUndefined();
    const audit = await auditLines(nvim);
    expect(audit.map(({ verdict, by }) => `${by}: ${verdict}`)).toEqual([
      'user: Allow all commands for this session (allow_always)',
      'rule: deny',
      'user: Reject (reject_once)',
    ]);
  });
});

describe('a shell line that looks like a path', () => {
  it('runs as the line that the rule is about', async ({ start }) => {
    const { chat, nvim } = await startAsking(start, {
      ...inFloat,
      config: "{ question = 'float', permissions = { 'allow run touch *' } }",
    });
    fs.mkdirSync(chat.at('scripts'));
    fs.writeFileSync(chat.at('scripts/deploy.sh'), '#!/bin/sh\ntouch deployed\n', { mode: 0o755 });
    await chat.begin({ ask: 'terminal/create', params: { command: 'touch made x/../scripts/deploy.sh' } });
    await nvim.waitFor(() => ['made', 'deployed'].some((name) => fs.existsSync(chat.at(name))), 'a command');
    await waitForPhase(nvim, 'idle');
    expect(fs.existsSync(chat.at('made'))).toBe(true);
    expect(chat.onDisk('deployed')).toBeUndefined();
  });
});

describe(':AcpPermissions allow-all', () => {
  it('says what it means, is loud in the winbar, asks about the list, and ends with the agent', async ({
    start,
  }) => {
    const { chat, nvim, isWaiting, saysSo } = await startAsking(start, inFloat);
    await chat.begin({ all: [command('make a'), command('rm -rf x')] });
    await isWaiting(2);
    await nvim.command('AcpPermissions allow-all');
    await nvim.waitForScreen('1 Allow it in this session');
    const text = await floatText(nvim);
    for (const part of ['acp-destructive', 'outside of the folders', 'acp-run-files', 'changes of the mode'])
      expect(text).toContain(part);
    await nvim.input('1');
    await nvim.waitForScreen('! allows all');
    await nvim.waitForScreen('One waiting question is covered by the rule');
    await nvim.input('1');
    await isWaiting(1);
    await saysSo('answered 1 of 1 questions by the rule');
    await nvim.input('gw3');
    expect(await outcomes(chat)).toEqual(['y', 'n']);
    await chat.begin({ all: [command('make b'), command('cat /etc/passwd'), command('git push')] });
    await isWaiting(2);
    await nvim.command('AcpWhy');
    await nvim.waitForScreen('it is on the list of destructive commands');
    await nvim.input(':q<CR>');
    await nvim.command('AcpCancel');
    await waitForPhase(nvim, 'idle');
    const verdicts = (await auditLines(nvim)).map(({ verdict, by }) => `${by}: ${verdict}`);
    expect(verdicts.slice(0, 3)).toEqual(['user: allow all', 'rule: allow', 'user: Reject (reject_once)']);
    await nvim.command('AcpRestart');
    await waitForPhase(nvim, 'idle');
    await nvim.waitForScreen((screen) => !screen.includes('! allows all'));
    await chat.begin(command('make b'));
    await isWaiting(1);
    await nvim.command('AcpCancel');
  });

  it('ends with :AcpPermissions ask, and is not on in another chat', async ({ start }) => {
    const { chat, nvim, isWaiting } = await startAsking(start, inFloat);
    await nvim.command('AcpPermissions allow-all');
    await nvim.waitForScreen('1 Allow it in this session');
    await nvim.input('1');
    await nvim.waitForScreen('! allows all');
    await chat.begin(command('make a'));
    await waitForPhase(nvim, 'idle');
    await nvim.command('AcpPermissions ask');
    await nvim.waitForScreen((screen) => !screen.includes('! allows all'));
    await chat.begin(command('make a'));
    await isWaiting(1);
    await nvim.command('AcpCancel');
  });
});

describe('the dry run', () => {
  it.for<[string, string]>([
    ['edit src/a.ts', 'allow  .*src/a.ts: the rule "allow edit src/\\*\\*"'],
    ['read /etc/hosts', 'ask    /etc/hosts: no rule matches'],
    ['fetch example.org', 'deny   example.org: the rule "deny fetch \\*.org"'],
    ['tool mcp__a__b', 'allow  mcp__a__b: the rule "allow tool mcp__a__\\*"'],
    ['run make', 'ask    make: no rule matches'],
  ])('says what would happen with %s', async ([what, expected], { start }) => {
    const { nvim } = await startAsking(start, {
      ...wide,
      config: "{ permissions = { 'allow edit src/**', 'deny fetch *.org', 'allow tool mcp__a__*' } }",
    });
    await nvim.command(`AcpPermissions try ${what}`);
    const shown = "return table.concat(vim.fn.getbufline('acp://permissions-dry-run', 1, '$'), '\\n')";
    await nvim.waitFor(async () => new RegExp(expected).test(await nvim.lua<string>(shown)), expected);
  });

  it('does not count rules of the session that were removed', async ({ start }) => {
    const { nvim, saysSo } = await startAsking(start);
    await nvim.command('AcpPermissions add allow run make');
    await saysSo('for this session: allow run make');
    await nvim.command('AcpPermissions remove allow run make');
    await saysSo('no longer for this session: allow run make');
    await nvim.command('AcpPermissions try make');
    await nvim.waitForScreen('ask    make: no rule matches');
    await nvim.command('AcpPermissions remove allow run make');
    await saysSo('this session has no rule');
  });
});

it('answers 40 questions of three kinds with fewer than fifteen keys, all of them seen', async ({
  start,
}) => {
  const nvim = await startChat(start, {
    columns: 160,
    lines: 50,
    init: `
      require('acp.dialogs.select').fits = function() return false end
      require('acp.dialogs.dialog').guard_ms = 0
      require('acp.dialogs.idle').quiet_ms = 60000
      vim.keymap.set('n', '<F2>', '<Plug>(acp-answer)')`,
  });
  await nvim.command('AcpSend many');
  const waiting = "return require('acp.chats').current().waiting == 40";
  await nvim.waitFor(() => nvim.lua<boolean>(waiting), '40 questions');
  await drawn(nvim);
  let keys = 0;
  const press = async (key: string, next: string | RegExp) => {
    keys += 1;
    await nvim.input(key);
    await nvim.waitForScreen(next);
  };
  await press('<F2>', /│ {2}6 All 24 like this …/);
  await press('5', 'Which rule?');
  await press('2', 'Save this rule?');
  await press('1', '23 waiting questions are covered by the rule');
  await press('1', 'answered 23 of 23 questions by the rule');
  await press('<F2>', /│ {2}7 All 10 like this …/);
  await press('7', '1 of 10');
  await press('<C-f>', '1 Allow once: all 10');
  await press('1', 'answered 10 of 10 questions');
  await press('<F2>', /│ {2}6 All 6 like this …/);
  await press('5', 'Which rule?');
  await press('1', 'Save this rule?');
  await press('1', '5 waiting questions are covered by the rule');
  await press('1', '40 of 40 were allowed');
  expect(keys).toBe(14);
});

describe('rules that can not be read', () => {
  it('are named in the chat, in the list and in the health report, and everything is asked about', async ({
    start,
  }) => {
    const { chat, nvim, isWaiting } = await startAsking(start, {
      ...wide,
      config: "{ permissions = { 'allow run *', 'allow read **' } }",
      init: "require('acp.dialogs.idle').quiet_ms = 60000",
      files: { 'a.txt': 'A\n' },
    });
    const { user } = await files(nvim);
    fs.mkdirSync(user, { recursive: true });
    await chat.begin(command('make all'), { ask: 'fs/read_text_file', params: { path: chat.at('a.txt') } });
    await isWaiting(1);
    const text = (await transcript(nvim)).join('\n');
    expect(text).toContain('You are asked about everything, because rules of yours can not be read.');
    expect(text).toContain("acp-permissions can't be read: it is not a regular file");
    await nvim.command('AcpCancel');
    await waitForPhase(nvim, 'idle');
    await nvim.command('AcpPermissions');
    await nvim.waitForScreen('# You are asked about everything, because');
    await nvim.command('checkhealth acp');
    const report = async () => (await nvim.lines()).join('\n');
    await nvim.waitFor(async () => (await report()).includes('journals:'), 'the report');
    expect(await report()).toMatch(/ERROR .*acp-permissions can't be read: it is not a regular file/);
  });
});
