import type { Disposable } from '../base/disposable.ts';
import type { Clock } from '../ports/clock.ts';
import type { Editor } from '../ports/editor.ts';
import { type Frame, patchSize } from '../ports/frame.ts';
import type { Log } from '../ports/log.ts';

/** The minimum time between two frames. The next frame also waits until Neovim has drawn the last one. */
const frameMs = 16;
/** After a few words of a message: each frame costs Neovim more than the words in it. */
const fewWordsMs = 32;
const fewWords = 1_000;
/** After so much text that nobody reads it before the next frame. */
const muchTextMs = 26;
const muchText = 16 * 1024;
/** What a patient frame waits at least. Fast agents answer within this time: one frame shows the prompt and the answer. */
const patientMs = 24;

/**
 * `urgent`: the frame waits only for the one that is being drawn. `patient`: something else comes first, which drawing
 * would delay.
 */
export type Urgency = 'urgent' | 'usual' | 'patient';

/** Something that is drawn into a buffer, frame by frame. */
export interface View {
  frame(now: number): Frame | undefined;
  readonly isDirty: boolean;
  /** The buffer is out of sync: the next frame draws everything. */
  reset(): void;
}

/** Draws views as fast as Neovim can. Changes during a frame are part of the next one. */
export class RenderLoop implements Disposable {
  private readonly editor: Editor;
  private readonly clock: Clock;
  private readonly log: Log;
  private readonly waiting = new Set<View>();
  /** Views redrawn after a stale frame; a second failure is logged instead of retried. */
  private readonly redrawn = new Set<View>();
  /** Views without a buffer; they are not drawn until `show()` is called. */
  private readonly hidden = new Set<View>();
  private timer: Disposable | undefined;
  private isDrawing = false;
  /** The next frame was requested as urgent while one is being drawn. */
  private isNextUrgent = false;
  private isDisposed = false;
  private lastAt = 0;
  private pauseMs = frameMs;
  private drawing: View | undefined;
  /** The buffer of the view that is being drawn is newer than the frame. */
  private isShownAgain = false;
  /** Resolved when a view is on the screen. */
  private readonly waiters = new Map<View, (() => void)[]>();

  constructor(editor: Editor, clock: Clock, log: Log) {
    this.editor = editor;
    this.clock = clock;
    this.log = log;
  }

  /** Requests the next frame of a view. */
  request(view: View, urgency: Urgency = 'usual'): void {
    if (this.hidden.has(view)) return;
    this.waiting.add(view);
    const isUrgent = urgency === 'urgent';
    if (this.isDrawing && isUrgent) this.isNextUrgent = true;
    if (this.isDrawing || (this.timer && !isUrgent) || this.isDisposed) return;
    this.timer?.dispose();
    const rest = Math.max(0, this.lastAt + this.pauseMs - this.clock.elapsed());
    const wait = isUrgent ? 0 : Math.max(rest, urgency === 'patient' ? patientMs : 0);
    this.timer = this.clock.after(wait, () => {
      this.timer = undefined;
      void this.draw(); // It logs its failures.
    });
  }

  /** Draws all of a view, because its buffer is new. */
  show(view: View): void {
    this.hidden.delete(view);
    if (this.drawing === view) this.isShownAgain = true;
    view.reset();
    this.request(view);
  }

  get isIdle(): boolean {
    return !this.isDrawing && !this.timer;
  }

  /** Resolves when everything that was requested of a view so far is on the screen. */
  async settled(view: View): Promise<void> {
    if (this.isDisposed || (!this.waiting.has(view) && this.drawing !== view)) return;
    await new Promise<void>((resolve) => {
      const waiters = this.waiters.get(view);
      if (waiters) waiters.push(resolve);
      else this.waiters.set(view, [resolve]);
    });
  }

  /** Drops a view, also one of which a frame is being drawn. */
  forget(view: View): void {
    if (this.drawing === view) this.drawing = undefined;
    this.waiting.delete(view);
    this.redrawn.delete(view);
    this.hidden.delete(view);
    this.resolveAll(this.takeWaiters(view));
  }

  dispose(): void {
    this.isDisposed = true;
    this.timer?.dispose();
    this.waiting.clear();
    for (const view of [...this.waiters.keys()]) this.resolveAll(this.takeWaiters(view));
  }

  private async draw(): Promise<void> {
    this.isDrawing = true;
    this.isNextUrgent = false;
    const views = [...this.waiting];
    this.waiting.clear();
    this.lastAt = this.clock.elapsed();
    this.pauseMs = frameMs;
    for (const view of views) await this.drawFor(view);
    this.isDrawing = false;
    const [next] = this.waiting;
    if (next) this.request(next, this.isNextUrgent ? 'urgent' : 'usual');
  }

  // Waiters that are added during a frame may wait for a change in the next one.
  private async drawFor(view: View): Promise<void> {
    const waiters = this.takeWaiters(view);
    this.drawing = view;
    this.isShownAgain = false;
    const isUpToDate = await this.drawOne(view);
    this.drawing = undefined;
    if (isUpToDate || !this.waiting.has(view)) this.resolveAll(waiters);
    else this.waiters.set(view, [...waiters, ...(this.waiters.get(view) ?? [])]);
    if (!this.waiting.has(view)) this.resolveAll(this.takeWaiters(view));
  }

  private takeWaiters(view: View): readonly (() => void)[] {
    const waiters = this.waiters.get(view) ?? [];
    this.waiters.delete(view);
    return waiters;
  }

  private resolveAll(waiters: readonly (() => void)[]): void {
    for (const resolve of waiters) resolve();
  }

  /** True when the view is up to date on the screen. */
  private async drawOne(view: View): Promise<boolean> {
    let isUpToDate = true;
    try {
      const frame = view.frame(this.clock.now());
      isUpToDate = !view.isDirty;
      if (!frame || this.isDisposed) return isUpToDate;
      this.pauseMs = pauseAfter(frame);
      const result = await this.editor.call('chat.draw', frame);
      // It was forgotten meanwhile.
      if (this.drawing !== view) return false;
      if (typeof result === 'object') this.log.error(`a frame failed in Neovim: ${result.failure}`);
      if (result === 'stale' || typeof result === 'object') return this.redrawWhole(view);
      if (result === 'gone') return !this.isShownAgain && this.hide(view);
    } catch (error) {
      if (this.isDisposed) return false;
      this.log.error('could not draw a frame', error);
      view.reset();
      return false;
    }
    if (view.isDirty) this.waiting.add(view);
    else this.redrawn.delete(view);
    return isUpToDate;
  }

  private hide(view: View): false {
    view.reset();
    this.hidden.add(view);
    return false;
  }

  private redrawWhole(view: View): false {
    view.reset();
    if (this.redrawn.delete(view)) {
      this.log.error('could not draw a chat: its buffer is out of sync');
      return false;
    }
    this.redrawn.add(view);
    this.waiting.add(view);
    return false;
  }
}

function pauseAfter({ patches }: Frame): number {
  const size = patches.reduce((sum, patch) => sum + patchSize(patch), 0);
  if (size >= muchText) return muchTextMs;
  const isText = patches.length > 0 && patches.every(({ op }) => op === 'add');
  return isText && size < fewWords ? fewWordsMs : frameMs;
}
