import type { SessionState } from '../../src/model/session.ts';
import { TranscriptView } from '../../src/view/transcript/transcript.ts';
import { Canvas } from './doubles/canvas.ts';

interface Folders {
  readonly cwd: string;
  readonly home: string;
}

/** Draws the transcript of a session as a new chat would, with all entries open or closed. */
export function drawTranscript(state: SessionState, { cwd, home }: Folders, isOpen: boolean): Canvas {
  const view = new TranscriptView(state, { chat: 1, cwd, home });
  if (isOpen) for (const { id } of state.entries) view.toggle(id);
  view.markChanged(state.entries);
  const canvas = new Canvas();
  do canvas.draw(view.frame(0));
  while (view.isDirty);
  return canvas;
}

export function transcriptLines(state: SessionState, folders: Folders, isOpen: boolean): readonly string[] {
  return drawTranscript(state, folders, isOpen).lines;
}
