import { AcpError } from '../../base/errors.ts';
import { badParam } from '../../base/parse.ts';
import { asRecord, sessionIdOf } from '../decode/fields.ts';
import { decodePermissionForm, encodeFormAnswer } from '../decode/forms/permission-form.ts';
import type { Quirks } from '../decode/quirks.ts';
import { decodePermissionOptions, decodePermissionTool } from '../decode/update.ts';
import type { SessionRouter } from './session-router.ts';

/** More would only hide what is asked. */
const maxOptions = 100;

const cancelled = { outcome: { outcome: 'cancelled' } };

/** Serves `session/request_permission`. */
export async function askPermission(
  params: Record<string, unknown>,
  withdrawn: AbortSignal,
  { router, quirks }: { readonly router: SessionRouter; readonly quirks: Quirks },
): Promise<object> {
  const sessionId = sessionIdOf(params);
  if (router.isClosed(sessionId ?? '')) return cancelled;
  const sink = router.sinkOf(sessionId);
  const tool = decodePermissionTool(params.toolCall);
  if (!tool) throw badParam('toolCall.toolCallId', 'a string', asRecord(params.toolCall).toolCallId);
  if (!sink) throw new AcpError('not_found', `no session ${sessionId ?? ''}`);
  const elicitation = decodePermissionForm(params, quirks);
  if (elicitation) {
    const { toolCallId } = tool;
    sink.report({ kind: 'tool', patch: tool });
    return encodeFormAnswer(params, await sink.elicit({ elicitation, toolCallId, withdrawn }));
  }
  const options = decodePermissionOptions(params.options);
  if (options.length > maxOptions) throw badParam('options', `at most ${maxOptions} options`, options.length);
  const optionId = await sink.ask({ tool, options, withdrawn });
  return optionId === undefined ? cancelled : { outcome: { outcome: 'selected', optionId } };
}
