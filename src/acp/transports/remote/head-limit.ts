import type { Dispatcher } from 'undici';

/** A server may send one every few seconds while the agent works. */
const maxInformational = 1_000;

/**
 * Limits the time from the first byte of an answer to the end of its head, and the number of informational answers. Until
 * an answer begins, an agent may take any time; the limit of undici begins with the request.
 */
export function limitHead(ms: number): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => dispatch(options, new HeadLimit(handler, ms));
}

class HeadLimit implements Dispatcher.DispatchHandlers {
  private readonly handler: Dispatcher.DispatchHandlers;
  private readonly ms: number;
  private abort: (error: Error) => void = () => undefined;
  private timer: NodeJS.Timeout | undefined;
  private informational = 0;

  constructor(handler: Dispatcher.DispatchHandlers, ms: number) {
    this.handler = handler;
    this.ms = ms;
  }

  onConnect(abort: (error?: Error) => void): void {
    this.stop();
    this.abort = abort;
    this.handler.onConnect?.(abort);
  }

  onResponseStarted(): void {
    this.stop();
    this.timer = setTimeout(() => this.abort(new Error('its headers timed out')), this.ms).unref();
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
    return this.handler.onData?.(chunk) ?? true;
  }

  onComplete(trailers: string[] | null): void {
    this.handler.onComplete?.(trailers);
  }

  onError(error: Error): void {
    this.stop();
    this.handler.onError?.(error);
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
