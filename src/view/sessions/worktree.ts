import type { Picker, PickerItem } from '../../ports/dialogs.ts';
import { patchText } from '../frame.ts';
import { blank, makeLine } from '../line.ts';
import { sanitiseLine } from '../sanitise.ts';

export interface ShownWorktree {
  readonly chat: number;
  readonly ask: number;
  readonly folder: string;
  readonly branch: string;
  /** Where HEAD is, if it is not on the branch. */
  readonly head: string | undefined;
  /** What it was made from; undefined: nobody knows. */
  readonly from: { readonly name: string; readonly folder: string } | undefined;
  readonly uncommitted: readonly string[];
  readonly commits: number;
  readonly changed: readonly string[];
  /** Why it can't be merged, or removed. */
  readonly mergeObstacle: string | undefined;
  readonly removalObstacle: string | undefined;
}

const maxFiles = 30;

/** Shows what the worktree of a session has, and asks what to do with it. */
export function worktreePicker(tree: ShownWorktree): Picker {
  const { branch, from, uncommitted } = tree;
  const prompt = `Worktree ${sanitiseLine(branch)}`;
  const payload = { chat: tree.chat, ask: tree.ask };
  const first = uncommitted.length > 0 ? 'Commit all of it, and merge' : 'Merge';
  const merge: PickerItem = {
    label: `${first} it into ${sanitiseLine(from?.name ?? '')}`,
    op: 'worktree.merge',
    payload,
  };
  return {
    prompt,
    title: prompt,
    kind: 'acp.worktree',
    mustRead: true,
    isGuarded: true,
    body: patchText(bodyLines(tree)),
    items: [
      { label: 'Leave it as it is' },
      ...(hasNothing(tree) || tree.mergeObstacle !== undefined ? [] : [merge]),
      ...(tree.removalObstacle === undefined
        ? [{ label: removalLabel(tree), op: 'worktree.remove', payload }]
        : []),
    ],
  };
}

function removalLabel({ uncommitted, commits, branch }: ShownWorktree): string {
  if (uncommitted.length > 0)
    return `Commit all of it to ${sanitiseLine(branch)}, close the chat and remove the folder`;
  return commits > 0
    ? 'Close the chat and remove the folder; the branch stays'
    : 'Close the chat and remove the folder and the branch';
}

function bodyLines(tree: ShownWorktree) {
  const { folder, branch, head, from, uncommitted, commits, changed } = tree;
  const files = uncommitted.slice(0, maxFiles).map((file) => makeLine([`    ${sanitiseLine(file)}`, '']));
  const more = uncommitted.length - files.length;
  const notMerged =
    commits === 0
      ? 'all commits are merged'
      : `${count(commits, 'commit')} with ${count(changed.length, 'changed file')} not merged`;
  const notCommitted =
    files.length === 0 ? 'everything is committed' : `${count(uncommitted.length, 'file')} not committed`;
  return [
    makeLine(['  folder  ', 'AcpMuted'], [sanitiseLine(folder), '']),
    makeLine(['  branch  ', 'AcpMuted'], [sanitiseLine(branch), '']),
    ...(head === undefined ? [] : [makeLine(['  now on  ', 'AcpMuted'], [sanitiseLine(head), 'AcpWaiting'])]),
    makeLine(
      ['  from    ', 'AcpMuted'],
      [from ? `${sanitiseLine(from.name)} in ${sanitiseLine(from.folder)}` : 'not known', ''],
    ),
    makeLine([`  ${notMerged}`, '']),
    makeLine([`  ${notCommitted}`, '']),
    ...files,
    ...(more > 0 ? [makeLine([`    and ${more} more`, 'AcpMuted'])] : []),
    ...obstacleLines(tree),
    blank,
    makeLine(['  Files that git ignores are deleted with the folder.', 'AcpMuted']),
  ];
}

function hasNothing({ uncommitted, commits, head }: ShownWorktree): boolean {
  return uncommitted.length === 0 && commits === 0 && head === undefined;
}

function obstacleLines(tree: ShownWorktree) {
  const { removalObstacle } = tree;
  const mergeObstacle = hasNothing(tree) ? undefined : tree.mergeObstacle;
  const line = (what: string, why: string) =>
    makeLine([`  It can't be ${what}: ${sanitiseLine(why)}.`, 'AcpWaiting']);
  if (mergeObstacle !== undefined && mergeObstacle === removalObstacle)
    return [blank, line('merged or removed', mergeObstacle)];
  const lines = [
    ...(mergeObstacle === undefined ? [] : [line('merged', mergeObstacle)]),
    ...(removalObstacle === undefined ? [] : [line('removed', removalObstacle)]),
  ];
  return lines.length === 0 ? [] : [blank, ...lines];
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
