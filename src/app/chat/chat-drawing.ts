import type { Disposable } from '../../base/disposable.ts';
import type { Entry } from '../../model/entries.ts';
import { isBusy, type SessionState } from '../../model/session.ts';
import type { SessionEvent } from '../../model/session-events.ts';
import type { RenderLoop, Urgency } from '../../nvim/render-loop.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PlanView } from '../../view/transcript/plan.ts';
import type { TranscriptView } from '../../view/transcript/transcript.ts';

const tickMs = 1_000;

interface ChatDrawingParts {
  readonly state: SessionState;
  readonly view: TranscriptView;
  readonly plan: PlanView;
  readonly renderLoop: RenderLoop;
  readonly clock: Clock;
}

/** Decides when the transcript and the plan of a chat are drawn. */
export class ChatDrawing implements Disposable {
  private readonly parts: ChatDrawingParts;
  private isPlanShown = false;
  private isAnswerAwaited = false;
  private ticking: Disposable | undefined;

  constructor(parts: ChatDrawingParts) {
    this.parts = parts;
  }

  /** Draws what an event has changed. */
  follow(event: SessionEvent, changed: readonly Entry[]): void {
    const { renderLoop, view, plan } = this.parts;
    renderLoop.request(view, this.urgencyOf(event));
    if (this.isPlanShown && changed.some(({ kind }) => kind === 'plan')) renderLoop.request(plan);
    if (event.kind !== 'chunk') this.updateTicking();
  }

  /** Draws the whole transcript. */
  show(): void {
    this.parts.renderLoop.show(this.parts.view);
  }

  showPlan(): void {
    this.isPlanShown = true;
    this.parts.renderLoop.show(this.parts.plan);
  }

  hidePlan(): void {
    this.isPlanShown = false;
    this.parts.renderLoop.forget(this.parts.plan);
  }

  /** Nothing is drawn afterwards. */
  dispose(): void {
    const { renderLoop, view, plan } = this.parts;
    this.ticking?.dispose();
    renderLoop.forget(view);
    renderLoop.forget(plan);
  }

  // The agent gets a prompt before it is drawn. The first words of the answer do not wait out the frame that shows it.
  private urgencyOf({ kind }: SessionEvent): Urgency {
    if (kind === 'turn_started') this.isAnswerAwaited = true;
    if (kind === 'turn_started' || kind === 'prompt_queued') return 'patient';
    if (kind !== 'chunk' && kind !== 'tool') return kind === 'turn_ended' ? 'urgent' : 'usual';
    const isFirst = this.isAnswerAwaited;
    this.isAnswerAwaited = false;
    return isFirst ? 'urgent' : 'usual';
  }

  // The elapsed time is redrawn every second while the transcript shows it.
  private updateTicking(): void {
    const { state, clock, view, renderLoop } = this.parts;
    const isTimed = isBusy(state) || state.phase === 'starting';
    if (isTimed && !this.ticking) {
      this.ticking = clock.every(tickMs, () => {
        view.tick();
        renderLoop.request(view);
      });
    } else if (!isTimed) {
      this.ticking?.dispose();
      this.ticking = undefined;
    }
  }
}
