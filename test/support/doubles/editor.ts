import type { Editor, NotificationLevel } from '../../../src/ports/editor.ts';
import { Deferred } from './deferred.ts';

export interface EditorCall {
  readonly op: string;
  readonly payload: Record<string, unknown>;
}

/** Records the operations for Lua. `call` waits until the test answers. */
export class EditorDouble implements Editor {
  readonly sent: EditorCall[] = [];
  readonly calls: (EditorCall & { readonly answer: Deferred<unknown> })[] = [];

  call(op: string, payload: object): Promise<never> {
    const answer = new Deferred<unknown>();
    this.calls.push({ op, payload: { ...payload }, answer });
    return answer.promise as Promise<never>;
  }

  send(op: string, payload: object): void {
    this.sent.push({ op, payload: { ...payload } });
  }

  notify(level: NotificationLevel, message: string): void {
    this.send('user.notify', { message, level });
  }
}

/** Answers as an editor that has no file open. */
export async function answerWithoutBuffers(op: string, payload: object): Promise<never> {
  if (op === 'buffer.read_all')
    return (payload as { paths: readonly string[] }).paths.map(() => ({})) as never;
  if (op === 'buffer.files') return [] as never;
  return (op === 'buffer.write_target' ? {} : undefined) as never;
}
