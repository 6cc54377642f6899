import { describe, expect, it } from 'vitest';
import { AlikeQuestions } from '../../../src/app/alike-questions.ts';
import type { QuestionEntry, ToolKind } from '../../../src/model/entries.ts';

const options = [{ id: 'y', name: 'Allow once', kind: 'allow_once' as const }];
let lastId = 0;

function aQuestion(toolKind: ToolKind, own = options) {
  lastId += 1;
  return {
    id: lastId,
    kind: 'question',
    question: { id: lastId, options: own },
    tool: { toolKind },
  } as unknown as QuestionEntry;
}

const claude = { agent: 'claude' };
const entriesOf = (members: readonly { readonly entry: QuestionEntry }[]) =>
  members.map(({ entry }) => entry);

describe('questions that are alike', () => {
  it('are counted by agent, kind and options', () => {
    const questions = new AlikeQuestions();
    const [one, two, edit, other, form] = [
      ...[aQuestion('execute'), aQuestion('execute'), aQuestion('edit'), aQuestion('execute')],
      { ...aQuestion('execute'), tool: undefined },
    ] as const;
    expect(questions.add(claude, one)).toEqual([{ source: claude, entry: one }]);
    expect(entriesOf(questions.add({ agent: 'claude' }, two))).toEqual([one, two]);
    questions.add(claude, edit);
    questions.add({ agent: 'gemini' }, other);
    expect(questions.add(claude, form)).toEqual([]);
    expect([one, two, edit, other, form].map((entry) => questions.count(entry))).toEqual([2, 2, 1, 1, 1]);
    expect(entriesOf(questions.remove(two))).toEqual([one]);
    expect(questions.remove(two)).toEqual([]);
    expect(questions.count(one)).toBe(1);
    expect(questions.count(two)).toBe(1);
  });

  it('are others when the call has become one of another kind', () => {
    const questions = new AlikeQuestions();
    const [one, two, edit] = [aQuestion('execute'), aQuestion('execute'), aQuestion('edit')];
    for (const entry of [one, two, edit]) questions.add(claude, entry);
    expect(questions.add(claude, two)).toEqual([]);
    Object.assign(two.tool!, { toolKind: 'edit' });
    expect(new Set(entriesOf(questions.add(claude, two)))).toEqual(new Set([one, edit, two]));
    expect([one, two, edit].map((entry) => questions.count(entry))).toEqual([1, 2, 2]);
  });

  it('no longer count when their chat is closed', () => {
    const questions = new AlikeQuestions();
    const other = { agent: 'claude' };
    const [one, two] = [aQuestion('execute'), aQuestion('execute')];
    questions.add(claude, one);
    questions.add(other, two);
    expect(questions.removeAll(claude)).toEqual([{ source: other, entry: two }]);
    expect(questions.count(two)).toBe(1);
  });

  it('change a limited number of others, however many there are', () => {
    const questions = new AlikeQuestions();
    const all = Array.from({ length: 4_000 }, () => aQuestion('execute'));
    const asked = all.map((entry) => questions.add(claude, entry).length);
    const settled = all.map((entry) => questions.remove(entry).length);
    expect(Math.max(...asked, ...settled)).toBe(51);
    expect(asked.slice(51)).toEqual(Array.from({ length: 3_949 }, () => 0));
    expect(settled.slice(0, 3_949)).toEqual(Array.from({ length: 3_949 }, () => 0));
  });
});
