import { emptySession } from '../../src/model/session.ts';
import type { SessionEvent } from '../../src/model/session-events.ts';
import type { Frame } from '../../src/ports/frame.ts';
import { reduce } from '../../src/session/reducer/reducer.ts';
import { TranscriptView } from '../../src/view/transcript/transcript.ts';
import { isReady } from './builders.ts';
import { Canvas } from './doubles/canvas.ts';

/** A view, its session and the buffer it draws into. */
export class TranscriptHarness {
  readonly state = emptySession('tester', 0);
  /** The calls whose texts the view has asked for. */
  readonly wanted: string[] = [];
  readonly view = new TranscriptView(this.state, {
    chat: 1,
    cwd: '/work',
    home: '/home/me',
    onCutCall: ({ toolCallId }) => this.wanted.push(toolCallId),
  });
  readonly canvas = new Canvas();
  now = 0;

  constructor(...events: readonly SessionEvent[]) {
    this.happen(isReady, ...events);
  }

  happen(...events: readonly SessionEvent[]): this {
    for (const event of events) this.view.markChanged(reduce(this.state, event, this.now));
    return this;
  }

  /** Draws one frame. */
  draw(): Frame | undefined {
    const frame = this.view.frame(this.now);
    this.canvas.draw(frame);
    return frame;
  }

  /** Draws until nothing is left to draw. */
  drawAll(): readonly Frame[] {
    const frames: Frame[] = [];
    do {
      const frame = this.draw();
      if (frame) frames.push(frame);
    } while (this.view.isDirty);
    return frames;
  }

  get lines(): readonly string[] {
    this.drawAll();
    return this.canvas.lines;
  }

  /** What a buffer would show that was never drawn to before. */
  redrawn(): unknown {
    const canvas = new Canvas();
    this.view.reset();
    do canvas.draw(this.view.frame(this.now));
    while (this.view.isDirty);
    return canvas.picture;
  }
}
