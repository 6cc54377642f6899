import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  agentWrote,
  beginTurn,
  hunkNear,
  hunksOf,
  isReviewed,
  keepAll,
  keepHunk,
  type Reviewed,
  rejectAll,
  rejectHunk,
  reviewOf,
  userWrote,
} from '../../../../src/workspace/changes/review-model.ts';

const lines = (text: string) => text.split('');

/** A file that was `before`, and what each side made of it in turn. */
function afterwards(before: string, ...steps: readonly ['agent' | 'user', string][]): Reviewed {
  return steps.reduce(
    (file, [who, text]) => (who === 'agent' ? agentWrote : userWrote)(file, lines(text)),
    reviewOf(lines(before)),
  );
}

describe('what the user changes', () => {
  it.each<[string, string, string, string, string]>([
    ['elsewhere is in the base', 'abcdef', 'aBcdef', 'aBcdeF', 'abcdeF'],
    ['above moves the hunk', 'abc', 'abC', 'xabC', 'xabc'],
    ['next to a hunk stays', 'abc', 'aBc', 'aBC', 'abC'],
    ['before an added line stays', 'ab', 'aXb', 'auXb', 'aub'],
    ['after an added line stays', 'ab', 'aXb', 'aXub', 'aub'],
    ['where lines were removed stays', 'abc', 'ac', 'auc', 'abuc'],
    ['back to the lines that were removed ends the hunk', 'abcd', 'ad', 'abcd', 'abcd'],
    ['back to some of them leaves the others removed', 'abcd', 'ad', 'acd', 'abcd'],
    ['back, and more, is told apart', 'abc', 'ac', 'abuc', 'abuc'],
    ['back, with the line after it', 'abc', 'ac', 'abC', 'abC'],
    ['back, with the line before it', 'abc', 'ac', 'Abc', 'Abc'],
    ['back to a whole text that was removed', 'abc', '', 'abc', 'abc'],
    ['in a hunk belongs to it', 'abc', 'aXYZc', 'aXuZc', 'abc'],
    ['back to what it was ends the hunk', 'abc', 'aXc', 'abc', 'abc'],
    ['in a hunk and beside it is told apart', 'abcd', 'aBcd', 'auvd', 'abvd'],
    ['all of it, leaves the old lines', 'abc', 'aBc', '', 'b'],
  ])('%s', (_, before, agent, user, base) => {
    const file = afterwards(before, ['agent', agent], ['user', user]);
    expect(file.bases.session.join('')).toBe(base);
    expect(rejectAll(file, 'session').now.join('')).toBe(base);
  });
});

describe('keeping and rejecting', () => {
  it('puts back the lines of one hunk alone', () => {
    const file = afterwards('abcdef', ['agent', 'aXcdYf']);
    const [first, second] = hunksOf(file, 'session');
    expect(rejectHunk(file, 'session', first!).now.join('')).toBe('abcdYf');
    expect(hunksOf(keepHunk(file, first!), 'session')).toEqual([second]);
  });

  it('tells the last turn from those before', () => {
    const file = agentWrote(beginTurn(afterwards('abcdef', ['agent', 'aXcdef'])), lines('aXcdYf'));
    expect(hunksOf(file, 'session')).toHaveLength(2);
    const [only] = hunksOf(file, 'turn');
    expect(only).toMatchObject({ from: 4, to: 5 });
    const kept = keepHunk(file, only!);
    expect(hunksOf(kept, 'session')).toMatchObject([{ from: 1, to: 2 }]);
    expect(hunksOf(kept, 'turn')).toEqual([]);
    expect(rejectHunk(file, 'turn', only!).now.join('')).toBe('aXcdef');
  });

  it('is no change of the last turn when lines from before the session are put back', () => {
    const file = agentWrote(beginTurn(afterwards('abcdef', ['agent', 'aXcdef'])), lines('aXcdYf'));
    const rejected = rejectHunk(file, 'session', hunksOf(file, 'session')[0]!);
    expect(rejected.now.join('')).toBe('abcdYf');
    expect(hunksOf(rejected, 'turn')).toMatchObject([{ from: 4, to: 5 }]);
    expect(hunksOf(rejectAll(file, 'session'), 'turn')).toEqual([]);
  });

  it('does not keep more than was shown', () => {
    const file = agentWrote(beginTurn(afterwards('abcd', ['agent', 'aXcd'])), lines('aXYd'));
    const kept = keepHunk(file, hunksOf(file, 'turn')[0]!);
    expect(hunksOf(kept, 'session')).toHaveLength(1);
  });

  it.each([
    [0, 1],
    [1, 1],
    [2, 4],
    [9, 4],
  ])('finds the hunk near row %i', (row, from) => {
    const file = afterwards('abcdef', ['agent', 'aXcdYf']);
    expect(hunkNear(hunksOf(file, 'session'), row)?.from).toBe(from);
  });
});

type Step =
  | { readonly kind: 'agent' | 'user'; readonly at: number; readonly count: number; readonly add: number }
  | { readonly kind: 'keep' | 'reject'; readonly at: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('agent', 'user'),
    at: fc.nat(30),
    count: fc.nat(3),
    add: fc.nat(3),
  }),
  fc.record({ kind: fc.constantFrom('keep', 'reject'), at: fc.nat(9) }),
);

/** The model beside one that knows no diff: every line has a name of its own, so what is whose is plain to see. */
class Conversation {
  file: Reviewed;
  /** The baseline with the user's own edits, and what was kept. */
  shadow: string[];
  private names = 0;

  constructor(size: number) {
    this.shadow = Array.from({ length: size }, (_, row) => `base ${row}`);
    this.file = reviewOf([...this.shadow]);
  }

  take(step: Step): void {
    if (step.kind === 'agent') this.agent(step.at, step.count, step.add);
    else if (step.kind === 'user') this.user(step.at, step.count, step.add);
    else this.decide(step.kind, step.at);
  }

  private fresh(kind: string, count: number): string[] {
    return Array.from({ length: count }, () => `${kind} ${this.names++}`);
  }

  private agent(at: number, count: number, add: number): void {
    const now = [...this.file.now];
    now.splice(at, count, ...this.fresh('agent', add));
    this.file = agentWrote(this.file, now);
  }

  // Only where the lines around are nobody else's: what is typed into a hunk belongs to the hunk.
  private user(at: number, count: number, add: number): void {
    const now = [...this.file.now];
    const row = Math.min(at, now.length);
    const around = now.slice(Math.max(0, row - 1), row + count + 1);
    const start = row === 0 ? 0 : this.shadow.indexOf(now[row - 1]!) + 1;
    const isOwn =
      around.every((line) => this.shadow.includes(line)) &&
      around.every((line, index) => index === 0 || follows(this.shadow, around[index - 1]!, line)) &&
      (row > 0 || this.shadow[0] === now[0]) &&
      (row + count < now.length || this.shadow.at(-1) === now.at(-1));
    if (!isOwn || now.length === 0) return;
    const added = this.fresh('user', add);
    now.splice(row, count, ...added);
    this.shadow.splice(start, Math.min(count, this.file.now.length - row), ...added);
    this.file = userWrote(this.file, now);
  }

  private decide(kind: 'keep' | 'reject', at: number): void {
    const hunks = hunksOf(this.file, 'session');
    const hunk = hunks[at % Math.max(1, hunks.length)];
    if (!hunk) return;
    if (kind === 'reject') this.file = rejectHunk(this.file, 'session', hunk);
    else {
      const { oldFrom, oldTo, from, to } = hunk;
      this.shadow.splice(oldFrom, oldTo - oldFrom, ...this.file.now.slice(from, to));
      this.file = keepHunk(this.file, hunk);
    }
  }
}

function follows(lines: readonly string[], one: string, other: string): boolean {
  return lines.indexOf(other) === lines.indexOf(one) + 1;
}

/** What one would see who puts the hunks into the base. */
function shown(file: Reviewed): readonly string[] {
  const text = [...file.bases.session];
  for (const { oldFrom, oldTo, from, to } of [...hunksOf(file, 'session')].reverse()) {
    text.splice(oldFrom, oldTo - oldFrom, ...file.now.slice(from, to));
  }
  return text;
}

describe('whatever the agent writes, the user types, keeps and rejects', () => {
  const conversations = (check: (conversation: Conversation) => void) =>
    fc.assert(
      fc.property(fc.nat(20), fc.array(step, { maxLength: 30 }), (size, steps) => {
        const conversation = new Conversation(size + 1);
        for (const one of steps) conversation.take(one);
        check(conversation);
      }),
      { numRuns: 1_000 },
    );

  it('the hunks are what differs', () => {
    conversations(({ file }) => expect(shown(file)).toEqual(file.now));
  });

  it('rejecting all gives the baseline, the user’s own edits and what was kept', () => {
    conversations(({ file, shadow }) => expect(rejectAll(file, 'session').now).toEqual(shadow));
  });

  it('rejecting hunk by hunk gives the same as rejecting all', () => {
    conversations(({ file }) => {
      let one = file;
      for (let hunk = hunksOf(one, 'session').at(-1); hunk; hunk = hunksOf(one, 'session').at(-1)) {
        one = rejectHunk(one, 'session', hunk);
      }
      expect(one.now).toEqual(rejectAll(file, 'session').now);
    });
  });

  it('keeping all leaves nothing to review and changes nothing', () => {
    conversations(({ file }) => {
      expect(keepAll(file).now).toEqual(file.now);
      for (const scope of ['session', 'turn'] as const) expect(isReviewed(keepAll(file), scope)).toBe(true);
    });
  });
});
