import { describe, expect, it } from 'vitest';
import { RenderLoop, type View } from '../../../src/nvim/render-loop.ts';
import type { Frame } from '../../../src/ports/frame.ts';
import { ManualClock } from '../../support/doubles/clock.ts';
import { settle } from '../../support/doubles/deferred.ts';
import { EditorDouble } from '../../support/doubles/editor.ts';
import { LogDouble } from '../../support/doubles/log.ts';

/** A view whose frames are numbered; it is drawn when it has no changes left. */
class ViewDouble implements View {
  readonly chat: number;
  changes = 0;
  resets = 0;
  failure: Error | undefined;
  patches: Frame['patches'] = [];

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
    return { chat: this.chat, patches: this.patches, blocks: 0 };
  }

  reset(): void {
    this.resets += 1;
    this.changes = 1;
  }
}

class RenderLoopHarness {
  readonly editor = new EditorDouble();
  readonly clock = new ManualClock();
  readonly log = new LogDouble();
  readonly loop = new RenderLoop(this.editor, this.clock, this.log);
  readonly view = new ViewDouble();

  change(view = this.view): void {
    view.changes += 1;
    this.loop.request(view);
  }

  /** Lets a frame's time pass, and what comes of it. */
  async pass(ms = 16): Promise<void> {
    this.clock.advance(ms);
    await settle(1);
  }

  async answer(result: unknown): Promise<void> {
    this.editor.calls.at(-1)?.answer.resolve(result);
    await settle(1);
  }

  get frames(): number {
    return this.editor.calls.length;
  }
}

describe('the render loop', () => {
  it('draws the first frame immediately', async () => {
    const harness = new RenderLoopHarness();
    harness.change();
    await harness.pass(0);
    expect(harness.editor.calls).toMatchObject([{ op: 'chat.draw', payload: { chat: 1 } }]);
  });

  it('draws many changes in one frame', async () => {
    const harness = new RenderLoopHarness();
    for (let count = 0; count < 100; count += 1) harness.loop.request(harness.view);
    harness.view.changes = 1;
    await harness.pass(0);
    await harness.answer('drawn');
    await harness.pass(1_000);
    expect(harness.frames).toBe(1);
  });

  it('sends no frame before the last one was drawn', async () => {
    const harness = new RenderLoopHarness();
    harness.change();
    await harness.pass(0);
    harness.change();
    await harness.pass(60_000);
    expect(harness.frames).toBe(1);
    await harness.answer('drawn');
    await harness.pass();
    expect(harness.frames).toBe(2);
  });

  it('draws an urgent frame without the minimum delay', async () => {
    const harness = new RenderLoopHarness();
    harness.change();
    await harness.pass(0);
    await harness.answer('drawn');
    harness.change();
    harness.loop.request(harness.view, 'urgent');
    await harness.pass(0);
    expect(harness.frames).toBe(2);
  });

  it('draws an urgent frame right after the one during which it was requested', async () => {
    const harness = new RenderLoopHarness();
    harness.change();
    await harness.pass(0);
    harness.change();
    harness.loop.request(harness.view, 'urgent');
    await harness.answer('drawn');
    await harness.pass(0);
    expect(harness.frames).toBe(2);
    harness.change();
    await harness.answer('drawn');
    await harness.pass(15);
    expect(harness.frames).toBe(2);
  });

  it('draws a patient frame a moment later, but an urgent one in the place of it', async () => {
    const harness = new RenderLoopHarness();
    harness.view.changes = 1;
    harness.loop.request(harness.view, 'patient');
    await harness.pass(23);
    expect(harness.frames).toBe(0);
    await harness.pass(1);
    expect(harness.frames).toBe(1);
    await harness.answer('drawn');
    harness.view.changes = 1;
    harness.loop.request(harness.view, 'patient');
    harness.loop.request(harness.view, 'urgent');
    await harness.pass(0);
    expect(harness.frames).toBe(2);
  });

  const added = (text: string) =>
    ({ op: 'add', id: 1, at: 0, column: 0, isRemarked: false, text, marks: '' }) as const;
  it.each<[string, Frame['patches'], number]>([
    ['of anything', [], 16],
    ['of much text', [added('x'.repeat(5_000))], 16],
    ['of text and more', [added('some words'), { op: 'code', id: 1, ranges: [] }], 16],
    ['of a few words', [added('some words')], 32],
    ['of more text than anybody reads in time', [added('x'.repeat(20_000))], 26],
  ])('waits after a frame %s', async (_, patches, wait) => {
    const harness = new RenderLoopHarness();
    harness.view.patches = patches;
    harness.change();
    await harness.pass(0);
    await harness.answer('drawn');
    harness.change();
    await harness.pass(wait - 1);
    expect(harness.frames).toBe(1);
    await harness.pass(1);
    expect(harness.frames).toBe(2);
  });

  it('continues while there is more than fits into a frame', async () => {
    const harness = new RenderLoopHarness();
    harness.view.changes = 3;
    harness.loop.request(harness.view);
    for (let frame = 0; frame < 5; frame += 1) {
      await harness.pass();
      await harness.answer('drawn');
    }
    expect({ frames: harness.frames, isIdle: harness.loop.isIdle }).toEqual({ frames: 3, isIdle: true });
  });

  it('sends nothing when there is nothing to draw', async () => {
    const harness = new RenderLoopHarness();
    harness.loop.request(harness.view);
    await harness.pass();
    expect({ frames: harness.frames, timers: harness.clock.pending }).toEqual({ frames: 0, timers: 0 });
  });

  it('draws every view', async () => {
    const harness = new RenderLoopHarness();
    const other = new ViewDouble(2);
    harness.change();
    harness.change(other);
    await harness.pass(0);
    await harness.answer('drawn');
    expect(harness.editor.calls.map(({ payload }) => payload.chat)).toEqual([1, 2]);
  });

  it('does not wait longer when the clock is set back', async () => {
    const harness = new RenderLoopHarness();
    harness.change();
    await harness.pass(0);
    await harness.answer('drawn');
    harness.clock.setBack(3_600_000);
    harness.change();
    await harness.pass();
    expect(harness.frames).toBe(2);
  });
});

describe('a frame that was not drawn', () => {
  it('because the buffer was changed is followed by a complete one', async () => {
    const harness = new RenderLoopHarness();
    harness.change();
    await harness.pass(0);
    await harness.answer('stale');
    await harness.pass();
    expect({ frames: harness.frames, resets: harness.view.resets }).toEqual({ frames: 2, resets: 1 });
    await harness.answer('drawn');
    expect(harness.loop.isIdle).toBe(true);
  });

  it('because Lua failed is followed by a complete one, and the error of Lua is logged', async () => {
    const harness = new RenderLoopHarness();
    harness.change();
    await harness.pass(0);
    await harness.answer({ failure: "render.lua:138: Invalid 'line': out of range" });
    await harness.pass();
    await harness.answer('drawn');
    expect(harness.view.resets).toBe(1);
    expect(harness.log.lines).toEqual([
      "error a frame failed in Neovim: render.lua:138: Invalid 'line': out of range",
    ]);
  });

  it('is retried once', async () => {
    const harness = new RenderLoopHarness();
    harness.change();
    for (let frame = 0; frame < 20; frame += 1) {
      await harness.pass();
      await harness.answer('stale');
    }
    expect(harness.frames).toBeLessThan(5);
    expect(harness.log.lines).toHaveLength(1);
    harness.change();
    await harness.pass();
    expect(harness.frames, 'the next change tries again').toBeLessThan(6);
    await harness.answer('drawn');
  });

  it('because the buffer is gone is not retried before there is a new buffer', async () => {
    const harness = new RenderLoopHarness();
    harness.change();
    await harness.pass(0);
    await harness.answer('gone');
    await harness.pass(1_000);
    expect({ frames: harness.frames, resets: harness.view.resets }).toEqual({ frames: 1, resets: 1 });
    harness.loop.request(harness.view);
    await harness.pass();
    expect(harness.frames).toBe(1);
    harness.loop.show(harness.view);
    await harness.pass();
    expect(harness.frames).toBe(2);
  });

  it('because the buffer is gone is drawn if the news of a new buffer comes before that answer', async () => {
    const harness = new RenderLoopHarness();
    harness.change();
    await harness.pass(0);
    harness.loop.show(harness.view);
    await harness.answer('gone');
    await harness.pass();
    expect(harness.frames).toBe(2);
  });

  it('because the call failed is logged, and retried with the next change', async () => {
    const harness = new RenderLoopHarness();
    harness.change();
    await harness.pass(0);
    harness.editor.calls[0]?.answer.reject(new Error('E5108'));
    await settle(1);
    await harness.pass(1_000);
    expect({ frames: harness.frames, resets: harness.view.resets }).toEqual({ frames: 1, resets: 1 });
    expect(harness.log.lines.join()).toContain('E5108');
    harness.change();
    await harness.pass();
    expect(harness.frames).toBe(2);
  });

  it('because its view failed is logged, and other views are drawn', async () => {
    const harness = new RenderLoopHarness();
    const broken = new ViewDouble(2);
    broken.failure = new TypeError('not iterable');
    harness.loop.request(broken);
    harness.change();
    await harness.pass(0);
    expect(harness.editor.calls.map(({ payload }) => payload.chat)).toEqual([1]);
    expect(harness.log.lines.join()).toContain('not iterable');
    await harness.answer('drawn');
    harness.change();
    await harness.pass();
    expect(harness.frames).toBe(2);
  });
});

describe('settled()', () => {
  const watch = ({ loop, view }: RenderLoopHarness) => {
    const watched = { isSettled: false };
    void loop.settled(view).then(() => {
      watched.isSettled = true;
    });
    return watched;
  };

  it('resolves immediately when nothing is to be drawn', async () => {
    const { loop, view } = new RenderLoopHarness();
    await expect(loop.settled(view)).resolves.toBeUndefined();
  });

  it('waits for the frame that has the requested change', async () => {
    const harness = new RenderLoopHarness();
    harness.change();
    await harness.pass(0);
    harness.change();
    const watched = watch(harness);
    await harness.answer('drawn');
    expect(watched.isSettled).toBe(false);
    await harness.pass();
    await harness.answer('drawn');
    expect(watched.isSettled).toBe(true);
  });

  it('does not wait for later requests', async () => {
    const harness = new RenderLoopHarness();
    harness.change();
    const watched = watch(harness);
    await harness.pass(0);
    harness.change();
    await harness.answer('drawn');
    expect(watched.isSettled).toBe(true);
  });

  it('does not wait for other views', async () => {
    const harness = new RenderLoopHarness();
    const other = new ViewDouble(2);
    harness.change();
    harness.change(other);
    const watched = watch(harness);
    await harness.pass(0);
    await harness.answer('drawn');
    harness.change(other);
    expect(watched.isSettled).toBe(true);
  });

  it.each(['gone', 'stale'])('resolves when the view cannot be drawn: %s', async (result) => {
    const harness = new RenderLoopHarness();
    harness.change();
    const watched = watch(harness);
    await harness.pass(0);
    await harness.answer(result);
    await harness.pass();
    if (result === 'stale') await harness.answer('stale');
    expect(watched.isSettled).toBe(true);
  });

  it('resolves when the loop was disposed', async () => {
    const harness = new RenderLoopHarness();
    harness.change();
    const watched = watch(harness);
    harness.loop.dispose();
    await settle(1);
    expect(watched.isSettled).toBe(true);
  });
});

describe('after the end', () => {
  it('of the loop nothing is drawn, and a failure of the last frame is not logged', async () => {
    const harness = new RenderLoopHarness();
    harness.change();
    await harness.pass(0);
    harness.change();
    harness.loop.dispose();
    harness.editor.calls[0]?.answer.reject(new Error('channel closed'));
    harness.change();
    await harness.pass(1_000);
    expect({ frames: harness.frames, log: harness.log.lines, timers: harness.clock.pending }).toEqual({
      frames: 1,
      log: [],
      timers: 0,
    });
  });

  it('of one view the others are still drawn', async () => {
    const harness = new RenderLoopHarness();
    const other = new ViewDouble(2);
    harness.change();
    harness.change(other);
    harness.loop.forget(harness.view);
    await harness.pass(0);
    expect(harness.editor.calls.map(({ payload }) => payload.chat)).toEqual([2]);
  });

  it('of a view that is being drawn it is not drawn again', async () => {
    const harness = new RenderLoopHarness();
    harness.change();
    await harness.pass(0);
    harness.view.changes += 1;
    harness.loop.forget(harness.view);
    await harness.answer('drawn');
    await harness.pass();
    expect(harness.frames).toBe(1);
  });
});
