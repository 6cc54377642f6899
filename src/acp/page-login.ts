import { randomUUID } from 'node:crypto';
import { isRecord } from '../base.ts';
import { AcpError } from '../errors.ts';
import type { SessionSink } from '../ports/agent.ts';
import { textOf } from './wire.ts';

/** The page that an agent of source E answers a login with, if it does. */
export function loginPageIn(answer: unknown): string | undefined {
  const meta = isRecord(answer) ? answer._meta : undefined;
  return isRecord(meta) ? textOf(meta['acp.nvim/authUrl']) : undefined;
}

/**
 * Logins that end outside of the protocol: the user visits a page, and the agent tells when they are done there, or
 * they do. An agent that tells it before it has answered has answered.
 */
export class PageLogins {
  private readonly waiting = new Set<() => void>();

  /** Resolves when the agent says that a login is complete. */
  completed(signal?: AbortSignal): Promise<void> {
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

  complete(): void {
    for (const done of [...this.waiting]) done();
  }

  /** Shows the page and waits until the user is done with it. */
  async visit(url: string, agent: string, sink: SessionSink, signal: AbortSignal): Promise<void> {
    // An agent that knew the id could change what the question shows.
    const pageId = `login ${randomUUID()}`;
    const message = `${agent} wants you to log in on this page.`;
    const elicitation = { kind: 'page', message, url, pageId } as const;
    const completed = this.completed(signal);
    const { action } = await sink.elicit({ elicitation, toolCallId: undefined, withdrawn: signal });
    if (action !== 'accept') throw new AcpError('cancelled', 'The login was not completed.');
    await this.untilDone(pageId, completed, sink);
  }

  private async untilDone(pageId: string, completed: Promise<void>, sink: SessionSink): Promise<void> {
    const enough = new AbortController();
    const tool = { toolCallId: pageId, title: 'Have you logged in?', toolKind: 'other' } as const;
    const confirmed = sink.ask({ tool, options: confirmations, withdrawn: enough.signal });
    const isDone = await Promise.race([
      completed.then(() => true),
      confirmed.then((answer) => answer === 'done'),
    ]);
    enough.abort();
    sink.report({ kind: 'page_done', pageId });
    sink.report({ kind: 'tool', patch: { toolCallId: pageId, status: isDone ? 'done' : 'failed' } });
    if (!isDone) throw new AcpError('cancelled', 'The login was not completed.');
  }
}

const confirmations = [
  { id: 'done', name: 'Yes, go on', kind: 'allow_once' },
  { id: 'stop', name: 'No, stop the login', kind: 'reject_once' },
] as const;
