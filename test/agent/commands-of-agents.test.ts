import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { AuditLog } from '../../src/permissions/audit-log.ts';
import { RulePolicy } from '../../src/permissions/policy.ts';
import { RuleBook } from '../../src/permissions/rule-book.ts';
import { realClock } from '../../src/system/clock.ts';
import { NodePtyLauncher } from '../../src/system/pty.ts';
import { EditorWorkspace } from '../../src/workspace/workspace.ts';
import { type AgentHarness, it } from '../support/agents/agent-harness.ts';
import { callUpdate, chosen, done, permission, titledCall } from '../support/agents/messages.ts';
import type { WireMessage } from '../support/agents/piped-connection.ts';
import { aScenario } from '../support/agents/session-scenario.ts';
import { answerWithoutBuffers, EditorDouble } from '../support/doubles/editor.ts';
import { someOptions } from '../support/workspace/workspace.ts';

interface Variable {
  readonly name: string;
  readonly value: string;
}

/** How an agent runs a command: what it says of the call, what it asks, and the terminal that it creates, if it does. */
interface Shape {
  calls?(line: string, cwd: string): readonly WireMessage[];
  asks(line: string, cwd: string): Readonly<Record<string, unknown>>;
  creates?(line: string, cwd: string): Readonly<Record<string, unknown>>;
}

const shapes: Readonly<Record<string, Shape>> = {
  'streams its arguments, then runs bash after cd, with variables (as Kimi)': {
    calls: (line) => [
      titledCall('c1', { title: 'Bash', content: [text(`{"command": ${JSON.stringify(line)}}`)] }),
      callUpdate('c1', { content: [text(`{"command": ${JSON.stringify(line)}}`)] }),
    ],
    asks: (line) => ({ toolCallId: 'c1', title: 'Bash', content: [text(`May I run: ${line}`)] }),
    creates: (line, cwd) => ({
      command: '/bin/bash',
      args: ['-c', `cd '${cwd}' && ${line}`],
      env: [
        { name: 'NO_COLOR', value: '1' },
        { name: 'TERM', value: 'dumb' },
        { name: 'GIT_TERMINAL_PROMPT', value: '0' },
        { name: 'SHELL', value: process.env.SHELL ?? '/bin/sh' },
      ],
      cwd,
    }),
  },
  'quotes the command in the title and marks its terminals (as the adapter of Zed for Claude)': {
    asks: (command) => ({
      toolCallId: 'c1',
      title: `\`${command}\``,
      kind: 'execute',
      rawInput: { command, description: 'Make a file', timeout: 120_000 },
    }),
    creates: (command) => ({ command, env: [{ name: 'CLAUDECODE', value: '1' }] }),
  },
  'repeats the command in a list (as Copilot)': {
    asks: (command) => ({
      toolCallId: 'c1',
      title: `Run ${command}`,
      kind: 'execute',
      rawInput: { command, commands: [command] },
    }),
  },
  'remarks on the command with ids, times and decisions (as the adapter of Zed for Codex)': {
    asks: (line, cwd) => ({
      toolCallId: 'c1',
      title: line,
      kind: 'execute',
      rawInput: {
        call_id: 'call-7',
        turn_id: '3',
        started_at_ms: 1_700_000_000_000,
        command: ['/bin/bash', '-lc', line],
        cwd,
        reason: 'It makes a file.',
        proposed_execpolicy_amendment: null,
        available_decisions: ['approved', { with_amendment: { words: [line] } }, 'abort'],
        parsed_cmd: [{ type: 'unknown', cmd: line }],
      },
    }),
  },
};

const text = (value: string) => ({ type: 'content', content: { type: 'text', text: value } });

/** A turn of an agent whose user has rules. */
async function inTurn(harness: AgentHarness, configured: readonly string[]) {
  const editor = new EditorDouble();
  editor.call = answerWithoutBuffers;
  const { log, orphanGuard, folder } = harness;
  const workspace = new EditorWorkspace({
    ptys: new NodePtyLauncher(orphanGuard),
    editor,
    clock: realClock,
    log,
    options: () => someOptions,
    isProtected: () => false,
  });
  harness.disposables.push({ dispose: () => void workspace.end() });
  const none = path.join(folder, 'none');
  const book = new RuleBook(() => ({ configured, userFile: none, trustFile: none }));
  const audit = new AuditLog(() => path.join(folder, 'decisions.log'), realClock, log);
  const permissions = new RulePolicy({ book, audit, isProtected: () => false });
  const scenario = aScenario(harness, { workspace, permissions });
  await scenario.begin();
  const prompt = await scenario.prompt();
  const { agent } = scenario;
  const isMade = (name: string) => fs.existsSync(path.join(folder, name));
  /** The agent asks as this shape does, and if it may, runs the command in a terminal, if it does so there. */
  const run = async ({ calls, asks, creates }: Shape, line: string, more: readonly Variable[] = []) => {
    agent.send(...(calls?.(line, folder) ?? []), permission('p1', asks(line, folder)));
    const { result } = await agent.answerTo('p1');
    const isAllowed = JSON.stringify(result) === JSON.stringify(chosen('y'));
    if (!creates || !isAllowed) return isAllowed;
    const request = creates(line, folder);
    const env = [...((request.env as readonly Variable[] | undefined) ?? []), ...more];
    const created = await agent.request('terminal/create', { sessionId: 's1', ...request, env });
    const { terminalId } = (created.result ?? {}) as { terminalId?: string };
    if (terminalId === undefined) return false;
    await agent.request('terminal/wait_for_exit', { sessionId: 's1', terminalId });
    return true;
  };
  /** The same without asking first. */
  const runUnasked = ({ creates }: Shape, line: string) =>
    agent.request('terminal/create', { sessionId: 's1', ...creates!(line, folder) });
  const end = async () => {
    agent.reply(prompt, done);
    await scenario.phase('idle');
    return scenario.events.filter(({ kind }) => kind === 'question_asked').length;
  };
  return { scenario, run, runUnasked, end, isMade };
}

describe.concurrent.each(Object.entries(shapes))('an agent that %s', (_, shape) => {
  it('is not asked about a command that a rule allows', async ({ harness }) => {
    const { run, end, isMade } = await inTurn(harness, ['allow run touch made-*.txt']);
    expect(await run(shape, 'touch made-1.txt')).toBe(true);
    if (shape.creates) expect(isMade('made-1.txt')).toBe(true);
    expect(await end()).toBe(0);
  });

  it('costs one question for one command, which shows it and little else', async ({ harness }) => {
    const { scenario, run, end, isMade } = await inTurn(harness, []);
    const running = run(shape, 'touch made-1.txt');
    const shown = await scenario.choose('y');
    expect(await running).toBe(true);
    if (shape.creates) expect(isMade('made-1.txt')).toBe(true);
    expect(shown).toContain('touch made-1.txt');
    for (const name of ['call_id', 'turn_id', 'available_decisions', 'parsed_cmd', '_ms', 'commands', 'cwd:'])
      expect(shown).not.toContain(name);
    expect(await end()).toBe(1);
  });

  it('is denied what a rule denies, and runs nothing', async ({ harness }) => {
    const { run, end, isMade } = await inTurn(harness, ['deny run touch made-1.txt', 'allow run touch *']);
    expect(await run(shape, 'touch made-1.txt')).toBe(false);
    expect(isMade('made-1.txt')).toBe(false);
    expect(await end()).toBe(0);
  });

  it('is asked about a command that no rule names', async ({ harness }) => {
    const { scenario, run, end } = await inTurn(harness, ['allow run touch made-*.txt']);
    const running = run(shape, 'touch other.txt');
    await scenario.choose('n');
    expect(await running).toBe(false);
    expect(await end()).toBe(1);
  });
});

describe.concurrent.each(Object.entries(shapes).filter(([, { creates }]) => creates))(
  'an agent that does not ask itself, and %s',
  (_, shape) => {
    it('runs what a rule allows, is denied what one denies, and is asked about the rest', async ({
      harness,
    }) => {
      const { scenario, runUnasked, end, isMade } = await inTurn(harness, [
        'deny run touch made-2.txt',
        'allow run touch made-*.txt',
      ]);
      expect((await runUnasked(shape, 'touch made-1.txt')).result).toEqual({
        terminalId: expect.any(String),
      });
      expect((await runUnasked(shape, 'touch made-2.txt')).error).toBeDefined();
      const running = runUnasked(shape, 'touch other.txt');
      const shown = await scenario.choose('reject');
      expect(shown).not.toContain('environment variables');
      expect((await running).error).toBeDefined();
      expect(isMade('made-2.txt')).toBe(false);
      expect(await end()).toBe(1);
    });
  },
);

describe.concurrent.each(
  [
    ['PATH', '/evil'],
    ['LD_PRELOAD', '/evil.so'],
    ['NODE_OPTIONS', '--require=/evil.js'],
    ['GIT_SSH', '/evil'],
    ['BASH_ENV', '/evil'],
    ['ENV', '/evil'],
    ['PAGER', 'sh -c evil'],
    ['TERM', '../evil'],
    ['SHELL', '/evil'],
    ['CLAUDECODE', '$(evil)'],
  ].map(([name = '', value = '']) => ({ name, value })),
)('a terminal with $name=$value', (variable) => {
  it('is asked about in spite of a rule and of a permission', async ({ harness }) => {
    const { scenario, run, end, isMade } = await inTurn(harness, ['allow run touch made-*.txt']);
    const shape = Object.values(shapes)[1]!;
    const running = run(shape, 'touch made-1.txt', [variable]);
    const shown = await scenario.choose('reject');
    expect(shown).toContain(`with ${variable.name}=`);
    expect(shown).toContain('The agent sets environment variables for this command.');
    expect(shown).not.toContain('CLAUDECODE=1');
    expect(await running).toBe(false);
    expect(isMade('made-1.txt')).toBe(false);
    expect(await end()).toBe(1);
  });
});

describe.concurrent('the question about a terminal', () => {
  it('names the folder only if it is another one, and no earlier permission if there is none', async ({
    harness,
  }) => {
    const { scenario, end } = await inTurn(harness, []);
    fs.mkdirSync(path.join(harness.folder, 'sub'));
    const { agent } = scenario;
    const sh = (cwd: string) =>
      agent.request('terminal/create', { sessionId: 's1', command: 'touch', args: ['x'], cwd });
    const own = sh(`${harness.folder}/`);
    const shown = await scenario.choose('reject');
    expect(shown).not.toContain(`in ${harness.folder}`);
    expect(shown).not.toContain('You have not approved this command in this turn.');
    await own;
    const other = sh(path.join(harness.folder, 'sub'));
    expect(await scenario.choose('reject')).toContain('    in sub\n');
    await other;
    expect(await end()).toBe(2);
  });

  it('says that another command was approved', async ({ harness }) => {
    const { scenario, run, end } = await inTurn(harness, []);
    const shape = { ...Object.values(shapes)[1]!, creates: () => ({ command: 'touch made-2.txt' }) };
    const running = run(shape, 'touch made-1.txt');
    await scenario.choose('y');
    await scenario.until(() => scenario.state.questions[0], 'second question');
    expect(await scenario.choose('reject')).toContain('You have not approved this command in this turn.');
    expect(await running).toBe(false);
    expect(await end()).toBe(2);
  });
});
