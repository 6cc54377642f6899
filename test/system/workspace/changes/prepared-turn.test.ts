import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasGit, makeRepository } from '../../../support/system/git.ts';
import { aFolder } from '../../../support/system/temp.ts';
import { put, Watched } from '../../../support/workspace/changes.ts';

const opened = { kind: 'session_opened', sessionId: 's1', agent: 'agent', cwd: '/' } as const;

function aSession(isRepository: boolean): Watched {
  const folder = aFolder();
  put(folder, 'a.txt', 'one\n');
  put(folder, 'b.txt', 'two\n');
  if (isRepository) makeRepository(folder);
  return new Watched({ folder });
}

/** Records what git is asked from now on: the first words after its settings. */
function recordGit(): () => readonly string[] {
  const folder = aFolder();
  const real = execFileSync('which', ['git']).toString().trim();
  const calls = path.join(folder, 'calls');
  const script = `#!/bin/sh\nprintf '%s\\n' "$*" >> '${calls}'\nexec '${real}' "$@"\n`;
  fs.writeFileSync(path.join(folder, 'git'), script, { mode: 0o755 });
  const { PATH } = process.env;
  process.env.PATH = `${folder}:${PATH}`;
  onTestFinished(() => {
    process.env.PATH = PATH;
  });
  return () => {
    if (!fs.existsSync(calls)) return [];
    const lines = fs.readFileSync(calls, 'utf8').trim().split('\n');
    fs.rmSync(calls);
    return lines.map((line) => line.replace(/^(-c \S+ )+/, '').split(' ')[0]!);
  };
}

describe.skipIf(!hasGit)('git', () => {
  it('is started once for a turn that finds nothing changed since the last one', async () => {
    const watched = aSession(true);
    await watched.turn(() => put(watched.folder, 'a.txt', 'ONE\n'), 'first');
    await watched.turn(() => undefined, 'second');
    const calls = recordGit();
    await watched.begin('third');
    expect(calls()).toEqual(['ls-files']);
  });

  it('writes no tree for the first turn after the user has begun to write', async () => {
    const watched = aSession(true);
    watched.hear(opened);
    await watched.changes.prepareTurn();
    const calls = recordGit();
    await watched.begin();
    await watched.settled();
    const made = calls();
    expect(made[0]).toBe('ls-files');
    expect(made).not.toContain('write-tree');
  });

  it('is not started for a prompt that is written before the session is open', async () => {
    const watched = aSession(true);
    const calls = recordGit();
    await watched.changes.prepareTurn();
    expect(calls()).toEqual([]);
    watched.hear(opened);
    await watched.settled();
    expect(calls()).toContain('write-tree');
  });
});

describe('a turn', () => {
  it('asks Neovim once when it begins, also if it was expected', async () => {
    const watched = aSession(false);
    let questions = 0;
    watched.answer = () => {
      questions += 1;
    };
    await watched.begin();
    expect(questions).toBe(1);
    await watched.end();
    questions = 0;
    watched.changes.expectTurn();
    await watched.begin();
    expect(questions).toBe(1);
  });

  it('does not ask Neovim for the open files that came with its prompt', async () => {
    const watched = aSession(false);
    let questions = 0;
    watched.answer = () => {
      questions += 1;
    };
    watched.changes.expectTurn([]);
    watched.changes.expectTurn();
    await watched.begin();
    expect(questions).toBe(0);
  });

  it('does not use the answer to an earlier question', async () => {
    const watched = aSession(false);
    let questions = 0;
    watched.answer = () => {
      questions += 1;
    };
    watched.changes.expectTurn();
    await Promise.resolve();
    await watched.begin();
    expect(questions).toBe(2);
  });
});

describe.each([
  ['in a repository', true],
  ['without a repository', false],
])('a turn that was prepared %s', (_, isRepository) => {
  it.skipIf(isRepository && !hasGit)('restores what was changed after the user began to write', async () => {
    const watched = aSession(isRepository);
    watched.hear(opened);
    await watched.changes.prepareTurn();
    put(watched.folder, 'a.txt', 'mine\n');
    put(watched.folder, 'new.txt', 'new\n');
    fs.rmSync(watched.at('b.txt'));
    await watched.turn(() => {
      for (const name of ['a.txt', 'b.txt', 'new.txt']) put(watched.folder, name, 'of the agent\n');
    });
    expect(await watched.plan('go')).toEqual(['a.txt', 'b.txt', 'new.txt']);
    await watched.restore('go');
    expect(fs.readFileSync(watched.at('a.txt'), 'utf8')).toBe('mine\n');
    expect(fs.readFileSync(watched.at('new.txt'), 'utf8')).toBe('new\n');
    expect(fs.existsSync(watched.at('b.txt'))).toBe(false);
  });
});
