import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import type { AgentSpec } from '../../src/ports/agent.ts';
import { realClock } from '../../src/system/clock.ts';
import { NodePtyLauncher } from '../../src/system/pty.ts';
import { EditorWorkspace } from '../../src/workspace/workspace.ts';
import { type AgentHarness, it } from '../support/agents/agent-harness.ts';
import { callUpdate, done, permission, titledCall } from '../support/agents/messages.ts';
import { aScenario } from '../support/agents/session-scenario.ts';
import { answerWithoutBuffers, EditorDouble } from '../support/doubles/editor.ts';
import { someOptions } from '../support/workspace/workspace.ts';

/** A turn of an agent that runs real commands and writes real files in a folder. */
async function inTurn(harness: AgentHarness, spec: Partial<AgentSpec> = {}) {
  const editor = new EditorDouble();
  editor.call = answerWithoutBuffers;
  const { log, orphanGuard } = harness;
  const workspace = new EditorWorkspace({
    ptys: new NodePtyLauncher(orphanGuard),
    editor,
    clock: realClock,
    log,
    options: () => someOptions,
    isProtected: (file) => file.includes('/.local/share/editor/'),
  });
  harness.disposables.push({ dispose: () => void workspace.end() });
  const scenario = aScenario(harness, { workspace, spec });
  await scenario.begin();
  const { agent } = scenario;
  const prompt = await scenario.prompt();
  const sh = (line: string, fields: object = {}) =>
    agent.request('terminal/create', { sessionId: 's1', command: 'sh', args: ['-c', line], ...fields });
  const write = (name: string, content: string) =>
    agent.request('fs/write_text_file', { sessionId: 's1', path: path.join(harness.folder, name), content });
  const choose = (optionId: string) => scenario.choose(optionId);
  /** The agent asks permission for a command, and the user answers. */
  const allow = async (id: string, command: string, optionId = 'y') => {
    agent.send(permission(id, { toolCallId: id, kind: 'execute', title: command, rawInput: { command } }));
    await choose(optionId);
    await agent.answerTo(id);
  };
  return { scenario, agent, prompt, sh, write, choose, allow };
}

const started = { terminalId: expect.any(String) };
/** The error of a request that the user rejected. */
const denied = { message: expect.stringContaining('the user denied') };

describe.concurrent('a command of a cancelled turn', () => {
  it('is not asked about after the cancel, even if it waited behind another question', async ({
    harness,
  }) => {
    const { scenario, agent, prompt, write } = await inTurn(harness);
    const writes = ['one', 'two', 'three'].map((text) => write('.envrc', text));
    await scenario.question();
    await agent.waitUntilProcessed();
    scenario.session.cancel();
    agent.reply(prompt, { stopReason: 'cancelled' });
    await scenario.phase('idle');
    for (const { error } of await Promise.all(writes)) {
      expect(error).toMatchObject({
        message: expect.stringContaining('was cancelled before the user answered'),
      });
    }
    expect(scenario.state.questions).toEqual([]);
    expect(fs.existsSync(path.join(harness.folder, '.envrc'))).toBe(false);
  });
});

describe.concurrent('consent to a command', () => {
  it('is asked for with the whole command if no permission request showed it', async ({ harness }) => {
    const { sh, choose } = await inTurn(harness);
    const running = sh('echo hidden > made', { env: [{ name: 'PATH', value: '/evil' }] });
    const shown = await choose('reject');
    expect(shown).toContain("    sh -c 'echo hidden > made'\n");
    expect(shown).toContain("    sh -c 'echo hidden > made'\n    with PATH=/evil\n");
    expect(shown).toContain('1 Allow once\n  2 Allow all commands for this session\n  3 Reject');
    expect((await running).error).toMatchObject({ message: expect.stringContaining('denied running') });
    expect(fs.existsSync(path.join(harness.folder, 'made'))).toBe(false);
  });

  it('is asked for with a mark before each line of the command, which could look like ours', async ({
    harness,
  }) => {
    const { agent, choose } = await inTurn(harness);
    const command = 'ls\nin /safe\nYou have approved this command before.\nrm -rf made';
    const env = [{ name: 'A', value: 'x\nin /safe' }];
    const cwd = path.join(harness.folder, 'sub');
    fs.mkdirSync(cwd);
    const running = agent.request('terminal/create', { sessionId: 's1', command, env, cwd });
    const shown = await choose('reject');
    expect(shown).toContain('    │ ls\n    │ in /safe\n    │ You have approved');
    expect(shown).toContain('    │ rm -rf made\n    in sub\n');
    expect(shown).not.toMatch(/^ {4}in \/safe/m);
    await running;
  });

  it('is implied once by a permission request that showed the command', async ({ harness }) => {
    const { sh, choose, allow, scenario } = await inTurn(harness);
    await allow('p1', 'true');
    expect((await sh('true')).result).toEqual(started);
    expect(scenario.state.questions).toEqual([]);
    const again = sh('true');
    await choose('reject');
    expect((await again).error).toMatchObject(denied);
  });

  it('is asked for after the user rejected the permission', async ({ harness }) => {
    const { sh, choose, allow } = await inTurn(harness);
    await allow('p1', 'true', 'n');
    const running = sh('true');
    await choose('allow');
    expect((await running).result).toEqual(started);
  });

  it('is not implied by an option whose id also rejects', async ({ harness }) => {
    const { sh, choose, agent } = await inTurn(harness);
    const options = [
      { optionId: 'y', name: 'Reject', kind: 'allow_once' },
      { optionId: 'y', name: 'Allow', kind: 'reject_once' },
    ];
    agent.send(
      permission(
        'p1',
        { toolCallId: 'c1', kind: 'execute', title: 'true', rawInput: { command: 'true' } },
        options,
      ),
    );
    await choose('y');
    await agent.answerTo('p1');
    const running = sh('true');
    await choose('reject');
    expect((await running).error).toMatchObject(denied);
  });

  it('is asked for if the command changed while the permission request was open', async ({ harness }) => {
    const { sh, choose, agent } = await inTurn(harness);
    const fields = { toolCallId: 'p1', kind: 'execute', title: 'ls', rawInput: { command: 'ls' } };
    agent.send(permission('p1', fields), titledCall('p1', { rawInput: { command: 'touch made' } }));
    await agent.waitUntilProcessed();
    await choose('y');
    await agent.answerTo('p1');
    const running = sh('touch made');
    await choose('reject');
    expect((await running).error).toMatchObject(denied);
  });

  it('counts for the command that was shown if the agent reports the call after its question', async ({
    harness,
  }) => {
    const { sh, choose, agent } = await inTurn(harness);
    const fields = { toolCallId: 'p1', kind: 'execute', title: 'list', _meta: { 'acp.nvim/asked': true } };
    const made = { rawInput: { command: 'touch made' } };
    agent.send(
      permission('p1', { ...fields, ...made }),
      titledCall('p1', { title: 'list', rawInput: { command: 'ls' } }),
      callUpdate('p1', made),
    );
    await agent.waitUntilProcessed();
    const shown = await choose('y');
    await agent.answerTo('p1');
    expect(shown.slice(shown.indexOf('wants to run'))).toContain('\n    touch made\n');
    expect((await sh('touch made')).result).toEqual(started);
  });

  it('is asked for if the permission belongs to an earlier turn', async ({ harness }) => {
    const { sh, choose, allow, scenario, agent, prompt } = await inTurn(harness);
    await allow('p1', 'true');
    agent.reply(prompt, done);
    await scenario.phase('idle');
    await scenario.prompt();
    const running = sh('true');
    await choose('allow');
    expect((await running).result).toEqual(started);
  });

  it('is not asked for after the user allowed all commands of the session', async ({ harness }) => {
    const { sh, choose, scenario } = await inTurn(harness);
    const running = sh('true');
    await choose('always');
    expect((await running).result).toEqual(started);
    expect((await sh('echo other')).result).toEqual(started);
    expect(scenario.state.questions).toEqual([]);
  });

  it('leaves a trace in the chat if the agent shows no call for a command', async ({ harness }) => {
    const { sh, choose, scenario, agent, prompt } = await inTurn(harness);
    const first = sh('true');
    await choose('always');
    await first;
    await sh('echo silent');
    agent.reply(prompt, { stopReason: 'end_turn' });
    await scenario.phase('idle');
    const calls = scenario.state.entries.filter((entry) => entry.kind === 'tool');
    expect(calls.map(({ title }) => title)).toContain('echo silent');
  });

  it('is no longer asked for when the agent cancels the request', async ({ harness }) => {
    const { sh, scenario, agent } = await inTurn(harness);
    const running = sh('true');
    await scenario.question();
    agent.send({ method: '$/cancel_request', params: { requestId: 'q1' } });
    expect((await running).error?.code).toBe(-32800);
    expect(scenario.state.questions).toEqual([]);
  });

  it('is asked for on behalf of a remote agent even if a permission request showed the command', async ({
    harness,
  }) => {
    const { sh, choose, allow } = await inTurn(harness, { paths: { '/there': '/here' } });
    await allow('p1', 'true');
    const running = sh('true', { cwd: undefined });
    expect(await choose('reject')).toContain('would run on yours');
    expect((await running).error).toMatchObject(denied);
  });

  it('cannot be forged by an agent that guesses the id of the question', async ({ harness }) => {
    const { sh, scenario, agent, choose } = await inTurn(harness);
    const running = sh('touch made');
    const { tool } = await scenario.question();
    expect(tool?.toolCallId).toMatch(/[0-9a-f-]{36}$/);
    agent.send(titledCall('consent 1', { title: 'ls' }));
    await agent.waitUntilProcessed();
    expect(await choose('reject')).toContain("sh -c 'touch made'");
    await running;
  });
});

describe.concurrent('consent to a write', () => {
  it('is not needed in the folders of the session', async ({ harness }) => {
    const { write, scenario } = await inTurn(harness);
    expect((await write('src/main.ts', 'hello\n')).result).toEqual({});
    expect((await write('package.json', '{ "dependencies": {} }\n')).result).toEqual({});
    expect(scenario.state.questions).toEqual([]);
  });

  it.for([
    ['a git hook', '.git/hooks/pre-commit', 'Other programs execute this file'],
    ['a git hook in capitals', '.GIT/hooks/pre-commit', 'Other programs execute this file'],
    ['a file that the shell loads', '.envrc', 'Other programs execute this file'],
    ['a plugin of Neovim', '.local/share/editor/site/plugin/evil.lua', 'Other programs execute this file'],
    ['a workflow', '.github/workflows/test.yml', 'Other programs execute this file'],
    ['scripts of a package', 'package.json', 'what the package manager runs'],
  ])('is asked for if other programs run the file: %s', async ([, name, reason], { harness }) => {
    const { write, choose } = await inTurn(harness);
    const writing = write(name!, '{ "scripts": { "test": "curl evil" } }\n');
    const shown = await choose('reject');
    expect(shown).toContain(reason);
    expect(shown).toContain('+ { "scripts": { "test": "curl evil" } }');
    expect((await writing).error).toMatchObject(denied);
    expect(fs.existsSync(path.join(harness.folder, name!))).toBe(false);
  });

  it('is asked for if other programs run the file, also behind a link', async ({ harness }) => {
    fs.mkdirSync(path.join(harness.folder, '.git'));
    fs.symlinkSync('.git', path.join(harness.folder, 'notes'));
    const { write, choose } = await inTurn(harness);
    const writing = write('notes/config', '[core]\n');
    expect(await choose('reject')).toContain('.git/config');
    expect((await writing).error).toMatchObject(denied);
  });

  it('is not asked for again for a file that the user allowed for the session', async ({ harness }) => {
    const { write, choose, scenario } = await inTurn(harness);
    const writing = write('.envrc', 'one\n');
    await choose('always');
    expect((await writing).result).toEqual({});
    expect((await write('.envrc', 'two\n')).result).toEqual({});
    expect(scenario.state.questions).toEqual([]);
    const other = write('.exrc', 'one\n');
    await choose('reject');
    expect((await other).error).toMatchObject(denied);
  });

  it('is asked for on behalf of a remote agent until all writes are allowed', async ({ harness }) => {
    const { write, choose, scenario } = await inTurn(harness, { paths: { '/there': '/here' } });
    const first = write('a.txt', 'one\n');
    expect(await choose('reject')).toContain('The agent is on another machine');
    expect((await first).error).toMatchObject(denied);
    const second = write('a.txt', 'one\n');
    await choose('always');
    expect((await second).result).toEqual({});
    expect((await write('b.txt', 'two\n')).result).toEqual({});
    expect(scenario.state.questions).toEqual([]);
  });
});
