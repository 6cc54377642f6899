import type { Dispatcher } from 'undici';
import { once } from '../../../base/once.ts';

/** A server may send one every few seconds while the agent works. */
const maxInformational = 1_000;

/** So many chunks may be small. Every chunk costs the parser of undici the same time, also one of a byte. */
const manyChunks = 1_000_000;
const smallChunkBytes = 16;

/** The SDK opens an event stream for each session that a message names, and each takes a file descriptor. */
const maxOpen = 256;

/**
 * Limits the time from the first byte of an answer to the end of its head, the number of informational answers, of small
 * chunks and of requests at a time. Until an answer begins, an agent may take any time; the limit of undici begins with the
 * request.
 */
export function limitAnswers(headMs: number): Dispatcher.DispatcherComposeInterceptor {
  let open = 0;
  return (dispatch) => (options, handler) => {
    if (open >= maxOpen) throw new Error(`it would take more than ${maxOpen} requests at a time`);
    open += 1;
    const onEnd = once(() => {
      open -= 1;
    });
    return dispatch(options, new AnswerLimits(handler, headMs, onEnd));
  };
}

class AnswerLimits implements Dispatcher.DispatchHandlers {
  private readonly handler: Dispatcher.DispatchHandlers;
  private readonly headMs: number;
  private readonly onEnd: () => void;
  private abort: (error: Error) => void = () => undefined;
  private timer: NodeJS.Timeout | undefined;
  private informational = 0;
  private chunks = 0;
  private bytes = 0;

  constructor(handler: Dispatcher.DispatchHandlers, headMs: number, onEnd: () => void) {
    this.handler = handler;
    this.headMs = headMs;
    this.onEnd = onEnd;
  }

  onConnect(abort: (error?: Error) => void): void {
    this.stop();
    this.abort = abort;
    this.handler.onConnect?.(abort);
  }

  onResponseStarted(): void {
    this.stop();
    const late = new Error('the head of the answer timed out');
    this.timer = setTimeout(() => this.abort(late), this.headMs).unref();
    this.handler.onResponseStarted?.();
  }

  onHeaders(status: number, headers: Buffer[], resume: () => void, statusText: string): boolean {
    this.stop();
    if (status < 200) this.informational += 1;
    if (this.informational > maxInformational) {
      this.abort(new Error(`it sent more than ${maxInformational} informational answers`));
    }
    return this.handler.onHeaders?.(status, headers, resume, statusText) ?? true;
  }

  onData(chunk: Buffer): boolean {
    this.chunks += 1;
    this.bytes += chunk.length;
    if (this.chunks > manyChunks && this.bytes < this.chunks * smallChunkBytes) {
      this.abort(new Error(`it sent ${manyChunks} chunks of a few bytes`));
    }
    return this.handler.onData?.(chunk) ?? true;
  }

  onComplete(trailers: string[] | null): void {
    this.onEnd();
    this.handler.onComplete?.(trailers);
  }

  onError(error: Error): void {
    this.stop();
    this.onEnd();
    this.handler.onError?.(error);
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
