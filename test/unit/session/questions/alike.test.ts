import { describe, expect, it } from 'vitest';
import type { QuestionEntry, QuestionOption } from '../../../../src/model/entries.ts';
import { kindKey } from '../../../../src/session/questions/alike.ts';
import { permissionOptions } from '../../../support/builders.ts';
import { aFormRequest } from '../../../support/forms.ts';

interface Facts {
  readonly toolKind?: string;
  readonly options?: readonly QuestionOption[];
  readonly hasTool?: boolean;
  readonly isForm?: boolean;
}

function aQuestion({
  toolKind = 'execute',
  options = permissionOptions,
  hasTool = true,
  isForm,
}: Facts): QuestionEntry {
  const { elicitation } = aFormRequest();
  return {
    kind: 'question',
    question: { id: 1, options, ...(isForm && { elicitation }) },
    tool: hasTool ? { toolKind } : undefined,
  } as unknown as QuestionEntry;
}

const [allow, always, reject] = permissionOptions as [QuestionOption, QuestionOption, QuestionOption];
const other: QuestionOption = { id: 'ours', name: 'Keep mine', kind: 'other' };

describe('two questions', () => {
  const key = () => kindKey(aQuestion({}));

  it('are alike if kind and options are the same, whatever the ids', () => {
    const options = permissionOptions.map((option) => ({ ...option, id: `${option.id}-2` }));
    expect(key()).toBeDefined();
    expect(kindKey(aQuestion({ options }))).toBe(key());
  });

  it('are still alike when they are compared again', () => {
    expect(key()).toBe(key());
  });

  it.each<[string, Facts]>([
    ['their calls are of another kind', { toolKind: 'edit' }],
    ['an option has another name', { options: [{ ...allow, name: 'Allow all' }, always, reject] }],
    ['an option has another kind', { options: [{ ...allow, kind: 'allow_always' }, always, reject] }],
    ['an option is missing', { options: [allow, reject] }],
    ['the options have another order', { options: [always, allow, reject] }],
  ])('differ if %s', (_, facts) => {
    expect(kindKey(aQuestion(facts))).not.toBe(key());
  });
});

it.each<[string, Facts]>([
  ['a form', { isForm: true }],
  ['a question without a call', { hasTool: false }],
  ['a conflict', { options: [other] }],
  ['a conflict that the user may reject', { options: [other, reject] }],
])('%s is like no other question', (_, facts) => {
  expect(kindKey(aQuestion(facts))).toBeUndefined();
});
