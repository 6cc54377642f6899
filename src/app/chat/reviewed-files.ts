import { displayPath } from '../../base/paths.ts';
import { shorten } from '../../base/text.ts';
import type { EditorOperations } from '../../ports/editor-operations.ts';
import { headingLines, type ReviewItem, type ReviewList } from '../../view/review.ts';
import { sanitiseLine } from '../../view/sanitise.ts';
import type { ChangeTracker } from '../../workspace/changes/change-tracker.ts';
import { countsOf, fileHunks, isChanged } from '../../workspace/changes/review/file-review.ts';
import type { ReviewHunk, Scope } from '../../workspace/changes/review/line-review.ts';
import { linesIn, modeChange, withoutLineEnding } from '../../workspace/files/file-content.ts';
import type { FileReview, TrackedFile } from '../../workspace/files/file-record.ts';

/** Characters of a hunk in the quickfix list. */
const maxSummary = 200;

/** A hunk in a file of the review, or a file without lines; the row counts from 0. */
interface ReviewPosition {
  readonly file: TrackedFile;
  readonly row: number;
}

type ReviewedFile = Omit<EditorOperations['review.show']['payload'], 'chat' | 'moves' | 'row'>;
type QuickfixItem = EditorOperations['review.quickfix']['payload']['items'][number];

/** The files of a review, in the order of the list. */
export class ReviewedFiles {
  private readonly changes: ChangeTracker;
  private readonly cwd: string;
  /** Whether the changes of the session or of its last turn are reviewed. */
  scope: Scope = 'session';

  constructor(changes: ChangeTracker, cwd: string) {
    this.changes = changes;
    this.cwd = cwd;
  }

  name(file: string): string {
    return displayPath(file, this.cwd);
  }

  /** The changed files, and those that were decided on. */
  all(): readonly TrackedFile[] {
    return this.changes.files
      .filter(
        ({ review, decision }) =>
          isChanged(review, this.scope) || (decision && !isChanged(review, 'session')),
      )
      .sort((one, other) => (one.path < other.path ? -1 : 1));
  }

  /** There is nothing to list: no file, and none that could not be compared. */
  get isEmpty(): boolean {
    return this.all().length === 0 && this.changes.unwatched.length === 0;
  }

  /** The file in a line of the list. */
  atLine(line: number): TrackedFile | undefined {
    return this.all()[line - headingLines];
  }

  list(agent: string, shownPath: string | undefined): ReviewList {
    const files = this.all();
    const shown = files.findIndex((file) => file.path === shownPath);
    return {
      agent,
      scope: this.scope,
      items: files.map((file) => this.item(file, files)),
      shown: shown === -1 ? undefined : shown,
      unwatched: this.changes.unwatched.map(({ path, reason }) => ({ name: this.name(path), reason })),
    };
  }

  /** Every hunk, in order. A file without lines counts as one. */
  positions(): readonly ReviewPosition[] {
    return this.all()
      .filter(({ review }) => isChanged(review, this.scope))
      .flatMap((file) => {
        const rows = fileHunks(file.review, this.scope).map(({ from }) => from);
        return (rows.length > 0 ? rows : [0]).map((row) => ({ file, row }));
      });
  }

  /** The hunk so many steps after a row of a file, or before it; behind the last hunk comes the first one. */
  next(steps: number, path: string, row: number): ReviewPosition | undefined {
    const positions = this.positions();
    const isBefore = ({ file, row: other }: ReviewPosition) =>
      file.path < path || (file.path === path && other < row);
    const isHere = ({ file, row: other }: ReviewPosition) => file.path === path && other === row;
    const before = positions.filter(isBefore).length;
    const at = steps > 0 && !positions.some(isHere) ? before - 1 : before;
    return positions.at((at + steps) % positions.length);
  }

  /** What Neovim shows of a file. */
  shownFile(file: TrackedFile): ReviewedFile {
    const { path, review } = file;
    const old = review[this.scope];
    return {
      path,
      name: sanitiseLine(this.name(path)),
      kind: old.kind === 'binary' || review.now.kind === 'binary' ? 'binary' : review.now.kind,
      before: linesIn(old).map(withoutLineEnding),
      hunks: fileHunks(review, this.scope).map((hunk) => ({
        from: hunk.from,
        to: hunk.to,
        old: hunk.oldFrom,
        removed: linesIn(old).slice(hunk.oldFrom, hunk.oldTo).map(withoutLineEnding),
      })),
      line: this.all().indexOf(file) + headingLines,
    };
  }

  quickfixItems(): readonly QuickfixItem[] {
    return this.all().flatMap(({ path, review }) =>
      fileHunks(review, this.scope).map((hunk) => ({
        filename: path,
        lnum: hunk.from + 1,
        end_lnum: Math.max(hunk.from + 1, hunk.to),
        text: summary(review, hunk, this.scope),
      })),
    );
  }

  private item({ path, review, decision }: TrackedFile, all: readonly TrackedFile[]): ReviewItem {
    return {
      name: this.name(path),
      ...countsOf(review, this.scope),
      state: isChanged(review, this.scope) ? 'open' : (decision ?? 'kept'),
      note: this.note(review, all),
    };
  }

  private note(review: FileReview, all: readonly TrackedFile[]): ReviewItem['note'] {
    const [old, now] = [review[this.scope], review.now];
    if (now.kind === 'none' && old.kind !== 'none') return 'deleted';
    if (old.kind === 'none' && now.kind !== 'none') {
      const from = all.find(({ review: other }) => isMoved(other, review, this.scope));
      return from ? `was ${this.name(from.path)}` : 'new';
    }
    return old.kind === 'binary' || now.kind === 'binary' ? 'binary' : modeChange(old, now);
  }
}

function isMoved(other: FileReview, file: FileReview, scope: Scope): boolean {
  const [old, now] = [other[scope], file.now];
  if (other.now.kind !== 'none' || old.kind !== now.kind || old.kind === 'none') return false;
  if (old.kind === 'binary' && now.kind === 'binary') return old.blob === now.blob;
  return linesIn(old).join('') === linesIn(now).join('');
}

function summary(review: FileReview, { from, to, oldFrom, oldTo }: ReviewHunk, scope: Scope): string {
  const lines =
    to > from ? linesIn(review.now).slice(from, to) : linesIn(review[scope]).slice(oldFrom, oldTo);
  const first = lines.find((line) => line.trim() !== '') ?? '';
  const counts = [to > from ? `+${to - from}` : '', oldTo > oldFrom ? `-${oldTo - oldFrom}` : ''];
  return [...counts, sanitiseLine(shorten(first.trim(), maxSummary))].filter((part) => part !== '').join(' ');
}
