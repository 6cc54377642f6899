import path from 'node:path';
import type { Disposable } from './base.ts';
import { messageOf } from './errors.ts';
import type { RenderLoop } from './nvim/render-loop.ts';
import type { Editor } from './ports/host.ts';
import { rejectionsPrompt } from './view/rejections.ts';
import { headingLines, outsidePicker, type ReviewItem, type ReviewList, ReviewView } from './view/review.ts';
import { sanitiseLine } from './view/sanitise.ts';
import type { Changes } from './workspace/changes/changes.ts';
import type { Decision, Verdict } from './workspace/changes/decisions.ts';
import {
  countsOf,
  type FileReview,
  fileHunks,
  isChanged,
  linesIn,
  modeChange,
} from './workspace/changes/file-review.ts';
import { withoutEnd } from './workspace/changes/lines.ts';
import { hunkNear, type ReviewHunk, type Scope } from './workspace/changes/review-model.ts';
import type { Tracked } from './workspace/changes/tracked.ts';

export interface ReviewPlace {
  readonly chat: number;
  readonly cwd: string;
  agent(): string;
}

export interface ReviewPorts {
  readonly editor: Editor;
  readonly renderLoop: RenderLoop;
}

/** Where the user is; a row is from 0. */
export interface ReviewCursor {
  readonly row: number;
  /** The line of the list they are on, if they are there. */
  readonly line: number | undefined;
  /** How many times they were brought somewhere so far. */
  readonly moves: number;
}

/** A place in a file of the review; a row is from 0. */
interface Spot {
  readonly file: Tracked;
  readonly row: number;
}

/** The changes of a session as the user goes through them. */
export class ChatReview implements Disposable {
  private readonly changes: Changes;
  private readonly place: ReviewPlace;
  private readonly editor: Editor;
  private readonly renderLoop: RenderLoop;
  private readonly view: ReviewView;
  private readonly watching: Disposable;
  private scope: Scope = 'session';
  private isOpen = false;
  private shown: string | undefined;
  /** Where the user was brought last, and how many times so far. */
  private row = 0;
  private moves = 0;
  private last: Promise<unknown> = Promise.resolve();
  /** The last decision that was asked about because of files outside, and how many were so far. */
  private asked: { readonly decision: Decision; readonly row: number } | undefined;
  private asks = 0;

  constructor(changes: Changes, place: ReviewPlace, { editor, renderLoop }: ReviewPorts) {
    this.changes = changes;
    this.place = place;
    this.editor = editor;
    this.renderLoop = renderLoop;
    this.view = new ReviewView(place.chat, () => this.list());
    this.watching = changes.watch(() => this.refresh());
  }

  /** Opens the list, and below it the first file that is not yet settled. */
  async open(scope: Scope): Promise<void> {
    await this.changes.look();
    this.scope = scope;
    this.isOpen = true;
    this.shown = undefined;
    await this.editor.call('review.open', { chat: this.place.chat });
    this.renderLoop.show(this.view);
    const first = this.spots()[0];
    if (first) this.show(first.file, first.row);
  }

  close(): void {
    this.isOpen = false;
    this.scope = 'session';
    this.shown = undefined;
    this.renderLoop.forget(this.view);
  }

  /** Shows the file in a line of the list. */
  choose(line: number): void {
    const file = this.files()[line - headingLines];
    if (file) this.show(file, fileHunks(file.review, this.scope)[0]?.from ?? 0);
  }

  /** Goes to the next hunk or the one before, in whatever file that is. */
  go(step: 1 | -1, cursor: ReviewCursor): Promise<void> {
    return this.inTurn(async () => {
      await this.changes.look();
      const to = this.next(step, this.rowOf(cursor));
      if (to) this.show(to.file, to.row);
    });
  }

  /** Keeps or rejects, in the list the file that is chosen there. */
  decide(verdict: Verdict, what: 'hunk' | 'file' | 'all', cursor: ReviewCursor): Promise<void> {
    return this.owed(async () => {
      const { line } = cursor;
      const row = this.rowOf(cursor);
      const chosen = line === undefined ? undefined : this.files()[line - headingLines]?.path;
      const file = what === 'all' ? undefined : what === 'file' ? (chosen ?? this.shown) : this.shown;
      if (what !== 'all' && file === undefined) return;
      const decision: Decision = {
        verdict,
        scope: this.scope,
        ...(file !== undefined && { path: file }),
        ...(what === 'hunk' && { row }),
      };
      await this.carryOut(decision, row);
    });
  }

  /** The user wants what they decided also where it is outside of the folders of the session. */
  confirmOutside(ask: number): Promise<void> {
    return this.owed(async () => {
      if (ask !== this.asks || !this.asked) return;
      const { decision, row } = this.asked;
      this.asked = undefined;
      await this.carryOut({ ...decision, isOutsideToo: true }, row);
    });
  }

  undo(): Promise<void> {
    return this.owed(async () => {
      const back = await this.changes.decisions.undo();
      if (!back) return this.tell('there is nothing to take back');
      this.showAt(back.path, back.row);
    });
  }

  /** The user has changed the text that is shown. */
  async touch(): Promise<void> {
    await this.changes.look();
    this.showAgain();
  }

  async quickfix(): Promise<void> {
    await this.changes.look();
    const items = this.files().flatMap((file) =>
      fileHunks(file.review, this.scope).map((hunk) => ({
        filename: file.path,
        lnum: hunk.from + 1,
        end_lnum: Math.max(hunk.from + 1, hunk.to),
        text: summary(file.review, hunk, this.scope),
      })),
    );
    if (items.length === 0) return this.tell(this.nothing());
    this.editor.tell('review.quickfix', { chat: this.place.chat, items, title: 'Changes by the agent' });
  }

  /** Puts into the prompt what was rejected, so that the agent can be told. */
  async tellRejections(): Promise<void> {
    const rejected = await this.changes.decisions.takeRejections();
    if (rejected.length === 0) return this.tell('nothing was rejected since the agent was told');
    const named = rejected.map((one) => ({ ...one, path: this.name(one.path) }));
    this.editor.tell('prompt.begin', { chat: this.place.chat, text: rejectionsPrompt(named) });
  }

  dispose(): void {
    this.watching.dispose();
    this.renderLoop.forget(this.view);
  }

  private async carryOut(decision: Decision, row: number): Promise<void> {
    const outside = await this.changes.decisions.decide(decision);
    if (outside.length > 0) {
      this.asks += 1;
      this.asked = { decision, row };
      this.editor.tell('picker.open', { ...outsidePicker(this.place.chat, this.asks, outside) });
    }
    this.showNext(row);
  }

  private refresh(): void {
    if (!this.isOpen) return;
    this.renderLoop.request(this.view);
  }

  private files(): readonly Tracked[] {
    return [...this.changes.ledger.files.values()]
      .filter(({ review, done }) => isChanged(review, this.scope) || (done && !isChanged(review, 'session')))
      .sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  private list(): ReviewList {
    const files = this.files();
    const shown = files.findIndex((file) => file.path === this.shown);
    return {
      agent: this.place.agent(),
      scope: this.scope,
      items: files.map((file) => this.item(file, files)),
      shown: shown === -1 ? undefined : shown,
      unwatched: this.changes.ledger.unwatched.map(({ path: file, reason }) => ({
        name: this.name(file) || file,
        reason,
      })),
    };
  }

  private item({ path: file, review, done }: Tracked, all: readonly Tracked[]): ReviewItem {
    const isOpen = isChanged(review, this.scope);
    return {
      name: this.name(file),
      ...countsOf(review, this.scope),
      state: isOpen ? 'open' : (done ?? 'kept'),
      note: this.note(review, all),
    };
  }

  private note(review: FileReview, all: readonly Tracked[]): ReviewItem['note'] {
    const [old, now] = [review[this.scope], review.now];
    if (now.kind === 'none' && old.kind !== 'none') return 'deleted';
    if (old.kind === 'none' && now.kind !== 'none') {
      const from = all.find(({ review: other }) => isMoved(other, review, this.scope));
      return from ? `was ${this.name(from.path)}` : 'new';
    }
    return old.kind === 'binary' || now.kind === 'binary' ? 'binary' : modeChange(old, now);
  }

  private nothing(): string {
    const [first] = this.changes.ledger.unwatched;
    if (!first) return 'there are no changes to review';
    return `not everything could be looked at: ${this.name(first.path) || first.path} ${first.reason}`;
  }

  private name(file: string): string {
    const name = path.relative(this.place.cwd, file);
    return name.startsWith('..') ? file : name;
  }

  /** Every place to go to, in order. What has no lines is one place. */
  private spots(): readonly Spot[] {
    return this.files()
      .filter(({ review }) => isChanged(review, this.scope))
      .flatMap((file) => {
        const rows = fileHunks(file.review, this.scope).map(({ from }) => from);
        return (rows.length > 0 ? rows : [0]).map((row) => ({ file, row }));
      });
  }

  private next(step: 1 | -1, row: number): Spot | undefined {
    const spots = this.spots();
    const here = this.shown ?? '';
    const isAfter = (spot: Spot) => spot.file.path > here || (spot.file.path === here && spot.row > row);
    const isBefore = (spot: Spot) => spot.file.path < here || (spot.file.path === here && spot.row < row);
    if (step === 1) return spots.find(isAfter) ?? spots[0];
    return spots.findLast(isBefore) ?? spots.at(-1);
  }

  private showNext(row: number): void {
    const here = this.spots().find((spot) => spot.file.path === this.shown && spot.row >= row);
    const next = here ?? this.next(1, row);
    if (next) this.show(next.file, next.row);
    else this.showAgain();
  }

  private showAt(path: string, row: number): void {
    const file = this.changes.ledger.files.get(path);
    if (file) this.show(file, hunkNear(fileHunks(file.review, this.scope), row)?.from ?? 0);
  }

  private showAgain(): void {
    const file = this.shown === undefined ? undefined : this.changes.ledger.files.get(this.shown);
    if (file) this.show(file);
  }

  private show(file: Tracked, row?: number): void {
    if (!this.isOpen) return;
    this.shown = file.path;
    if (row !== undefined) {
      this.row = row;
      this.moves += 1;
    }
    this.renderLoop.request(this.view);
    const { review } = file;
    const old = review[this.scope];
    const hunks = fileHunks(review, this.scope);
    this.editor.tell('review.show', {
      chat: this.place.chat,
      path: file.path,
      name: sanitiseLine(this.name(file.path)),
      kind: old.kind === 'binary' || review.now.kind === 'binary' ? 'binary' : review.now.kind,
      before: linesIn(old).map(withoutEnd),
      hunks: hunks.map((hunk) => ({
        from: hunk.from,
        to: hunk.to,
        old: hunk.oldFrom,
        removed: linesIn(old).slice(hunk.oldFrom, hunk.oldTo).map(withoutEnd),
      })),
      moves: this.moves,
      line: this.files().indexOf(file) + headingLines,
      ...(row !== undefined && { row }),
    });
  }

  // One key may come before the one before it has been dealt with.
  private inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.last.then(act).catch((error: unknown) => this.tell(messageOf(error)));
    this.last = done;
    return done;
  }

  /** Neovim does not end before this is done. */
  private async owed(act: () => Promise<void>): Promise<void> {
    await this.inTurn(act);
    this.editor.tell('owed.done', {});
  }

  // Somebody who types ahead means the place they are about to be brought to.
  private rowOf({ row, moves }: ReviewCursor): number {
    return moves === this.moves ? row : this.row;
  }

  private tell(message: string): void {
    this.editor.tell('user.notify', { message, level: 'warn' });
  }
}

function isMoved(other: FileReview, file: FileReview, scope: Scope): boolean {
  const [old, now] = [other[scope], file.now];
  if (other.now.kind !== 'none' || old.kind !== now.kind || old.kind === 'none') return false;
  if (old.kind === 'binary' && now.kind === 'binary') return old.blob === now.blob;
  return linesIn(old).join('') === linesIn(now).join('');
}

function summary(review: FileReview, { from, to, oldFrom, oldTo }: ReviewHunk, scope: Scope): string {
  const lines =
    to > from ? linesIn(review.now).slice(from, to) : linesIn(review[scope]).slice(oldFrom, oldTo);
  const telling = lines.find((line) => line.trim() !== '') ?? '';
  return `+${to - from} -${oldTo - oldFrom} ${telling.trim()}`;
}
