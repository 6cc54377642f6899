import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { shorten } from '../../base.ts';
import { messageOf } from '../../errors.ts';
import { readThroughClient } from '../services.ts';
import type { Stage } from '../stage.ts';
import { textContent } from '../tool-call.ts';

const shownLines = 12;

/** Reads the file that is named, or one that is there. */
export async function readFileAloud(stage: Stage, rest: string): Promise<void> {
  if (!stage.can.canRead) return stage.say('This client reads no files for me, so I leave them closed.');
  const { cwd } = stage.session;
  const name = rest || (await pickFile(cwd));
  if (name === undefined) return stage.say('This folder holds no file to read. `read path` takes any other.');
  await readOne(stage, path.resolve(cwd, name));
}

async function readOne(stage: Stage, file: string): Promise<void> {
  const tool = await stage.startTool({ kind: 'read', title: file, locations: [{ path: file }] });
  await tool.begin();
  try {
    const lines = linesOf(await readThroughClient(stage, file));
    await tool.finish(textContent(lines.slice(0, shownLines).join('\n')));
    await stage.say(summary(path.basename(file), lines));
  } catch (error) {
    await tool.fail(textContent(messageOf(error)));
    await stage.say(`I could not read it: ${messageOf(error)}`);
  }
}

/** The names of the plain files in a folder, sorted; hidden ones are left out. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'));
  return files.map(({ name }) => name).sort();
}

// The file a newcomer would open first.
async function pickFile(folder: string): Promise<string | undefined> {
  const names = await filesIn(folder);
  return (
    names.find((name) => /^readme/i.test(name)) ??
    names.find((name) => /\.(md|txt|lua|ts|js|py|c)$/.test(name))
  );
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function summary(name: string, lines: readonly string[]): string {
  const [first] = lines;
  if (first === undefined) return `\`${name}\` is empty.`;
  const count = lines.length === 1 ? 'one line' : `${lines.length} lines`;
  return `\`${name}\` has ${count}. The first is \`${shorten(first.trim(), 60)}\`.`;
}
