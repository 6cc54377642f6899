import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { isRecord } from '../../base/record.ts';
import { inParts } from '../../base/serial-queue.ts';
import { countOf } from '../../base/text.ts';
import { loadRegularFile } from '../../system/files/regular-file.ts';
import { replaceFile } from '../../system/files/replace-file.ts';
import { isMissing } from '../files/disk.ts';
import { type FileContent, splitLines } from '../files/file-content.ts';
import type { FileReview, OtherChange, TrackedFile } from '../files/file-record.ts';
import { codeOf } from '../files/held-folder.ts';
import type { BlobStore } from '../snapshots/blob-store.ts';
import type { Snapshot } from '../snapshots/snapshot-store.ts';
import type { Checkpoint, DecidedFile, PastDecision, ReviewState } from './types.ts';

/** The state of a session's changes that is kept on disk. */
interface ChangesState {
  readonly files: readonly TrackedFile[];
  readonly checkpoints: readonly Checkpoint[];
  /** The snapshot of the last scan. */
  readonly last: Snapshot | undefined;
  /** The last change by anybody but the agent, by path. */
  readonly touches: Readonly<Record<string, OtherChange>>;
  readonly decided: readonly PastDecision[];
}

const version = 2;
const stateFile = 'state.json';
const maxStateBytes = 256 * 1024 * 1024;
/** Each item has several contents, and the number of open files is limited. */
const itemsAtOnce = 16;
const ids = new WeakMap<BlobStore, WeakMap<FileContent, Promise<string>>>();

/** Saves the state; each content is stored once. */
export async function saveState(folder: string, state: ChangesState, blobs: BlobStore): Promise<void> {
  const content = (one: FileContent) => writtenContent(one, blobs);
  const written: Record<string, unknown> = {
    version,
    ...state,
    files: await Promise.all(
      state.files.map(async ({ review, disk, ...rest }) => ({
        ...rest,
        review: await mapped(review, content),
        disk: await content(disk),
      })),
    ),
    checkpoints: await Promise.all(
      state.checkpoints.map(async ({ known, unsaved, reviews, ...rest }) => ({
        ...rest,
        known: await entries([...known], content),
        unsaved: await entries([...unsaved], content),
        reviews: await entries([...reviews], (one) => mappedState(one, content)),
      })),
    ),
    decided: await Promise.all(state.decided.map((one) => mappedDecision(one, content))),
  };
  await replaceFile(path.join(folder, stateFile), JSON.stringify(written));
}

/** Copies the state of another session, unless this one has a state already. */
export async function copyState(from: string, to: string): Promise<void> {
  const copy = path.join(to, stateFile);
  if (existsSync(copy) || !existsSync(from)) return;
  // Read first: another Neovim may go on with the session, and its later states have contents that are not copied.
  const state = await loadRegularFile(path.join(from, stateFile), maxStateBytes).catch(unlessMissing);
  await copyFolder(from, to);
  // Last and at once: after a host that is killed meanwhile, the next one copies everything again.
  if (state) await replaceFile(copy, state);
}

async function copyFolder(from: string, to: string): Promise<void> {
  await fs.mkdir(to, { recursive: true, mode: 0o700 });
  for (const entry of await fs.readdir(from, { withFileTypes: true })) {
    const [file, copy] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) await copyFolder(file, copy);
    else if (entry.isFile() && entry.name !== stateFile) await copyFile(file, copy);
  }
}

// Objects of git may not be written to, so an earlier copy is deleted first. Temporary files of another Neovim vanish.
async function copyFile(file: string, copy: string): Promise<void> {
  await fs.rm(copy, { force: true });
  await fs.copyFile(file, copy).catch(unlessMissing);
}

function unlessMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

/**
 * The parts of the saved state that can be read; undefined if there are none. A state of which something can't be read
 * is put aside, and `report` hears why: the next one is written in its place. Rejects if reading may succeed later.
 */
export async function loadState(
  folder: string,
  blobs: Pick<BlobStore, 'get'>,
  report: (problem: string) => void,
): Promise<ChangesState | undefined> {
  const file = path.join(folder, stateFile);
  try {
    const state = await readState(file);
    if (!state) return undefined;
    const { lost, ...found } = await read(state, blobs);
    if (lost !== '') report(partlyLost(lost, await putAside(file, fs.copyFile)));
    return found;
  } catch (error) {
    if (isTransient(error)) throw error;
    report(`The changes of this session can't be read: ${messageOf(error)}. ${keptAs(await putAside(file))}`);
    return undefined;
  }
}

async function readState(file: string): Promise<WrittenState | undefined> {
  const text = await loadRegularFile(file, maxStateBytes).catch(unlessMissing);
  if (!text) return undefined;
  const state: unknown = JSON.parse(text.toString());
  if (!isRecord(state)) throw new Error('it is no JSON object');
  if (state.version === version) return state as never;
  throw new Error(`it is of version ${String(state.version)}, and this is version ${version}`);
}

/** Gives the file, or a copy of it, a name that no other file has. */
async function putAside(file: string, put: typeof fs.rename = fs.rename): Promise<string> {
  let aside = `${file}.bad`;
  for (let number = 2; existsSync(aside); number += 1) aside = `${file}.bad-${number}`;
  await put(file, aside);
  return aside;
}

function partlyLost(lost: string, aside: string): string {
  return `A part of the changes of this session can't be read: ${lost}. ${keptAs(aside)}`;
}

function keptAs(file: string): string {
  return `What was saved is kept as ${file}.`;
}

// The host, or the machine, has too many open files for a moment.
function isTransient(error: unknown): boolean {
  return ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'].includes(codeOf(error));
}

/** The content as it is saved: text is in a blob of its own. */
type WrittenContent =
  | Exclude<FileContent, { kind: 'text' }>
  | { kind: 'text'; blob: string; isProgram?: boolean };

type Review<T> = Readonly<Record<keyof FileReview, T>>;
type State<T> = Omit<ReviewState, 'review'> & { readonly review: Review<T> };
type Entry<T> = readonly [file: string, T];

/** Names of fields in the state of earlier versions. */
interface EarlierNames {
  readonly isApart?: boolean;
  readonly done?: TrackedFile['decision'];
}

interface WrittenState extends Pick<ChangesState, 'last' | 'touches'> {
  readonly files: readonly (Omit<TrackedFile, 'review' | 'disk'> & {
    readonly review: Review<WrittenContent>;
    readonly disk: WrittenContent;
  })[];
  readonly checkpoints: readonly (Omit<Checkpoint, 'known' | 'unsaved' | 'reviews'> & {
    readonly known: readonly Entry<WrittenContent>[];
    /** Absent in the state of older versions. */
    readonly unsaved?: readonly Entry<WrittenContent>[];
    readonly reviews: readonly Entry<State<WrittenContent>>[];
  })[];
  readonly decided: readonly Decision<WrittenContent>[];
}

interface Decision<T> extends Pick<PastDecision, 'rejections'> {
  readonly files: readonly (Omit<DecidedFile, 'before' | 'after'> & {
    readonly before: Review<T>;
    readonly after: Review<T>;
  })[];
}

async function writtenContent(content: FileContent, blobs: BlobStore): Promise<WrittenContent> {
  if (content.kind !== 'text') return content;
  const own = ids.get(blobs) ?? new WeakMap<FileContent, Promise<string>>();
  const id = own.get(content) ?? blobs.put(Buffer.from(content.lines.join('')));
  ids.set(blobs, own.set(content, id));
  return { kind: 'text', blob: await id, ...(content.isProgram && { isProgram: true }) };
}

async function read(
  { last, touches, ...rest }: WrittenState,
  blobs: Pick<BlobStore, 'get'>,
): Promise<ChangesState & { readonly lost: string }> {
  const texts = new Map<string, Promise<readonly string[]>>();
  const linesIn = (blob: string) => blobs.get(blob).then((content) => splitLines(content.toString()));
  const content = async (one: WrittenContent): Promise<FileContent> => {
    if (one.kind !== 'text') return one;
    const lines = texts.get(one.blob) ?? linesIn(one.blob);
    texts.set(one.blob, lines);
    return { kind: 'text', lines: await lines, ...(one.isProgram && { isProgram: true }) };
  };
  const files = await readable(rest.files, async ({ review, disk, ...file }) => ({
    ...withNewNames(file),
    review: await mapped(review, content),
    disk: await content(disk),
  }));
  const checkpoints = await readable(
    rest.checkpoints,
    async ({ known, unsaved = [], reviews, ...checkpoint }) => ({
      ...checkpoint,
      known: new Map(await entries(known, content)),
      unsaved: new Map(await entries(unsaved, content)),
      reviews: new Map(await entries(reviews, (one) => mappedState(withNewNames(one), content))),
    }),
  );
  const decided = await readable(rest.decided, async ({ files: all, ...one }) =>
    mappedDecision({ ...one, files: all.map(withNewNames) }, content),
  );
  const lists = { file: files, prompt: checkpoints, decision: decided };
  const lost = Object.entries(lists).flatMap(([noun, list]) =>
    list.lost > 0 ? [countOf(list.lost, noun)] : [],
  );
  return {
    ...{ last, touches, lost: lost.join(', ') },
    ...{ files: files.found, checkpoints: checkpoints.found },
    // A decision is undone after all later ones, so those before one that is lost can't be.
    decided: decided.afterLost,
  };
}

/** The items that can be read, those of them after the last one that can't be, and the number of the others. */
async function readable<A, B>(list: readonly A[], readOne: (one: A) => Promise<B>) {
  const all = await inParts(list, itemsAtOnce, (one) => readOne(one).catch(unlessTransient));
  const found = all.filter((one) => one !== undefined);
  const afterLost = all.slice(all.lastIndexOf(undefined) + 1).filter((one) => one !== undefined);
  return { found, afterLost, lost: all.length - found.length };
}

function unlessTransient(error: unknown): undefined {
  if (isTransient(error)) throw error;
}

function withNewNames<T extends Pick<TrackedFile, 'decision' | 'isOutsideSnapshots'>>(saved: T): T {
  const { done, isApart, ...file } = saved as T & EarlierNames;
  const { decision = done, isOutsideSnapshots = isApart } = saved;
  return { ...file, ...(decision && { decision }), ...(isOutsideSnapshots && { isOutsideSnapshots }) } as T;
}

function entries<A, B>(list: readonly Entry<A>[], map: (one: A) => Promise<B>): Promise<Entry<B>[]> {
  return Promise.all(list.map(async ([file, one]) => [file, await map(one)] as const));
}

async function mappedState<A, B>(state: State<A>, content: (one: A) => Promise<B>): Promise<State<B>> {
  return { ...state, review: await mapped(state.review, content) };
}

async function mapped<A, B>(review: Review<A>, content: (one: A) => Promise<B>): Promise<Review<B>> {
  const { session, turn, now } = review;
  return { session: await content(session), turn: await content(turn), now: await content(now) };
}

async function mappedDecision<A, B>(
  { files, rejections }: Decision<A>,
  content: (one: A) => Promise<B>,
): Promise<Decision<B>> {
  const written = files.map(async (file) => ({
    ...file,
    before: await mapped(file.before, content),
    after: await mapped(file.after, content),
  }));
  return { files: await Promise.all(written), rejections };
}
