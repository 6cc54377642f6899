import { randomUUID } from 'node:crypto';
import { AcpError } from '../../base/errors.ts';
import { isRecord } from '../../base/record.ts';
import type { SessionSink } from '../../ports/agent.ts';
import { asString } from '../decode/fields.ts';

/** The URL of a login page, which dialect E sends as the answer to `authenticate`. */
export function decodeLoginUrl(answer: unknown): string | undefined {
  const meta = isRecord(answer) ? answer._meta : undefined;
  return isRecord(meta) ? asString(meta['acp.nvim/authUrl']) : undefined;
}

/** Logins that the user completes in a browser. The agent reports the completion, or the user confirms it. */
export class BrowserLogins {
  private readonly waiting = new Set<() => void>();

  /** The answer to `authenticate`; undefined when the agent reports the completion without answering. */
  async untilAnsweredOrCompleted(answer: Promise<unknown>): Promise<unknown> {
    const answered = new AbortController();
    return Promise.race([answer, this.completed(answered.signal)]).finally(() => answered.abort());
  }

  /** Called when the agent reports that a login is complete. */
  complete(): void {
    for (const done of [...this.waiting]) done();
  }

  /** Shows the page and waits until the login is complete. */
  async openPage(
    url: string,
    agent: string,
    sink: SessionSink,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<void> {
    // Random, so that the agent cannot complete or change this question.
    const pageId = `login ${randomUUID()}`;
    const message = `${agent} asks you to log in on this page.`;
    const elicitation = { kind: 'page', message, url, pageId } as const;
    const completed = this.completed(signal);
    const { action } = await sink.elicit({ elicitation, toolCallId: undefined, withdrawn: signal });
    if (action !== 'accept') throw new AcpError('cancelled', 'The login was not completed.');
    await this.waitUntilDone(pageId, completed, sink);
  }

  private completed(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.waiting.delete(done);
        resolve();
      };
      if (signal?.aborted) return;
      this.waiting.add(done);
      signal?.addEventListener('abort', () => this.waiting.delete(done), { once: true });
    });
  }

  private async waitUntilDone(pageId: string, completed: Promise<void>, sink: SessionSink): Promise<void> {
    const done = new AbortController();
    const tool = { toolCallId: pageId, title: 'Have you logged in?', toolKind: 'other' } as const;
    const confirmed = sink.ask({ tool, options: confirmationOptions, withdrawn: done.signal });
    const isDone = await Promise.race([
      completed.then(() => true),
      confirmed.then((answer) => answer === 'done'),
    ]);
    done.abort();
    sink.report({ kind: 'page_done', pageId });
    sink.report({ kind: 'tool', patch: { toolCallId: pageId, status: isDone ? 'done' : 'failed' } });
    if (!isDone) throw new AcpError('cancelled', 'The login was not completed.');
  }
}

const confirmationOptions = [
  { id: 'done', name: 'Yes, continue', kind: 'allow_once' },
  { id: 'stop', name: 'No, stop the login', kind: 'reject_once' },
] as const;
