import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { once } from '../../base.ts';
import type { Clock, Log } from '../../ports.ts';
import type { Put } from '../disk-conflicts.ts';
import { Roots } from '../roots.ts';
import type { Blobs } from './blobs.ts';
import type { Desk } from './desk.ts';
import * as review from './file-review.ts';
import { none, type Side, sameSide, unchanged } from './file-review.ts';
import { type Comparer, prepareHunks } from './hunks.ts';
import { openTrees } from './open-trees.ts';
import { isHuge, sideOf } from './sides.ts';
import { loadState, saveState } from './state.ts';
import type { Author, Checkpoint, Tracked } from './tracked.ts';
import type { TreeFile, Trees } from './trees.ts';

export interface LedgerParts {
  readonly folders: readonly string[];
  /** A folder of ours for this session. */
  readonly state: string;
  readonly desk: Desk;
  readonly blobs: Blobs;
  readonly comparer: Comparer;
  readonly clock: Clock;
  readonly log: Log;
  onChange(): void;
}

const atOnce = 8;

/** Knows what every file was before the agent touched it, and whose each change is. */
export class Ledger {
  readonly files = new Map<string, Tracked>();
  readonly checkpoints: Checkpoint[] = [];
  /** When the user changed a file, by path. */
  readonly userAt = new Map<string, number>();
  /** Files the user has saved that were not looked at since. */
  readonly saves = new Set<string>();
  /** What is found changed meanwhile is the agent's. */
  isAgentAtWork = false;
  private readonly parts: LedgerParts;
  private readonly roots: Roots;
  private trees: readonly Trees[] = [];
  private last: readonly string[] | undefined;
  private queue: Promise<unknown> = Promise.resolve();
  private earlier: string | undefined;

  constructor(parts: LedgerParts) {
    this.parts = parts;
    this.roots = new Roots(parts.folders);
  }

  /** Does one thing after the other, and writes down what came of it. */
  run<T>(act: () => Promise<T>): Promise<T> {
    const done = this.queue
      .catch(() => undefined)
      .then(() => this.open())
      .then(act)
      .finally(() => this.save());
    this.queue = done;
    return done;
  }

  get author(): Author {
    return this.isAgentAtWork ? 'agent' : 'user';
  }

  /** Where a path really leads. */
  async real(file: string): Promise<string> {
    return (await this.roots.find(path.resolve(this.parts.folders[0] ?? '', file))).real;
  }

  /** Takes in what was changed since the last look, anywhere in the folders. */
  async look(author: Author = this.author): Promise<readonly string[]> {
    const [before, taken] = [this.last, await this.take()];
    if (before) {
      for (const [index, trees] of this.trees.entries()) {
        await this.absorb(trees, before[index]!, taken[index]!, author);
      }
    }
    this.last = taken;
    return taken;
  }

  /** What is there before the agent begins: all that is new since the last look is the user's. */
  async checkpoint(prompt: string, kind: Checkpoint['kind'] = 'prompt'): Promise<Checkpoint> {
    const trees = await this.look();
    await this.refreshAll(this.author);
    await Promise.all(this.trees.map((one, index) => one.keep(trees[index]!)));
    const id = (this.checkpoints.at(-1)?.id ?? 0) + 1;
    const made = { id, at: this.parts.clock.now(), prompt, kind, trees };
    this.checkpoints.push(made);
    return made;
  }

  async refreshAll(author: Author): Promise<void> {
    await inParts([...this.files.values()], (file) => this.refresh(file, author));
  }

  /** The file as it was at the first sign that the agent touches it. `from` tells that of what is on disk already. */
  async track(file: string, from: (disk: Side) => Side = (disk) => disk): Promise<Tracked | undefined> {
    const known = this.files.get(file);
    if (known) return known;
    const before = (await this.noted(file)) ?? from(await this.parts.desk.onDisk(file));
    return isHuge(before) ? undefined : this.add(file, before);
  }

  /** Takes in what became of a file. */
  async refresh(file: Tracked, author: Author = this.author): Promise<void> {
    const { desk } = this.parts;
    const disk = await desk.onDisk(file.path);
    if (sameSide(disk, file.disk)) {
      const seen = await desk.seen(file.path, disk);
      await this.compare(file.review, seen);
      file.review = review.userWrote(file.review, seen);
    } else await this.takeIn(file, author);
    await this.compare(file.review);
  }

  private async takeIn(file: Tracked, author: Author): Promise<void> {
    const { desk } = this.parts;
    const shown = await desk.seen(file.path, await desk.onDisk(file.path));
    // Neovim tells of a save before it answers a question.
    if (this.saves.delete(file.path)) file.review = review.userWrote(file.review, shown);
    if (author === 'user') this.noteUser(file.path);
    const wrote = author === 'agent' ? review.agentWrote : review.userWrote;
    const onChosen = (put: Put) => this.run(() => this.takeChoice(file, wrote, put));
    const { disk, typed, seen } = await desk.follow(file.path, file.disk, onChosen);
    await this.compare(file.review, disk);
    file.review = typed
      ? wrote(review.userWrote(file.review, typed), seen)
      : review.userWrote(wrote(file.review, disk), seen);
    file.disk = disk;
    if (author === 'agent') delete file.done;
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

  /** Makes a file what it is to be, in its buffer and on disk. */
  async put(file: Tracked, to: review.FileReview): Promise<void> {
    const { desk } = this.parts;
    if (!sameSide(file.review.now, to.now)) {
      await desk.put(file.path, file.review.now, to.now);
      file.disk = await desk.onDisk(file.path);
    }
    file.review = to;
  }

  /** What a file was at a checkpoint; undefined when nobody knows. */
  async sideAt({ trees }: { readonly trees: readonly string[] }, file: string): Promise<Side | undefined> {
    const place = this.locate(file);
    const tree = place && trees[place.index];
    if (!place || tree === undefined) return undefined;
    const found = await place.trees.find(tree, place.name);
    if (found) return this.side(place.trees, found, place.name);
    return (await place.trees.covers(place.name)) ? none : undefined;
  }

  /** The files that differ between two times. */
  async between(one: readonly string[], other: readonly string[]): Promise<readonly string[]> {
    const lists = await Promise.all(
      this.trees.map(async (trees, index) => {
        const changes = await trees.changes(one[index]!, other[index]!);
        return changes.map(({ name }) => path.join(trees.root, name));
      }),
    );
    return lists.flat();
  }

  /** The user has changed a file. */
  noteUser(file: string): void {
    this.userAt.set(file, this.parts.clock.now());
  }

  isInside(file: string): boolean {
    return this.locate(file) !== undefined;
  }

  /** Goes on with what another session knew, unless this one knows something itself. */
  adopt(state: string): void {
    this.earlier = state;
  }

  private readonly open = once(async () => {
    const isAdopted = await this.copyEarlier();
    this.trees = await openTrees(this.parts.folders, this.parts.state);
    const state = await loadState(this.parts.state, this.parts.blobs);
    if (!state) return;
    if (isAdopted) await this.keepAll(state.checkpoints);
    this.checkpoints.push(...state.checkpoints);
    for (const [file, at] of Object.entries(state.userAt)) this.userAt.set(file, at);
    for (const file of state.files) this.files.set(file.path, file);
    if (state.last?.length === this.trees.length) this.last = state.last;
    // Nobody watched, and no agent was there.
    await this.refreshAll('user');
  });

  // What takes long is done elsewhere before it is needed.
  private async compare(file: review.FileReview, now?: Side): Promise<void> {
    for (const [before, after] of review.comparisons(file, now)) {
      await prepareHunks(before, after, this.parts.comparer);
    }
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
    const kept = checkpoints.flatMap(({ trees }) =>
      this.trees.map((one, index) => one.keep(trees[index]!).catch(() => undefined)),
    );
    await Promise.all(kept);
  }

  private async save(): Promise<void> {
    const { state, blobs, log } = this.parts;
    const { checkpoints, last } = this;
    const files = [...this.files.values()];
    const userAt = Object.fromEntries(this.userAt);
    try {
      await saveState(state, { files, checkpoints, last, userAt }, blobs);
    } catch (error) {
      log.error(`what was changed can't be kept in ${state}`, error);
    }
    this.parts.onChange();
  }

  private take(): Promise<readonly string[]> {
    return Promise.all(this.trees.map((trees) => trees.take()));
  }

  private async absorb(trees: Trees, from: string, to: string, author: Author): Promise<void> {
    const changes = await trees.changes(from, to);
    await inParts(changes, async ({ name, before }) => {
      const file = path.join(trees.root, name);
      if (author === 'user') this.noteUser(file);
      const isNew = author === 'agent' && !this.files.has(file);
      if (isNew) this.add(file, before ? await this.side(trees, before, name) : none);
      const tracked = this.files.get(file);
      if (tracked) await this.refresh(tracked, author);
    });
  }

  private add(file: string, before: Side): Tracked {
    const tracked = { path: file, review: unchanged(before), disk: before };
    this.files.set(file, tracked);
    return tracked;
  }

  private async noted(file: string): Promise<Side | undefined> {
    return this.last && this.sideAt({ trees: this.last }, file);
  }

  private async side(trees: Trees, file: TreeFile, name: string): Promise<Side> {
    return sideOf(await trees.read(file, name), file.kind, this.parts.blobs);
  }

  private locate(file: string) {
    for (const [index, trees] of this.trees.entries()) {
      const name = path.relative(trees.root, file);
      if (name !== '' && !name.startsWith('..') && !path.isAbsolute(name)) {
        return { index, trees, name: name.split(path.sep).join('/') };
      }
    }
    return undefined;
  }
}

async function inParts<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += atOnce) {
    await Promise.all(items.slice(at, at + atOnce).map(act));
  }
}
