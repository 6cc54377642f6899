import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { shorten } from '../../base/text.ts';
import { readThroughClient } from '../client-requests.ts';
import { textContent } from '../tool-call.ts';
import type { TourTurn } from '../turn.ts';

const shownLines = 12;

/** Reads the named file, or one from the folder of the session. */
export async function showFile(turn: TourTurn, rest: string): Promise<void> {
  if (!turn.capabilities.canRead) return turn.sendMessage('This client cannot read files.');
  const { cwd } = turn.session;
  const name = rest || (await pickFile(cwd));
  if (name === undefined)
    return turn.sendMessage('This folder has no file to read. `read path` reads any other.');
  await readAndSummarise(turn, path.resolve(cwd, name));
}

async function readAndSummarise(turn: TourTurn, file: string): Promise<void> {
  const tool = await turn.startToolCall({ kind: 'read', title: file, locations: [{ path: file }] });
  await tool.begin();
  try {
    const lines = fileLines(await readThroughClient(turn, file));
    await tool.finish(textContent(lines.slice(0, shownLines).join('\n')));
    await turn.sendMessage(summarise(path.basename(file), lines));
  } catch (error) {
    await tool.fail(textContent(messageOf(error)));
    await turn.sendMessage(`Could not read the file: ${messageOf(error)}`);
  }
}

/** The sorted names of the files in a folder, without hidden files. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'));
  return files.map(({ name }) => name).sort();
}

// Prefers the README.
async function pickFile(folder: string): Promise<string | undefined> {
  const names = await filesIn(folder);
  return (
    names.find((name) => /^readme/i.test(name)) ??
    names.find((name) => /\.(md|txt|lua|ts|js|py|c)$/.test(name))
  );
}

function fileLines(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function summarise(name: string, lines: readonly string[]): string {
  const [first] = lines;
  if (first === undefined) return `\`${name}\` is empty.`;
  const count = lines.length === 1 ? 'one line' : `${lines.length} lines`;
  return `\`${name}\` has ${count}. The first is \`${shorten(first.trim(), 60)}\`.`;
}
