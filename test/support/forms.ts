import { decodeFormSchema } from '../../src/acp/decode/forms/form-schema.ts';
import type { Field, Form } from '../../src/model/form.ts';
import type { ElicitationRequest } from '../../src/ports/agent.ts';

/** A field as an agent describes it. */
export function aField(property: object, isRequired = true): Field {
  return aForm({ field: property }, isRequired ? ['field'] : []).fields[0]!;
}

export function aForm(properties: Readonly<Record<string, object>>, required: readonly string[] = []): Form {
  return decodeFormSchema({ type: 'object', properties, required });
}

export function aFormRequest(
  form: Form = aForm({ name: { type: 'string', title: 'Name' } }, ['name']),
  fields: Partial<ElicitationRequest> = {},
): ElicitationRequest {
  const elicitation = { kind: 'form', message: 'Who are you?', form } as const;
  return { elicitation, toolCallId: undefined, withdrawn: new AbortController().signal, ...fields };
}

export function aPageRequest(
  url = 'https://example.com/login?code=1',
  fields: Partial<ElicitationRequest> = {},
): ElicitationRequest {
  const elicitation = { kind: 'page', message: 'Log in.', url, pageId: 'page-1' } as const;
  return { elicitation, toolCallId: undefined, withdrawn: new AbortController().signal, ...fields };
}
