import fs from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '../../base.ts';
import type { Blobs } from './blobs.ts';
import { none, type Side } from './file-review.ts';
import { linesOf } from './lines.ts';
import type { Checkpoint, Tracked } from './tracked.ts';

/** All that is remembered of a session's changes. */
export interface ChangesState {
  readonly files: readonly Tracked[];
  readonly checkpoints: readonly Checkpoint[];
  /** What the folders held when they were last looked at. */
  readonly last: readonly string[] | undefined;
  /** When the user changed a file, by path. */
  readonly userAt: Readonly<Record<string, number>>;
}

const version = 1;
const ids = new WeakMap<Side, Promise<string>>();

/** Writes it down, each content once. */
export async function saveState(folder: string, state: ChangesState, blobs: Blobs): Promise<void> {
  const files = await Promise.all(state.files.map((file) => written(file, blobs)));
  const text = JSON.stringify({ version, ...state, files });
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = path.join(folder, `state.${process.pid}`);
  await fs.writeFile(draft, text, { mode: 0o600 });
  await fs.rename(draft, path.join(folder, 'state.json'));
}

/** What was written down; undefined where there is nothing that can be read. */
export async function loadState(folder: string, blobs: Blobs): Promise<ChangesState | undefined> {
  try {
    const state: unknown = JSON.parse(await fs.readFile(path.join(folder, 'state.json'), 'utf8'));
    if (!isRecord(state) || state.version !== version) return undefined;
    const { files, ...rest } = state as unknown as Omit<ChangesState, 'files'> & {
      files: readonly Written[];
    };
    return { ...rest, files: await Promise.all(files.map((file) => read(file, blobs))) };
  } catch {
    return undefined;
  }
}

type WrittenSide = Exclude<Side, { kind: 'text' }> | { kind: 'text'; blob: string; isProgram?: boolean };

interface Written {
  readonly path: string;
  readonly session: WrittenSide;
  readonly turn: WrittenSide;
  readonly now: WrittenSide;
  readonly disk: WrittenSide;
  readonly done?: 'kept' | 'rejected';
}

async function written({ path: name, review, disk, done }: Tracked, blobs: Blobs): Promise<Written> {
  const side = (one: Side) => writtenSide(one, blobs);
  return {
    path: name,
    session: await side(review.session),
    turn: await side(review.turn),
    now: await side(review.now),
    disk: await side(disk),
    ...(done !== undefined && { done }),
  };
}

async function writtenSide(side: Side, blobs: Blobs): Promise<WrittenSide> {
  if (side.kind !== 'text') return side;
  const id = ids.get(side) ?? blobs.put(Buffer.from(side.lines.join('')));
  ids.set(side, id);
  return { kind: 'text', blob: await id, ...(side.isProgram && { isProgram: true }) };
}

async function read({ path: name, session, turn, now, disk, done }: Written, blobs: Blobs): Promise<Tracked> {
  const texts = new Map<string, Side>();
  const side = async (one: WrittenSide): Promise<Side> => {
    if (one.kind !== 'text') return one;
    const known = texts.get(one.blob);
    if (known) return known;
    const lines = linesOf((await blobs.get(one.blob)).toString());
    const text: Side = { kind: 'text', lines, ...(one.isProgram && { isProgram: true }) };
    texts.set(one.blob, text);
    return text;
  };
  const review = { session: await side(session), turn: await side(turn), now: await side(now) };
  return { path: name, review, disk: (await side(disk)) ?? none, ...(done !== undefined && { done }) };
}
