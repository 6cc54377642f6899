import fs from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '../../base.ts';
import type { Blobs } from './blobs.ts';
import type { FileReview, Side } from './file-review.ts';
import { linesOf } from './lines.ts';
import type { Checkpoint, Decided, DecidedFile, ReviewState, Touch, Tracked } from './tracked.ts';
import type { Snapshot } from './trees.ts';

/** All that is remembered of a session's changes. */
export interface ChangesState {
  readonly files: readonly Tracked[];
  readonly checkpoints: readonly Checkpoint[];
  /** What the folders held when they were last looked at. */
  readonly last: Snapshot | undefined;
  /** Who else changed a file, by path. */
  readonly touches: Readonly<Record<string, Touch>>;
  readonly decided: readonly Decided[];
}

const version = 2;
const ids = new WeakMap<Blobs, WeakMap<Side, Promise<string>>>();

/** Writes it down, each content once. */
export async function saveState(folder: string, state: ChangesState, blobs: Blobs): Promise<void> {
  const side = (one: Side) => writtenSide(one, blobs);
  const written: Record<string, unknown> = {
    version,
    ...state,
    files: await Promise.all(
      state.files.map(async ({ review, disk, ...rest }) => ({
        ...rest,
        review: await mapped(review, side),
        disk: await side(disk),
      })),
    ),
    checkpoints: await Promise.all(
      state.checkpoints.map(async ({ known, unsaved, reviews, ...rest }) => ({
        ...rest,
        known: await entries([...known], side),
        unsaved: await entries([...unsaved], side),
        reviews: await entries([...reviews], (one) => mappedState(one, side)),
      })),
    ),
    decided: await Promise.all(state.decided.map((one) => mappedDecision(one, side))),
  };
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = path.join(folder, `state.${process.pid}`);
  await fs.writeFile(draft, JSON.stringify(written), { mode: 0o600 });
  await fs.rename(draft, path.join(folder, 'state.json'));
}

/** What was written down; undefined where there is nothing that can be read. */
export async function loadState(folder: string, blobs: Blobs): Promise<ChangesState | undefined> {
  try {
    const state: unknown = JSON.parse(await fs.readFile(path.join(folder, 'state.json'), 'utf8'));
    return isRecord(state) && state.version === version ? await read(state as never, blobs) : undefined;
  } catch {
    return undefined;
  }
}

/** A text is in a file of its own. */
type WrittenSide = Exclude<Side, { kind: 'text' }> | { kind: 'text'; blob: string; isProgram?: boolean };

type Review<T> = Readonly<Record<keyof FileReview, T>>;
type State<T> = Omit<ReviewState, 'review'> & { readonly review: Review<T> };
type Entry<T> = readonly [file: string, T];

interface WrittenState extends Pick<ChangesState, 'last' | 'touches'> {
  readonly files: readonly (Omit<Tracked, 'review' | 'disk'> & {
    readonly review: Review<WrittenSide>;
    readonly disk: WrittenSide;
  })[];
  readonly checkpoints: readonly (Omit<Checkpoint, 'known' | 'unsaved' | 'reviews'> & {
    readonly known: readonly Entry<WrittenSide>[];
    /** Absent in what an older version has written. */
    readonly unsaved?: readonly Entry<WrittenSide>[];
    readonly reviews: readonly Entry<State<WrittenSide>>[];
  })[];
  readonly decided: readonly Decision<WrittenSide>[];
}

interface Decision<T> extends Pick<Decided, 'rejections'> {
  readonly files: readonly (Omit<DecidedFile, 'before' | 'after'> & {
    readonly before: Review<T>;
    readonly after: Review<T>;
  })[];
}

async function writtenSide(side: Side, blobs: Blobs): Promise<WrittenSide> {
  if (side.kind !== 'text') return side;
  const own = ids.get(blobs) ?? new WeakMap<Side, Promise<string>>();
  const id = own.get(side) ?? blobs.put(Buffer.from(side.lines.join('')));
  ids.set(blobs, own.set(side, id));
  return { kind: 'text', blob: await id, ...(side.isProgram && { isProgram: true }) };
}

async function read({ last, touches, ...rest }: WrittenState, blobs: Blobs): Promise<ChangesState> {
  const texts = new Map<string, Promise<readonly string[]>>();
  const linesIn = (blob: string) => blobs.get(blob).then((content) => linesOf(content.toString()));
  const side = async (one: WrittenSide): Promise<Side> => {
    if (one.kind !== 'text') return one;
    const lines = texts.get(one.blob) ?? linesIn(one.blob);
    texts.set(one.blob, lines);
    return { kind: 'text', lines: await lines, ...(one.isProgram && { isProgram: true }) };
  };
  const files = rest.files.map(async ({ review, disk, ...file }) => ({
    ...file,
    review: await mapped(review, side),
    disk: await side(disk),
  }));
  const checkpoints = rest.checkpoints.map(async ({ known, unsaved = [], reviews, ...checkpoint }) => ({
    ...checkpoint,
    known: new Map(await entries(known, side)),
    unsaved: new Map(await entries(unsaved, side)),
    reviews: new Map(await entries(reviews, (one) => mappedState(one, side))),
  }));
  return {
    last,
    touches,
    files: await Promise.all(files),
    checkpoints: await Promise.all(checkpoints),
    decided: await Promise.all(rest.decided.map((one) => mappedDecision(one, side))),
  };
}

function entries<A, B>(list: readonly Entry<A>[], map: (one: A) => Promise<B>): Promise<Entry<B>[]> {
  return Promise.all(list.map(async ([file, one]) => [file, await map(one)] as const));
}

async function mappedState<A, B>(state: State<A>, side: (one: A) => Promise<B>): Promise<State<B>> {
  return { ...state, review: await mapped(state.review, side) };
}

async function mapped<A, B>(review: Review<A>, side: (one: A) => Promise<B>): Promise<Review<B>> {
  const { session, turn, now } = review;
  return { session: await side(session), turn: await side(turn), now: await side(now) };
}

async function mappedDecision<A, B>(
  { files, rejections }: Decision<A>,
  side: (one: A) => Promise<B>,
): Promise<Decision<B>> {
  const written = files.map(async (file) => ({
    ...file,
    before: await mapped(file.before, side),
    after: await mapped(file.after, side),
  }));
  return { files: await Promise.all(written), rejections };
}
