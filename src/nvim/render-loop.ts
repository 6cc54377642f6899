import { type Disposable, isRecord } from '../base.ts';
import type { Clock, Editor, Log } from '../ports/host.ts';
import type { Frame } from '../view/frame.ts';

/** Neovim is sent at most this many frames a second, and never one before it has drawn the last. */
const frameMs = 16;

/** Something that has frames to draw. */
export interface Picture {
  frame(now: number): Frame | undefined;
  readonly isDirty: boolean;
  /** The buffer is not what we think it is: draw everything anew. */
  reset(): void;
}

/** Brings pictures to the screen at Neovim's own pace. What changes meanwhile is in the next frame. */
export class RenderLoop implements Disposable {
  private readonly editor: Editor;
  private readonly clock: Clock;
  private readonly log: Log;
  private readonly waiting = new Set<Picture>();
  /** Pictures that are drawn anew; when that fails too, trying again would change nothing. */
  private readonly renewed = new Set<Picture>();
  /** Pictures without a buffer: nothing is made of them until there is one again. */
  private readonly hidden = new Set<Picture>();
  private timer: Disposable | undefined;
  private isDrawing = false;
  private isDisposed = false;
  private lastAt = 0;
  private drawing: Picture | undefined;
  /** Who waits until a picture is on the screen. */
  private readonly settling = new Map<Picture, (() => void)[]>();

  constructor(editor: Editor, clock: Clock, log: Log) {
    this.editor = editor;
    this.clock = clock;
    this.log = log;
  }

  /** Asks for the next frame of a picture; an urgent one does not wait for its time, only for the frame under way. */
  request(picture: Picture, isUrgent = false): void {
    if (this.hidden.has(picture)) return;
    this.waiting.add(picture);
    if (this.isDrawing || (this.timer && !isUrgent) || this.isDisposed) return;
    this.timer?.dispose();
    // The clock may have been set back meanwhile.
    const rest = Math.min(frameMs, Math.max(0, this.lastAt + frameMs - this.clock.now()));
    const wait = isUrgent ? 0 : rest;
    this.timer = this.clock.after(wait, () => {
      this.timer = undefined;
      void this.draw();
    });
  }

  /** Draws a picture whole, because its buffer is new. */
  show(picture: Picture): void {
    this.hidden.delete(picture);
    picture.reset();
    this.request(picture);
  }

  get isIdle(): boolean {
    return !this.isDrawing && !this.timer;
  }

  /** Resolves when what was asked for of a picture until now is on the screen, whatever else is drawn. */
  async settled(picture: Picture): Promise<void> {
    if (this.isDisposed || (!this.waiting.has(picture) && this.drawing !== picture)) return;
    await new Promise<void>((resolve) => {
      this.settling.set(picture, [...(this.settling.get(picture) ?? []), resolve]);
    });
  }

  forget(picture: Picture): void {
    this.waiting.delete(picture);
    this.renewed.delete(picture);
    this.hidden.delete(picture);
    this.settle(this.waitersFor(picture));
  }

  dispose(): void {
    this.isDisposed = true;
    this.timer?.dispose();
    this.waiting.clear();
    for (const picture of [...this.settling.keys()]) this.settle(this.waitersFor(picture));
  }

  private async draw(): Promise<void> {
    this.isDrawing = true;
    const pictures = [...this.waiting];
    this.waiting.clear();
    this.lastAt = this.clock.now();
    for (const picture of pictures) await this.drawFor(picture);
    this.isDrawing = false;
    const [next] = this.waiting;
    if (next) this.request(next);
  }

  // Who begins to wait during a frame may wait for something that is only in the next.
  private async drawFor(picture: Picture): Promise<void> {
    const waiters = this.waitersFor(picture);
    this.drawing = picture;
    const isWhole = await this.drawOne(picture);
    this.drawing = undefined;
    if (isWhole || !this.waiting.has(picture)) this.settle(waiters);
    else this.settling.set(picture, [...waiters, ...(this.settling.get(picture) ?? [])]);
    if (!this.waiting.has(picture)) this.settle(this.waitersFor(picture));
  }

  private waitersFor(picture: Picture): readonly (() => void)[] {
    const waiters = this.settling.get(picture) ?? [];
    this.settling.delete(picture);
    return waiters;
  }

  private settle(waiters: readonly (() => void)[]): void {
    for (const resolve of waiters) resolve();
  }

  /** True when everything that was to be drawn is on the screen. */
  private async drawOne(picture: Picture): Promise<boolean> {
    let isWhole = true;
    try {
      const frame = picture.frame(this.clock.now());
      isWhole = !picture.isDirty;
      if (!frame || this.isDisposed) return isWhole;
      const result = await this.editor.call('chat.draw', frame);
      if (isRecord(result)) this.log.error(`a frame failed in Neovim: ${String(result.failure)}`);
      if (result === 'stale' || isRecord(result)) return this.renew(picture);
      if (result === 'gone') return this.hide(picture);
    } catch (error) {
      if (this.isDisposed) return false;
      this.log.error('a frame was not drawn', error);
      picture.reset();
      return false;
    }
    if (picture.isDirty) this.waiting.add(picture);
    else this.renewed.delete(picture);
    return isWhole;
  }

  private hide(picture: Picture): false {
    picture.reset();
    this.hidden.add(picture);
    return false;
  }

  private renew(picture: Picture): false {
    picture.reset();
    if (this.renewed.delete(picture)) {
      this.log.error('a chat was not drawn: its buffer is not as it should be');
      return false;
    }
    this.renewed.add(picture);
    this.waiting.add(picture);
    return false;
  }
}
