import { describe, expect, it } from 'vitest';
import {
  agentWrote,
  beginTurn,
  fileHunks,
  isChanged,
  keepFile,
  keepHunk,
  rejectFile,
  rejectHunk,
  unchanged,
  userWrote,
} from '../../../../../src/workspace/changes/review/file-review.ts';
import { hunkNear } from '../../../../../src/workspace/changes/review/line-review.ts';
import { linesIn } from '../../../../../src/workspace/files/file-content.ts';
import type { FileReview } from '../../../../../src/workspace/files/file-record.ts';
import { shortOrLong } from '../../../../support/long.ts';
import { fc } from '../../../../support/property.ts';

const content = (lines: readonly string[]) => ({ kind: 'text', lines }) as const;
const text = (letters: string) => content(letters.split(''));
const lettersOf = (file: FileReview, of: keyof FileReview = 'now') => linesIn(file[of]).join('');

/** A file that was `before` (each letter is a line), and what each side made of it in turn. */
function afterwards(before: string, ...steps: readonly ['agent' | 'user', string][]): FileReview {
  return steps.reduce(
    (file, [who, letters]) => (who === 'agent' ? agentWrote : userWrote)(file, text(letters)),
    unchanged(text(before)),
  );
}

describe('an edit of the user in a file the agent changed', () => {
  it.each<[string, string, string, string, string]>([
    ['outside of hunks goes into the base', 'abcdef', 'aBcdef', 'aBcdeF', 'abcdeF'],
    ['above a hunk moves the hunk', 'abc', 'abC', 'xabC', 'xabc'],
    ['next to a hunk survives rejecting it', 'abc', 'aBc', 'aBC', 'abC'],
    ['before an added line survives rejecting it', 'ab', 'aXb', 'auXb', 'aub'],
    ['after an added line survives rejecting it', 'ab', 'aXb', 'aXub', 'aub'],
    ['where lines were removed survives rejecting that', 'abc', 'ac', 'auc', 'abuc'],
    ['that restores all removed lines ends the hunk', 'abcd', 'ad', 'abcd', 'abcd'],
    ['that restores some removed lines leaves the others in the hunk', 'abcd', 'ad', 'acd', 'abcd'],
    ['that restores removed lines and adds one keeps the added one', 'abc', 'ac', 'abuc', 'abuc'],
    ['that restores a removed line and changes the next one keeps both', 'abc', 'ac', 'abC', 'abC'],
    ['that restores a removed line and changes the previous one keeps both', 'abc', 'ac', 'Abc', 'Abc'],
    ['that restores the whole removed text ends the hunk', 'abc', '', 'abc', 'abc'],
    ['inside a hunk is rejected with it', 'abc', 'aXYZc', 'aXuZc', 'abc'],
    ['that restores the old line ends the hunk', 'abc', 'aXc', 'abc', 'abc'],
    ['inside a hunk and beside it is split between the two', 'abcd', 'aBcd', 'auvd', 'abvd'],
    ['that deletes everything leaves the old lines of the hunk in the base', 'abc', 'aBc', '', 'b'],
  ])('%s', (_, before, agent, user, base) => {
    const file = afterwards(before, ['agent', agent], ['user', user]);
    expect(lettersOf(file, 'session')).toBe(base);
    expect(lettersOf(rejectFile(file, 'session'))).toBe(base);
  });
});

describe('keeping and rejecting hunks', () => {
  it('changes the lines of one hunk only', () => {
    const file = afterwards('abcdef', ['agent', 'aXcdYf']);
    const [first, second] = fileHunks(file, 'session');
    expect(lettersOf(rejectHunk(file, 'session', first!))).toBe('abcdYf');
    expect(fileHunks(keepHunk(file, first!), 'session')).toEqual([second]);
  });

  it('separates the last turn from earlier turns', () => {
    const file = agentWrote(beginTurn(afterwards('abcdef', ['agent', 'aXcdef'])), text('aXcdYf'));
    expect(fileHunks(file, 'session')).toHaveLength(2);
    const [only] = fileHunks(file, 'turn');
    expect(only).toMatchObject({ from: 4, to: 5 });
    const kept = keepHunk(file, only!);
    expect(fileHunks(kept, 'session')).toMatchObject([{ from: 1, to: 2 }]);
    expect(fileHunks(kept, 'turn')).toEqual([]);
    expect(lettersOf(rejectHunk(file, 'turn', only!))).toBe('aXcdef');
  });

  it('does not show restored lines from before the session as a change of the last turn', () => {
    const file = agentWrote(beginTurn(afterwards('abcdef', ['agent', 'aXcdef'])), text('aXcdYf'));
    const rejected = rejectHunk(file, 'session', fileHunks(file, 'session')[0]!);
    expect(lettersOf(rejected)).toBe('abcdYf');
    expect(fileHunks(rejected, 'turn')).toMatchObject([{ from: 4, to: 5 }]);
    expect(fileHunks(rejectFile(file, 'session'), 'turn')).toEqual([]);
  });

  it('keeps no more than the hunk shows', () => {
    const file = agentWrote(beginTurn(afterwards('abcd', ['agent', 'aXcd'])), text('aXYd'));
    const kept = keepHunk(file, fileHunks(file, 'turn')[0]!);
    expect(fileHunks(kept, 'session')).toHaveLength(1);
  });

  it.each([
    [0, 1],
    [1, 1],
    [2, 4],
    [9, 4],
  ])('finds the hunk near row %i', (row, from) => {
    const file = afterwards('abcdef', ['agent', 'aXcdYf']);
    expect(hunkNear(fileHunks(file, 'session'), row)?.from).toBe(from);
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

/** The review beside a model without diffs: every line has a unique name, so its author is always known. */
class Conversation {
  file: FileReview;
  /** The original with the user's own edits and the kept hunks. */
  shadow: string[];
  private names = 0;

  constructor(size: number) {
    this.shadow = Array.from({ length: size }, (_, row) => `base ${row}`);
    this.file = unchanged(content([...this.shadow]));
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
    const now = [...linesIn(this.file.now)];
    now.splice(at, count, ...this.fresh('agent', add));
    this.file = agentWrote(this.file, content(now));
  }

  // Only between lines of the shadow: text typed into a hunk belongs to the hunk.
  private user(at: number, count: number, add: number): void {
    const now = [...linesIn(this.file.now)];
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
    this.shadow.splice(start, Math.min(count, linesIn(this.file.now).length - row), ...added);
    this.file = userWrote(this.file, content(now));
  }

  private decide(kind: 'keep' | 'reject', at: number): void {
    const hunks = fileHunks(this.file, 'session');
    const hunk = hunks[at % Math.max(1, hunks.length)];
    if (!hunk) return;
    if (kind === 'reject') this.file = rejectHunk(this.file, 'session', hunk);
    else {
      const { oldFrom, oldTo, from, to } = hunk;
      this.shadow.splice(oldFrom, oldTo - oldFrom, ...linesIn(this.file.now).slice(from, to));
      this.file = keepHunk(this.file, hunk);
    }
  }
}

function follows(lines: readonly string[], one: string, other: string): boolean {
  return lines.indexOf(other) === lines.indexOf(one) + 1;
}

/** The base with all hunks applied. */
function shown(file: FileReview): readonly string[] {
  const lines = [...linesIn(file.session)];
  for (const { oldFrom, oldTo, from, to } of [...fileHunks(file, 'session')].reverse()) {
    lines.splice(oldFrom, oldTo - oldFrom, ...linesIn(file.now).slice(from, to));
  }
  return lines;
}

describe('after any sequence of agent writes, user edits and decisions', () => {
  const conversations = (check: (conversation: Conversation) => void) =>
    fc.assert(
      fc.property(fc.nat(20), fc.array(step, { maxLength: 30 }), (size, steps) => {
        const conversation = new Conversation(size + 1);
        for (const one of steps) conversation.take(one);
        check(conversation);
      }),
      { numRuns: shortOrLong(100, 1_000) },
    );

  it('the hunks turn the base into the text', () => {
    conversations(({ file }) => expect(shown(file)).toEqual(linesIn(file.now)));
  });

  it('rejecting all gives the original with the user’s edits and the kept hunks', () => {
    conversations(({ file, shadow }) => expect(linesIn(rejectFile(file, 'session').now)).toEqual(shadow));
  });

  it('rejecting hunk by hunk gives the same as rejecting all', () => {
    conversations(({ file }) => {
      let one = file;
      for (let hunk = fileHunks(one, 'session').at(-1); hunk; hunk = fileHunks(one, 'session').at(-1)) {
        one = rejectHunk(one, 'session', hunk);
      }
      expect(one.now).toEqual(rejectFile(file, 'session').now);
    });
  });

  it('keeping all leaves nothing to review and changes nothing', () => {
    conversations(({ file }) => {
      expect(keepFile(file).now).toEqual(file.now);
      for (const scope of ['session', 'turn'] as const) expect(isChanged(keepFile(file), scope)).toBe(false);
    });
  });
});
