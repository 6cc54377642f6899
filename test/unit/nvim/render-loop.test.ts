import { describe, expect, it } from 'vitest';
import { type Picture, RenderLoop } from '../../../src/nvim/render-loop.ts';
import type { Frame } from '../../../src/view/frame.ts';
import { EditorDouble, LogDouble, ManualClock, settle } from '../../support/doubles.ts';

/** A picture whose frames are numbered; it is drawn when it has no changes left. */
class PictureDouble implements Picture {
  readonly chat: number;
  changes = 0;
  resets = 0;
  failure: Error | undefined;

  constructor(chat = 1) {
    this.chat = chat;
  }

  get isDirty(): boolean {
    return this.changes > 0;
  }

  frame(): Frame | undefined {
    if (this.failure) throw this.failure;
    if (this.changes === 0) return undefined;
    this.changes -= 1;
    return { chat: this.chat, patches: [], blocks: 0 };
  }

  reset(): void {
    this.resets += 1;
    this.changes = 1;
  }
}

class Studio {
  readonly editor = new EditorDouble();
  readonly clock = new ManualClock();
  readonly log = new LogDouble();
  readonly loop = new RenderLoop(this.editor, this.clock, this.log);
  readonly picture = new PictureDouble();

  change(picture = this.picture): void {
    picture.changes += 1;
    this.loop.request(picture);
  }

  /** Lets a frame's time pass, and what comes of it. */
  async pass(ms = 16): Promise<void> {
    this.clock.advance(ms);
    await settle(1);
  }

  async answer(result: unknown): Promise<void> {
    this.editor.asked.at(-1)?.answer.resolve(result);
    await settle(1);
  }

  get frames(): number {
    return this.editor.asked.length;
  }
}

describe('drawing', () => {
  it('begins at once and asks Neovim to draw', async () => {
    const studio = new Studio();
    studio.change();
    await studio.pass(0);
    expect(studio.editor.asked).toMatchObject([{ op: 'chat.draw', payload: { chat: 1 } }]);
  });

  it('makes one frame of many changes', async () => {
    const studio = new Studio();
    for (let count = 0; count < 100; count += 1) studio.loop.request(studio.picture);
    studio.picture.changes = 1;
    await studio.pass(0);
    await studio.answer('drawn');
    await studio.pass(1_000);
    expect(studio.frames).toBe(1);
  });

  it('sends no frame before the last one was drawn, however long that takes', async () => {
    const studio = new Studio();
    studio.change();
    await studio.pass(0);
    studio.change();
    await studio.pass(60_000);
    expect(studio.frames).toBe(1);
    await studio.answer('drawn');
    await studio.pass();
    expect(studio.frames).toBe(2);
  });

  it('does not make an urgent frame wait for its time', async () => {
    const studio = new Studio();
    studio.change();
    await studio.pass(0);
    await studio.answer('drawn');
    studio.change();
    studio.loop.request(studio.picture, true);
    await studio.pass(0);
    expect(studio.frames).toBe(2);
  });

  it('keeps a distance between frames', async () => {
    const studio = new Studio();
    studio.change();
    await studio.pass(0);
    await studio.answer('drawn');
    studio.change();
    await studio.pass(15);
    expect(studio.frames).toBe(1);
    await studio.pass(1);
    expect(studio.frames).toBe(2);
  });

  it('goes on while there is more than fits into a frame', async () => {
    const studio = new Studio();
    studio.picture.changes = 3;
    studio.loop.request(studio.picture);
    for (let frame = 0; frame < 5; frame += 1) {
      await studio.pass();
      await studio.answer('drawn');
    }
    expect({ frames: studio.frames, isIdle: studio.loop.isIdle }).toEqual({ frames: 3, isIdle: true });
  });

  it('asks nothing when there is nothing to draw', async () => {
    const studio = new Studio();
    studio.loop.request(studio.picture);
    await studio.pass();
    expect({ frames: studio.frames, timers: studio.clock.pending }).toEqual({ frames: 0, timers: 0 });
  });

  it('serves every picture', async () => {
    const studio = new Studio();
    const other = new PictureDouble(2);
    studio.change();
    studio.change(other);
    await studio.pass(0);
    await studio.answer('drawn');
    expect(studio.editor.asked.map(({ payload }) => payload.chat)).toEqual([1, 2]);
  });

  it('does not wait an hour when the clock is set back by one', async () => {
    const studio = new Studio();
    studio.change();
    await studio.pass(0);
    await studio.answer('drawn');
    studio.clock.setBack(3_600_000);
    studio.change();
    await studio.pass();
    expect(studio.frames).toBe(2);
  });
});

describe('a frame that did not reach the screen', () => {
  it('because the buffer was changed is drawn anew', async () => {
    const studio = new Studio();
    studio.change();
    await studio.pass(0);
    await studio.answer('stale');
    await studio.pass();
    expect({ frames: studio.frames, resets: studio.picture.resets }).toEqual({ frames: 2, resets: 1 });
    await studio.answer('drawn');
    expect(studio.loop.isIdle).toBe(true);
  });

  it('because Lua failed is drawn anew, and the log has the error of Lua', async () => {
    const studio = new Studio();
    studio.change();
    await studio.pass(0);
    await studio.answer({ failure: "render.lua:138: Invalid 'line': out of range" });
    await studio.pass();
    await studio.answer('drawn');
    expect(studio.picture.resets).toBe(1);
    expect(studio.log.lines).toEqual([
      "error a frame failed in Neovim: render.lua:138: Invalid 'line': out of range",
    ]);
  });

  it('however often it is tried is not tried for ever', async () => {
    const studio = new Studio();
    studio.change();
    for (let frame = 0; frame < 20; frame += 1) {
      await studio.pass();
      await studio.answer('stale');
    }
    expect(studio.frames).toBeLessThan(5);
    expect(studio.log.lines).toHaveLength(1);
    studio.change();
    await studio.pass();
    expect(studio.frames, 'the next change tries again').toBeLessThan(6);
    await studio.answer('drawn');
  });

  it('because there is no buffer costs nothing until there is one again', async () => {
    const studio = new Studio();
    studio.change();
    await studio.pass(0);
    await studio.answer('gone');
    await studio.pass(1_000);
    expect({ frames: studio.frames, resets: studio.picture.resets }).toEqual({ frames: 1, resets: 1 });
    studio.loop.request(studio.picture);
    await studio.pass();
    expect(studio.frames).toBe(1);
    studio.loop.show(studio.picture);
    await studio.pass();
    expect(studio.frames).toBe(2);
  });

  it('because the call failed is logged and waits until there is something new', async () => {
    const studio = new Studio();
    studio.change();
    await studio.pass(0);
    studio.editor.asked[0]?.answer.reject(new Error('E5108'));
    await settle(1);
    await studio.pass(1_000);
    expect({ frames: studio.frames, resets: studio.picture.resets }).toEqual({ frames: 1, resets: 1 });
    expect(studio.log.lines.join()).toContain('E5108');
    studio.change();
    await studio.pass();
    expect(studio.frames).toBe(2);
  });

  it('because it could not be made is logged, and the others are drawn', async () => {
    const studio = new Studio();
    const broken = new PictureDouble(2);
    broken.failure = new TypeError('not iterable');
    studio.loop.request(broken);
    studio.change();
    await studio.pass(0);
    expect(studio.editor.asked.map(({ payload }) => payload.chat)).toEqual([1]);
    expect(studio.log.lines.join()).toContain('not iterable');
    await studio.answer('drawn');
    studio.change();
    await studio.pass();
    expect(studio.frames).toBe(2);
  });
});

describe('settled', () => {
  const watch = ({ loop, picture }: Studio) => {
    const watched = { isSettled: false };
    void loop.settled(picture).then(() => {
      watched.isSettled = true;
    });
    return watched;
  };

  it('is at once when nothing is to be drawn', async () => {
    const { loop, picture } = new Studio();
    await expect(loop.settled(picture)).resolves.toBeUndefined();
  });

  it('waits for the frame that has what was asked for', async () => {
    const studio = new Studio();
    studio.change();
    await studio.pass(0);
    studio.change();
    const watched = watch(studio);
    await studio.answer('drawn');
    expect(watched.isSettled).toBe(false);
    await studio.pass();
    await studio.answer('drawn');
    expect(watched.isSettled).toBe(true);
  });

  it('does not wait for what is asked for later', async () => {
    const studio = new Studio();
    studio.change();
    const watched = watch(studio);
    await studio.pass(0);
    studio.change();
    await studio.answer('drawn');
    expect(watched.isSettled).toBe(true);
  });

  it('does not wait for other pictures, though they never come to rest', async () => {
    const studio = new Studio();
    const other = new PictureDouble(2);
    studio.change();
    studio.change(other);
    const watched = watch(studio);
    await studio.pass(0);
    await studio.answer('drawn');
    studio.change(other);
    expect(watched.isSettled).toBe(true);
  });

  it.each(['gone', 'stale'])('is over when the picture can not be drawn: %s', async (result) => {
    const studio = new Studio();
    studio.change();
    const watched = watch(studio);
    await studio.pass(0);
    await studio.answer(result);
    await studio.pass();
    if (result === 'stale') await studio.answer('stale');
    expect(watched.isSettled).toBe(true);
  });

  it('does not wait for a loop that was disposed', async () => {
    const studio = new Studio();
    studio.change();
    const watched = watch(studio);
    studio.loop.dispose();
    await settle(1);
    expect(watched.isSettled).toBe(true);
  });
});

describe('the end', () => {
  it('of the loop stops it, and what fails then is nobody’s business', async () => {
    const studio = new Studio();
    studio.change();
    await studio.pass(0);
    studio.change();
    studio.loop.dispose();
    studio.editor.asked[0]?.answer.reject(new Error('channel closed'));
    studio.change();
    await studio.pass(1_000);
    expect({ frames: studio.frames, log: studio.log.lines, timers: studio.clock.pending }).toEqual({
      frames: 1,
      log: [],
      timers: 0,
    });
  });

  it('of a picture leaves the others', async () => {
    const studio = new Studio();
    const other = new PictureDouble(2);
    studio.change();
    studio.change(other);
    studio.loop.forget(studio.picture);
    await studio.pass(0);
    expect(studio.editor.asked.map(({ payload }) => payload.chat)).toEqual([2]);
  });
});
