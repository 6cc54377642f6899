import fs from 'node:fs';
import path from 'node:path';
import type { WireMessage } from '../support/agents/piped-connection.ts';

/** A line of a recording: a message of the client or the agent, or something else that happened. */
export type RecordedLine = { readonly line: number } & (
  | { readonly dir: 'c2a' | 'a2c'; readonly msg: WireMessage }
  | { readonly dir: 'stderr'; readonly text: string }
  | { readonly dir: 'note'; readonly step: string }
  | { readonly dir: 'exit'; readonly code: number | null }
);

/** What one program of the agent did from its start to its exit. */
export type ProcessRun = readonly RecordedLine[];

export interface Recording {
  readonly name: string;
  readonly runs: readonly ProcessRun[];
}

/** The recordings below a folder, by the path of their file without its ending. */
export function recordingsIn(folder: string): readonly string[] {
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => name.slice(0, -'.jsonl'.length))
    .sort();
}

/** Reads a recording as it would have been made in the folder `cwd`. */
export function readRecording(folder: string, name: string, cwd: string): Recording {
  const text = fs.readFileSync(path.join(folder, `${name}.jsonl`), 'utf8');
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return { name, runs: splitRuns(lines.map((line, index) => parse(settle(line, cwd), index + 1))) };
}

// Whoever made the recording put names for the folders it was made in.
function settle(line: string, cwd: string): string {
  return line.replaceAll(/\$(CWD|HOME|AGENTS|MOCK|TMP|ROOT)\b/g, (_, name: string) =>
    name === 'CWD' ? cwd : path.join(cwd, `.${name.toLowerCase()}`),
  );
}

function parse(text: string, line: number): RecordedLine {
  return { ...JSON.parse(text), line } as RecordedLine;
}

function splitRuns(lines: readonly RecordedLine[]): readonly ProcessRun[] {
  const ends = lines.flatMap(({ dir }, index) => (dir === 'exit' ? [index + 1] : []));
  const starts = [0, ...ends];
  return starts.map((start, index) => lines.slice(start, ends[index])).filter((run) => run.length > 0);
}

export function isRequest({ id, method }: WireMessage): boolean {
  return method !== undefined && id !== undefined;
}

export function isAnswer({ method }: WireMessage): boolean {
  return method === undefined;
}

/** A field of what is not known to have one. */
export function fieldOf(value: unknown, ...names: readonly string[]): unknown {
  let found = value;
  for (const name of names) found = (found as Record<string, unknown> | null | undefined)?.[name];
  return found;
}

/** The texts of a prompt, which is all that our client puts into one. */
export function promptText({ params }: WireMessage): string {
  const blocks = fieldOf(params, 'prompt') as readonly { readonly text?: string }[];
  return blocks.map(({ text }) => text ?? '').join('');
}
