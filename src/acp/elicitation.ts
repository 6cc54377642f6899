import { isRecord } from '../base.ts';
import { AcpError } from '../errors.ts';
import type { SessionSink } from '../ports/agent.ts';
import type { Elicitation, Outcome } from '../session/form.ts';
import { formFrom } from './form-schema.ts';
import { textOf } from './wire.ts';

type Params = Readonly<Record<string, unknown>>;

/** What an elicitation is about: a session, or a request of ours outside of one. */
export type Scope = { readonly sessionId: string } | { readonly requestId: string | number };

/** Serves the agent's questions that are no permissions: forms to fill in and pages to open. */
export class Elicitations {
  /** The pages whose end was not told yet, with the session that was asked to open them. */
  private readonly pages = new Map<string, SessionSink>();
  private readonly sinkFor: (scope: Scope) => SessionSink;

  constructor(sinkFor: (scope: Scope) => SessionSink) {
    this.sinkFor = sinkFor;
  }

  async create(params: Params, withdrawn: AbortSignal): Promise<object> {
    const elicitation = elicitationFrom(params);
    const toolCallId = textOf(params.toolCallId);
    const sink = this.sinkFor(scopeFrom(params));
    if (elicitation.kind === 'page') this.pages.set(elicitation.pageId, sink);
    const outcome = await sink.elicit({ elicitation, toolCallId, withdrawn });
    if (elicitation.kind === 'page' && outcome.action !== 'accept') this.pages.delete(elicitation.pageId);
    return answerOf(outcome);
  }

  /** Ids that are unknown, or were completed before, mean nothing. */
  complete({ elicitationId }: Params): void {
    const pageId = String(elicitationId);
    const sink = this.pages.get(pageId);
    this.pages.delete(pageId);
    sink?.report({ kind: 'page_done', pageId });
  }
}

/** Reads what is asked; throws an error that names what is wrong with it. */
export function elicitationFrom(params: Params): Elicitation {
  const message = required(params, 'message');
  const mode = required(params, 'mode');
  if (mode === 'form') return { kind: 'form', message, form: formFrom(params.requestedSchema) };
  if (mode !== 'url') throw bad('mode', '"form" or "url"', mode);
  const pageId = required(params, 'elicitationId');
  const url = required(params, 'url');
  if (!URL.canParse(url)) throw bad('url', 'a whole address', url);
  // What is shown is what is opened, and not another way to write it.
  return { kind: 'page', message, url: new URL(url).href, pageId };
}

export function scopeFrom({ sessionId, requestId }: Params): Scope {
  const hasSession = sessionId !== undefined && sessionId !== null;
  const hasRequest = requestId !== undefined && requestId !== null;
  if (hasSession === hasRequest)
    throw new AcpError('bad_params', 'exactly one of sessionId and requestId must be given');
  if (hasSession && typeof sessionId === 'string') return { sessionId };
  if (hasSession) throw bad('sessionId', 'a string', sessionId);
  if (typeof requestId === 'string' || typeof requestId === 'number') return { requestId };
  throw bad('requestId', 'a string or a number', requestId);
}

function answerOf(outcome: Outcome): object {
  if (outcome.action !== 'accept' || !outcome.answers) return { action: outcome.action };
  return { action: 'accept', content: Object.fromEntries(outcome.answers) };
}

function required(params: Params, key: string): string {
  const value = params[key];
  if (typeof value !== 'string') throw bad(key, 'a string', value);
  return value;
}

function bad(key: string, expected: string, found: unknown): AcpError {
  const instead =
    found === undefined ? 'and is missing' : `not ${isRecord(found) ? 'an object' : JSON.stringify(found)}`;
  return new AcpError('bad_params', `${key} must be ${expected}, ${instead}`);
}
