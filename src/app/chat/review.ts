import type { Disposable } from '../../base/disposable.ts';
import { SerialQueue } from '../../base/serial-queue.ts';
import type { RenderLoop } from '../../nvim/render-loop.ts';
import type { Editor } from '../../ports/editor.ts';
import { rejectionsPrompt } from '../../view/rejections.ts';
import { outsidePicker, ReviewView } from '../../view/review.ts';
import type { ChangeTracker } from '../../workspace/changes/change-tracker.ts';
import { fileHunks, isChanged } from '../../workspace/changes/review/file-review.ts';
import { hunkNear, type Scope } from '../../workspace/changes/review/line-review.ts';
import type { Decision, Verdict } from '../../workspace/changes/review/review-decisions.ts';
import type { TrackedFile } from '../../workspace/files/file-record.ts';
import { ReviewedFiles } from './reviewed-files.ts';

interface ReviewContext {
  readonly chat: number;
  readonly cwd: string;
  agent(): string;
  /** Whether lists have words instead of signs. */
  isPlain(): boolean;
}

interface ReviewPorts {
  readonly editor: Editor;
  readonly renderLoop: RenderLoop;
}

/** The cursor of the user; the row counts from 0. */
interface ReviewCursor {
  readonly row: number;
  /** The line in the list of files, if the cursor is there. */
  readonly line?: number;
  /** How many times the host had moved the cursor when the key was pressed. */
  readonly moves: number;
}

/** The review of a session: shows its changes one by one, and keeps or rejects them. */
export class ChatReview implements Disposable {
  private readonly changes: ChangeTracker;
  private readonly files: ReviewedFiles;
  private readonly chat: number;
  private readonly editor: Editor;
  private readonly renderLoop: RenderLoop;
  private readonly view: ReviewView;
  private readonly watching: Disposable;
  private isOpen = false;
  private shownPath: string | undefined;
  /** The row that the host has moved the cursor to, and how many times it has moved it. */
  private row = 0;
  private moves = 0;
  /** A key may be pressed before the one before it is done. */
  private readonly actions = new SerialQueue();
  /** The decision that waits for the consent to write outside of the folders, and how many did so far. */
  private waiting: { readonly decision: Decision; readonly row: number } | undefined;
  private asks = 0;

  constructor(changes: ChangeTracker, context: ReviewContext, { editor, renderLoop }: ReviewPorts) {
    this.changes = changes;
    this.files = new ReviewedFiles(changes, context.cwd);
    this.chat = context.chat;
    this.editor = editor;
    this.renderLoop = renderLoop;
    this.view = new ReviewView(context.chat, () => ({
      ...this.files.list(context.agent(), this.shownPath),
      isPlain: context.isPlain(),
    }));
    this.watching = changes.watch(() => this.redraw());
  }

  /** How many files have changes that are not decided on, as far as is known without a scan. */
  get openFiles(): number {
    return this.changes.files.filter(({ review }) => isChanged(review, 'session')).length;
  }

  /** Opens the list and a file, else the first one that is not decided on. */
  async open(scope: Scope, path?: string): Promise<void> {
    await this.changes.scan();
    this.files.scope = scope;
    if (!this.isOpen && this.files.isEmpty) {
      this.files.scope = 'session';
      return this.editor.notify('info', this.reasonForNoChanges());
    }
    const named = this.files.all().find((file) => file.path === path);
    if (path !== undefined && !named) {
      return this.editor.notify('warn', `there are no changes to review in ${this.files.name(path)}`);
    }
    this.isOpen = true;
    this.shownPath = undefined;
    await this.editor.call('review.open', { chat: this.chat });
    this.renderLoop.show(this.view);
    const positions = this.files.positions();
    const first = positions.find(({ file }) => file === named) ?? positions[0];
    if (first) this.show(first.file, first.row);
  }

  close(): void {
    this.isOpen = false;
    this.files.scope = 'session';
    this.shownPath = undefined;
    this.renderLoop.forget(this.view);
  }

  /** Shows the file in a line of the list. */
  choose(line: number): void {
    const file = this.files.atLine(line);
    if (file) this.show(file, fileHunks(file.review, this.files.scope)[0]?.from ?? 0);
  }

  /** Goes so many hunks down, or up if it is negative, also in another file. */
  go(steps: number, cursor: ReviewCursor): Promise<void> {
    return this.actions.run(async () => {
      if (!this.isOpen) return this.open('session');
      await this.changes.scan();
      const to = this.files.next(steps, this.shownPath ?? '', this.rowOf(cursor));
      if (to) this.show(to.file, to.row);
    });
  }

  /** Keeps or rejects the hunk or file that is shown, the file under the cursor in the list, or all. */
  decide(verdict: Verdict, what: 'hunk' | 'file' | 'all', cursor: ReviewCursor): Promise<void> {
    return this.runDecision(async () => {
      if (!this.isOpen) return this.openAgain();
      const row = this.rowOf(cursor);
      const path = this.decidedPath(what, cursor.line);
      if (what !== 'all' && path === undefined) return;
      const decision: Decision = {
        verdict,
        scope: this.files.scope,
        path,
        row: what === 'hunk' ? row : undefined,
      };
      await this.carryOut(decision, row);
    });
  }

  /** The user consents to writing outside of the folders of the session. */
  confirmOutside(ask: number): Promise<void> {
    return this.runDecision(async () => {
      if (ask !== this.asks || !this.waiting) return;
      const { decision, row } = this.waiting;
      this.waiting = undefined;
      await this.carryOut({ ...decision, isOutsideToo: true }, row);
    });
  }

  undo(): Promise<void> {
    return this.runDecision(async () => {
      if (!this.isOpen) return this.openAgain();
      const back = await this.changes.decisions.undo();
      if (!back) return this.editor.notify('warn', 'there is nothing to undo');
      this.showAt(back.path, back.row);
    });
  }

  /** Draws the whole list of files again, because its buffer was emptied. */
  redrawList(): void {
    if (this.isOpen) this.renderLoop.show(this.view);
  }

  /** The user has changed the text of the file that is shown. */
  async refresh(): Promise<void> {
    await this.changes.scan();
    this.showAgain();
  }

  async quickfix(): Promise<void> {
    await this.changes.scan();
    const items = this.files.quickfixItems();
    if (items.length === 0) return this.editor.notify('warn', this.reasonForNoChanges());
    this.editor.send('review.quickfix', { chat: this.chat, items, title: 'Changes by the agent' });
  }

  /** Puts the rejected changes into the prompt, so that the agent learns of them. */
  async promptRejections(): Promise<void> {
    const rejected = await this.changes.decisions.takeRejections();
    if (rejected.length === 0) return this.editor.notify('warn', 'nothing was rejected since the last time');
    const named = rejected.map((one) => ({ ...one, path: this.files.name(one.path) }));
    this.editor.send('prompt.begin', { chat: this.chat, text: rejectionsPrompt(named) });
  }

  dispose(): void {
    this.isOpen = false;
    this.watching.dispose();
    this.renderLoop.forget(this.view);
  }

  /** Neovim does not exit before a decision is carried out. */
  private async runDecision(act: () => Promise<void>): Promise<void> {
    try {
      await this.actions.run(act);
    } finally {
      this.editor.send('decision.done', {});
    }
  }

  /** A key was pressed in windows that an earlier host has filled: what they show may be out of date. */
  private async openAgain(): Promise<void> {
    await this.open('session');
    this.editor.notify('warn', 'nothing was decided: the review was out of date and is shown anew');
  }

  private decidedPath(what: 'hunk' | 'file' | 'all', line: number | undefined): string | undefined {
    if (what === 'all') return undefined;
    const inList = what === 'file' && line !== undefined ? this.files.atLine(line)?.path : undefined;
    return inList ?? this.shownPath;
  }

  private async carryOut(decision: Decision, row: number): Promise<void> {
    const outside = await this.changes.decisions.decide(decision);
    if (outside.length > 0) {
      this.asks += 1;
      this.waiting = { decision, row };
      this.editor.send('picker.open', { ...outsidePicker(this.chat, this.asks, outside) });
    }
    this.showNext(row);
  }

  private redraw(): void {
    if (this.isOpen) this.renderLoop.request(this.view);
  }

  private reasonForNoChanges(): string {
    const [first] = this.changes.unwatched;
    if (!first) return 'there are no changes to review';
    return `some files could not be read: ${this.files.name(first.path)} ${first.reason}`;
  }

  private showNext(row: number): void {
    const isHere = ({ file, row: other }: { readonly file: TrackedFile; readonly row: number }) =>
      file.path === this.shownPath && other >= row;
    const next = this.files.positions().find(isHere) ?? this.files.next(1, this.shownPath ?? '', row);
    if (next) this.show(next.file, next.row);
    else this.showAgain();
  }

  private showAt(path: string, row: number): void {
    const file = this.changes.file(path);
    if (file) this.show(file, hunkNear(fileHunks(file.review, this.files.scope), row)?.from ?? 0);
  }

  private showAgain(): void {
    const file = this.shownPath === undefined ? undefined : this.changes.file(this.shownPath);
    if (file) this.show(file);
  }

  private show(file: TrackedFile, row?: number): void {
    if (!this.isOpen) return;
    this.shownPath = file.path;
    if (row !== undefined) {
      this.row = row;
      this.moves += 1;
    }
    this.renderLoop.request(this.view);
    this.editor.send('review.show', {
      chat: this.chat,
      ...this.files.shownFile(file),
      moves: this.moves,
      row,
    });
  }

  // A key that was pressed before the cursor was moved is meant for where the cursor was moved to.
  private rowOf({ row, moves }: ReviewCursor): number {
    return moves === this.moves ? row : this.row;
  }
}
