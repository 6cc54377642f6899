import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { once } from '../../base.ts';
import { AcpError, messageOf } from '../../errors.ts';
import type { Clock, Log } from '../../ports/host.ts';
import type { Rewritten } from '../buffer-writes.ts';
import type { Arbiter, Put } from '../disk-conflicts.ts';
import { prepareHunks } from '../known-hunks.ts';
import { Roots } from '../roots.ts';
import type { Blobs } from './blobs.ts';
import type { Deeds, Sign, Worker } from './deeds.ts';
import { type Desk, seenAs, sidesOf } from './desk.ts';
import * as review from './file-review.ts';
import { type Side, sameSide, unchanged } from './file-review.ts';
import { type FolderChange, Folders } from './folders.ts';
import { isOlder, noteLeaving, takeLeaving } from './leaving.ts';
import { isHuge } from './sides.ts';
import { loadState, saveState } from './state.ts';
import type { Author, Checkpoint, Decided, Touch, Tracked } from './tracked.ts';
import type { Snapshot, Unwatched } from './trees.ts';

export interface LedgerParts {
  readonly folders: readonly string[];
  /** A folder of ours for this session. */
  readonly state: string;
  readonly desk: Desk;
  readonly blobs: Blobs;
  readonly deeds: Deeds;
  readonly clock: Clock;
  readonly log: Log;
  onChange(): void;
}

/** What is known of the change of a file. */
type SignOf = (file: string) => Promise<Sign>;

const atOnce = 8;
const byUser = { author: 'user', isSure: true } as const;

/** Knows what every file was before the agent touched it, and whose each change is. */
export class Ledger {
  readonly files = new Map<string, Tracked>();
  readonly checkpoints: Checkpoint[] = [];
  /** Who else changed a file, by path. */
  readonly touches = new Map<string, Touch>();
  /** Files the user has saved that were not looked at since. */
  readonly saves = new Set<string>();
  /** What the user kept and rejected, the last at the end. */
  readonly decided: Decided[] = [];
  /** This session among the others. */
  readonly worker: Worker;
  readonly folders: Folders;
  private readonly parts: LedgerParts;
  private readonly roots: Roots;
  private last: Snapshot | undefined;
  /** Why single files could not be looked at. */
  private readonly missed = new Map<string, string>();
  /** What the log was told of what can't be looked at. */
  private readonly told = new Set<string>();
  private queue: Promise<unknown> = Promise.resolve();
  private isEnding = false;
  private earlier: string | undefined;
  /** What files were when the agent came to them, while it is still being noted what there is. */
  private early: Map<string, Promise<Side>> | undefined;

  constructor(parts: LedgerParts) {
    this.parts = parts;
    this.roots = new Roots(parts.folders);
    this.folders = new Folders(parts.blobs);
    this.worker = parts.deeds.join((file) => this.folders.has(file));
  }

  /** Does one thing after the other, and writes down what came of it. After the end nothing is done any more. */
  run<T>(act: () => Promise<T>): Promise<T> {
    return this.isEnding ? Promise.reject(ended()) : this.enqueue(() => this.perform(act));
  }

  /** As `run`, but what has not begun when the session ends is left undone. */
  runUnlessEnding<T>(act: () => Promise<T>): Promise<T> {
    return this.enqueue(async () => {
      if (this.isEnding) throw ended();
      return this.perform(act);
    });
  }

  /** Where a path really leads. */
  async real(file: string): Promise<string> {
    return (await this.roots.find(path.resolve(this.parts.folders[0] ?? '', file))).real;
  }

  /** Whether the place of a file is in the folders of the session. */
  holds(file: string): Promise<boolean> {
    return this.roots.holds(file);
  }

  /** Takes in what was changed since the last look, anywhere in the folders. */
  async look(sign: Sign | SignOf = 'none'): Promise<Snapshot> {
    const before = this.last;
    const seen = this.worker.looks();
    const taken = await this.takeFolders();
    const changes = before ? await this.folders.changes(before, taken) : [];
    await inParts(changes, (change) =>
      this.attempt(change.path, async () => this.absorb(change, await signOf(sign, change.path))),
    );
    seen();
    // Of a folder that could not be looked at, what was known last is what the next look is compared with.
    this.last = { ...before, ...taken };
    return taken;
  }

  /** What could not be looked at, and why. */
  get unwatched(): readonly Unwatched[] {
    const missed = [...this.missed].map(([path, reason]) => ({ path, reason }));
    return [...this.folders.unwatched, ...missed];
  }

  /** What fails with one file does not keep the others from being looked at. */
  async attempt<T>(file: string, act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act();
    } catch (error) {
      this.parts.log.error(`${file} was not looked at`, error);
      this.missed.set(file, messageOf(error));
      return undefined;
    }
  }

  /** What is there before the agent begins: all that is new since the last look is not its own. */
  async checkpoint(prompt: string, kind: Checkpoint['kind'] = 'prompt'): Promise<Checkpoint> {
    const trees = await this.look();
    await this.refreshAll();
    await this.folders.keep(trees).catch((error: unknown) => {
      this.parts.log.error('what was noted may be gone when git prunes', error);
    });
    const id = (this.checkpoints.at(-1)?.id ?? 0) + 1;
    const apart = [...this.files.values()].filter(({ isApart }) => isApart);
    const known = new Map(apart.map((file) => [file.path, file.disk]));
    const unsaved = await this.parts.desk.unsaved((file) => this.folders.has(file) || this.files.has(file));
    const made = { id, at: this.parts.clock.now(), prompt, kind, trees, known, unsaved, reviews: new Map() };
    this.checkpoints.push(made);
    return made;
  }

  /** A prompt is about to be sent, or is sent while this takes its time. */
  async beginTurn(prompt: string): Promise<void> {
    // What can't be noted is no reason not to watch what the agent does.
    const made = await this.checkpoint(prompt).catch((error: unknown) => {
      this.parts.log.error(`what the files are was not noted: ${messageOf(error)}`, error);
    });
    for (const file of this.files.values()) file.review = review.beginTurn(file.review);
    this.worker.begin();
    const early = this.early ?? new Map<string, Promise<Side>>();
    this.early = undefined;
    for (const [file, seen] of early) await this.takeEarly(file, await seen, made ?? undefined);
  }

  /** From here on the agent may come before it is known what there is. */
  expectEarly(): void {
    this.early ??= new Map();
  }

  get isEarly(): boolean {
    return this.early !== undefined;
  }

  /** What a file is that the agent is about to change, or has, if that is not known otherwise. */
  async glimpse(file: string, from: (disk: Side) => Side = (disk) => disk): Promise<void> {
    if (this.isEnding) return;
    const seen = this.early?.get(file) ?? this.parts.desk.onDisk(file).then(from);
    this.early?.set(file, seen);
    await seen;
  }

  hasGlimpsed(file: string): boolean {
    return this.early?.has(file) ?? false;
  }

  async refreshAll(sign: Sign | SignOf = 'none'): Promise<void> {
    await inParts([...this.files.values()], (file) =>
      this.attempt(file.path, async () => this.refresh(file, await signOf(sign, file.path))),
    );
  }

  /** The session ends. Settles when all that was decided is on disk; from then on nothing is started or written. */
  readonly end = once(async (): Promise<void> => {
    this.isEnding = true;
    this.leave();
    await Promise.allSettled([this.queue, ...(this.early?.values() ?? [])]);
  });

  private leave(): void {
    const { state, clock, log } = this.parts;
    try {
      if (this.worker.isAtWork) noteLeaving(state, clock.now());
    } catch (error) {
      log.error(`that a turn was not over can't be noted in ${state}`, error);
    }
    this.worker.dispose();
  }

  /** The file as it was at the first sign that the agent touches it. `from` tells that of what is on disk already. */
  async track(file: string, from: (disk: Side) => Side = (disk) => disk): Promise<Tracked | undefined> {
    const known = this.files.get(file);
    if (known) return known;
    const { last } = this;
    const noted = last && (await this.attempt(file, () => this.folders.sideAt(last, file)));
    const before = noted ?? from(await this.parts.desk.onDisk(file));
    if (isHuge(before)) return undefined;
    if (!noted && this.worker.isAtWork) this.checkpoints.at(-1)?.known.set(file, before);
    return this.add(file, before, noted === undefined);
  }

  /** Takes in what became of a file. `rewritten`: how the agent changed its buffer, which has unsaved text. */
  async refresh(file: Tracked, sign: Sign = 'none', rewritten?: Rewritten): Promise<void> {
    const { desk } = this.parts;
    this.missed.delete(file.path);
    const disk = await this.settled(file);
    if (sameSide(disk, file.disk)) {
      const seen = await desk.seen(file.path, disk);
      await this.compare(file.review, seen);
      file.review = review.userWrote(file.review, seen);
    } else await this.takeIn(file, disk, sign, rewritten);
    await this.compare(file.review);
  }

  /** Makes a file what it is to be, in its buffer and on disk. `saved`: what is on disk, if that is another text. */
  async put(file: Tracked, to: review.FileReview, saved?: Side): Promise<void> {
    const { desk } = this.parts;
    if (!sameSide(file.review.now, to.now)) {
      await desk.put(file.path, file.review.now, to.now, saved);
      file.disk = await desk.onDisk(file.path);
      this.worker.claims(file.path, file.disk, 'user');
    }
    file.review = to;
    await this.compare(to);
  }

  isOpen(file: string): Promise<boolean> {
    return this.parts.desk.isOpen(file);
  }

  /** What a file was at a checkpoint; undefined when nobody knows. */
  async sideAt({ trees, known }: Checkpoint, file: string): Promise<Side | undefined> {
    return known.get(file) ?? this.folders.sideAt(trees, file);
  }

  /** Somebody but the agent has changed a file. */
  note(file: string, by: Author): void {
    if (by !== 'agent') this.touches.set(file, { at: this.parts.clock.now(), by });
  }

  /** Goes on with what another session knew, unless this one knows something itself. */
  adopt(state: string): void {
    this.earlier = state;
  }

  private enqueue<T>(act: () => Promise<T>): Promise<T> {
    const done = this.queue.catch(() => undefined).then(act);
    this.queue = done;
    return done;
  }

  private async perform<T>(act: () => Promise<T>): Promise<T> {
    await this.open();
    try {
      return await act();
    } finally {
      await this.save();
    }
  }

  private readonly open = once(async () => {
    const isAdopted = await this.copyEarlier();
    await this.folders.open(this.parts.folders, this.parts.state);
    const state = await loadState(this.parts.state, this.parts.blobs);
    if (!state) return;
    if (isAdopted) await this.keepAll(state.checkpoints);
    this.checkpoints.push(...state.checkpoints);
    this.decided.push(...state.decided);
    for (const [file, touch] of Object.entries(state.touches)) this.touches.set(file, touch);
    for (const file of state.files) this.files.set(file.path, file);
    this.last = state.last;
    await this.takeUnseen().catch((error: unknown) => {
      this.parts.log.error('what changed while nobody watched was not looked at', error);
    });
  });

  // Nobody watched. What was written before the session ended in the middle of a turn is the agent's all the same.
  private async takeUnseen(): Promise<void> {
    const leftAt = await takeLeaving(this.parts.state);
    if (leftAt === undefined) return this.refreshAll();
    const signOf: SignOf = async (file) => ((await isOlder(file, leftAt)) ? 'worked' : 'none');
    await this.look(signOf);
    await this.refreshAll(signOf);
  }

  private async takeFolders(): Promise<Snapshot> {
    const taken = await this.folders.take();
    for (const { path: name, reason } of this.folders.unwatched) {
      if (!this.told.has(`${name} ${reason}`)) this.parts.log.error(`${name} is not looked at: ${reason}`);
      this.told.add(`${name} ${reason}`);
    }
    return taken;
  }

  private async absorb({ path: file, before, isUnread }: FolderChange, sign: Sign): Promise<void> {
    const tracked = this.files.get(file);
    if (tracked) return this.refresh(tracked, sign);
    if (this.hasGlimpsed(file)) return;
    const { author } = this.worker.judge(file, await this.onDisk(file), sign);
    if (author !== 'agent') return this.note(file, author);
    if (isUnread)
      return void this.missed.set(file, 'was changed; it is too large to be kept, or may not be read');
    const old = this.worker.madeByOthers(file)?.side ?? (await before());
    await this.refresh(this.add(file, old), sign);
  }

  private async takeEarly(file: string, before: Side, made: Checkpoint | undefined): Promise<void> {
    if (isHuge(before)) return;
    made?.known.set(file, before);
    const isApart = (made && (await this.folders.sideAt(made.trees, file))) === undefined;
    await this.refresh(this.files.get(file) ?? this.add(file, before, isApart), 'wrote');
  }

  private async takeIn(file: Tracked, now: Side, sign: Sign, rewritten?: Rewritten): Promise<void> {
    const { desk } = this.parts;
    const shown = await desk.seen(file.path, now);
    // Neovim tells of a save before it answers a question.
    const isSaved = this.saves.delete(file.path);
    if (isSaved) file.review = review.userWrote(file.review, shown);
    this.catchUp(file, now);
    const { author, isSure } =
      isSaved && sameSide(shown, now) ? byUser : this.worker.judge(file.path, now, sign);
    this.note(file.path, author);
    if (author === 'agent') delete file.done;
    const wrote = author === 'agent' ? review.agentWrote : review.userWrote;
    const onChosen = (put: Put) => this.run(() => this.takeChoice(file, wrote, put));
    const { disk, was, isUnsaved, seen } = await this.follow(file, now, onChosen);
    // The user may have saved it just now, on top of that, and what is there now may be newer still.
    if (this.saves.has(file.path) && !isUnsaved && !sameSide(disk, now)) {
      file.review = review.userWrote(wrote(file.review, now), was);
    }
    await this.compare(file.review, disk);
    const steps = rewritten ? sidesOf(rewritten, disk) : isUnsaved ? { was, seen } : undefined;
    const written = steps
      ? wrote(review.userWrote(file.review, steps.was), steps.seen)
      : wrote(file.review, disk);
    file.review = review.userWrote(written, seen);
    file.disk = disk;
    if (isSure) this.worker.claims(file.path, disk, author);
    else this.worker.disclaims(file.path);
  }

  // What the user took of the other side is still its work.
  private async takeChoice(file: Tracked, wrote: typeof review.userWrote, put: Put): ReturnType<Put> {
    const { desk } = this.parts;
    await this.refresh(file);
    const left = await put();
    if (left) return left;
    const seen = await desk.seen(file.path, await desk.onDisk(file.path));
    await this.compare(file.review, seen);
    file.review = wrote(file.review, seen);
    await this.compare(file.review);
    return undefined;
  }

  // What another session is known to have made of it on the way to what it is now.
  private catchUp(file: Tracked, now: Side): void {
    const made = this.worker.madeByOthers(file.path);
    const isPlain = sameSide(file.review.now, file.disk);
    if (!made || !isPlain || sameSide(made.side, now) || sameSide(made.side, file.disk)) return;
    file.review = review.userWrote(file.review, made.side);
    this.note(file.path, made.by);
  }

  // What the agent wrote too early is not there yet for whoever notes what there is.
  private follow(file: Tracked, now: Side, onChosen: Arbiter['onChosen']): ReturnType<Desk['follow']> {
    if (this.hasGlimpsed(file.path)) return Promise.resolve(seenAs(now));
    return this.parts.desk.follow(file.path, file.disk, onChosen);
  }

  // A file that is being saved may be gone for a moment. Once Neovim answers it is there, and we are told who did it.
  private async settled(file: Tracked): Promise<Side> {
    const disk = await this.onDisk(file.path);
    if (sameSide(disk, file.disk)) return disk;
    await this.parts.desk.answers(file.path);
    return this.onDisk(file.path);
  }

  private async onDisk(file: string): Promise<Side> {
    return (await this.early?.get(file)) ?? this.parts.desk.onDisk(file);
  }

  // What takes long is done elsewhere before it is needed.
  private async compare(file: review.FileReview, now?: Side): Promise<void> {
    for (const [before, after] of review.comparisons(file, now)) {
      await prepareHunks(before, after);
    }
  }

  private add(file: string, before: Side, isApart = false): Tracked {
    const tracked = { path: file, review: unchanged(before), disk: before, ...(isApart && { isApart }) };
    this.files.set(file, tracked);
    return tracked;
  }

  private async copyEarlier(): Promise<boolean> {
    const { state, log } = this.parts;
    if (this.earlier === undefined || existsSync(state) || !existsSync(this.earlier)) return false;
    try {
      await fs.cp(this.earlier, state, { recursive: true });
      return true;
    } catch (error) {
      log.error(`what was known of changes in ${this.earlier} is lost`, error);
      return false;
    }
  }

  private async keepAll(checkpoints: readonly Checkpoint[]): Promise<void> {
    await Promise.all(checkpoints.map(({ trees }) => this.folders.keep(trees).catch(() => undefined)));
  }

  private async save(): Promise<void> {
    const { state, blobs, log } = this.parts;
    const { checkpoints, last, decided } = this;
    const files = [...this.files.values()];
    const touches = Object.fromEntries(this.touches);
    try {
      await saveState(state, { files, checkpoints, last, touches, decided }, blobs);
    } catch (error) {
      log.error(`what was changed can't be kept in ${state}`, error);
    }
    this.parts.onChange();
  }
}

function ended(): AcpError {
  return new AcpError('cancelled', 'the session has ended');
}

function signOf(sign: Sign | SignOf, file: string): Sign | Promise<Sign> {
  return typeof sign === 'string' ? sign : sign(file);
}

async function inParts<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += atOnce) {
    await Promise.all(items.slice(at, at + atOnce).map(act));
  }
}
