import { AcpError } from '../../base/errors.ts';
import { badParam } from '../../base/parse.ts';
import type { JsonObject } from '../../base/record.ts';
import { cutLabel } from '../../base/text.ts';
import type { Elicitation, ElicitationOutcome } from '../../model/form.ts';
import type { SessionSink } from '../../ports/agent.ts';
import { asString, stringParam } from '../decode/fields.ts';
import { decodeFormSchema } from '../decode/forms/form-schema.ts';

/** An elicitation belongs to a session, or to a request of ours that has no session. */
export type ElicitationScope = { readonly sessionId: string } | { readonly requestId: string | number };

/** Serves `elicitation/create`: forms to fill in and pages to open. */
export class Elicitations {
  /** Pages that are not completed yet, with the session that shows them. */
  private readonly pages = new Map<string, SessionSink>();
  private readonly sinkFor: (scope: ElicitationScope) => SessionSink;

  constructor(sinkFor: (scope: ElicitationScope) => SessionSink) {
    this.sinkFor = sinkFor;
  }

  async create(params: JsonObject, withdrawn: AbortSignal): Promise<object> {
    const elicitation = decodeElicitation(params);
    const toolCallId = asString(params.toolCallId);
    const sink = this.sinkFor(decodeScope(params));
    if (elicitation.kind === 'page') this.pages.set(elicitation.pageId, sink);
    const outcome = await sink.elicit({ elicitation, toolCallId, withdrawn });
    if (elicitation.kind === 'page' && outcome.action !== 'accept') this.pages.delete(elicitation.pageId);
    return encodeOutcome(outcome);
  }

  /** Ignores ids that are unknown or already completed. */
  complete({ elicitationId }: JsonObject): void {
    const pageId = String(elicitationId);
    const sink = this.pages.get(pageId);
    this.pages.delete(pageId);
    sink?.report({ kind: 'page_done', pageId });
  }
}

export function decodeElicitation(params: JsonObject): Elicitation {
  const message = cutLabel(stringParam(params, 'message'));
  const mode = stringParam(params, 'mode');
  if (mode === 'form') return { kind: 'form', message, form: decodeFormSchema(params.requestedSchema) };
  if (mode !== 'url') throw badParam('mode', '"form" or "url"', mode);
  const pageId = stringParam(params, 'elicitationId');
  const url = stringParam(params, 'url');
  if (!URL.canParse(url)) throw badParam('url', 'an absolute URL', url);
  // Show the normalised URL, because that is what the browser opens.
  return { kind: 'page', message, url: new URL(url).href, pageId };
}

export function decodeScope({ sessionId, requestId }: JsonObject): ElicitationScope {
  const hasSession = sessionId !== undefined && sessionId !== null;
  const hasRequest = requestId !== undefined && requestId !== null;
  if (hasSession === hasRequest)
    throw new AcpError('bad_params', 'exactly one of sessionId and requestId must be given');
  if (hasSession && typeof sessionId === 'string') return { sessionId };
  if (hasSession) throw badParam('sessionId', 'a string', sessionId);
  if (typeof requestId === 'string' || typeof requestId === 'number') return { requestId };
  throw badParam('requestId', 'a string or a number', requestId);
}

function encodeOutcome(outcome: ElicitationOutcome): object {
  if (outcome.action !== 'accept' || !outcome.answers) return { action: outcome.action };
  return { action: 'accept', content: Object.fromEntries(outcome.answers) };
}
